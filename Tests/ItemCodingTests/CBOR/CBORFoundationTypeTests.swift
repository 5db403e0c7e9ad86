// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemCoding
import TestSupport
import Testing

/// Foundation's types, most of which become tagged items.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct CBORFoundationTypeTests {
  private static let moments: [TimeInterval] = [
    0, 1, -1, 0.5, -0.5, 0.1, 1e-9, 1_363_896_240, 1_363_896_240.123, 1_767_225_599.999_999, 951_782_400,
    -62_135_596_800, -62_167_219_200, 253_402_300_799, 253_402_300_799.5, 253_402_300_800, -62_167_219_200.5,
    -62_198_755_200, 1e15, -1e15, 0x1p62, 0x1p63, -0x1p63, 1e300,
  ]

  @Test(arguments: moments)
  func datesRoundTripWithEachStrategy(seconds: TimeInterval) throws {
    let date = Date(timeIntervalSince1970: seconds)
    var encoder = CBOREncoder()
    let written = try roundTrip([date], encoder)[0]
    #expect(written.timeIntervalSince1970 == date.timeIntervalSince1970)
    encoder.dateEncodingStrategy = .iso8601
    let text = try roundTrip([date], encoder)[0]
    #expect(abs(text.timeIntervalSince1970 - date.timeIntervalSince1970) <= 0.000_000_001)
    encoder.dateEncodingStrategy = .deferredToDate
    var decoder = CBORDecoder()
    #expect(try decodingError([Date].self, encoder.encode([date])).kind == "typeMismatch")
    decoder.dateDecodingStrategy = .deferredToDate
    #expect(try roundTrip([date], encoder, decoder) == [date])
    // The tag of a date takes precedence over the decoder's strategy.
    #expect(try roundTrip([date], CBOREncoder(), decoder)[0].timeIntervalSince1970 == date.timeIntervalSince1970)
  }

  @Test(
    arguments: [
      (0, #"0("1970-01-01T00:00:00Z")"#), (-1, #"0("1969-12-31T23:59:59Z")"#),
      (0.5, #"0("1970-01-01T00:00:00.500Z")"#), (951_782_400, #"0("2000-02-29T00:00:00Z")"#),
      (-62_167_219_200, #"0("0000-01-01T00:00:00Z")"#), (-62_167_219_201, "1(-62167219201)"),
      (-62_198_755_200, "1(-62198755200)"), (253_402_300_799, #"0("9999-12-31T23:59:59Z")"#),
      (253_402_300_799.25, #"0("9999-12-31T23:59:59.250Z")"#), (253_402_300_800, "1(253402300800)"),
      (1_363_896_240.123, #"0("2013-03-21T20:04:00.123Z")"#), (-0.25, #"0("1969-12-31T23:59:59.750Z")"#),
    ] as [(TimeInterval, String)])
  func dateTextHasTheFormatOfRFC3339(seconds: TimeInterval, notation: String) throws {
    var encoder = CBOREncoder()
    encoder.dateEncodingStrategy = .iso8601
    let bytes = try encoder.encode(Date(timeIntervalSince1970: seconds))
    #expect(try CBORDiagnosticNotation().text(of: bytes) == notation)
    #expect(try CBORDecoder().decode(Date.self, from: bytes).timeIntervalSince1970 == seconds)
  }

  @Test(
    arguments: [
      ("2013-03-21T20:04:00+01:00", 1_363_892_640), ("2013-03-21t20:04:00z", 1_363_896_240),
      ("1970-01-01T00:00:00.0000000000001-00:00", 1e-13), ("1969-12-31T19:30:00-04:30", 0),
      ("1990-12-31T23:59:60Z", 662_688_000), ("2000-02-29T12:00:00.5Z", 951_825_600.5),
    ] as [(String, TimeInterval)])
  func dateTextDecodesWithAnyOffsetAndFraction(text: String, seconds: TimeInterval) throws {
    let date = try CBORDecoder().decode(Date.self, from: Data([0xC0]) + CBOREncoder().encode(text))
    #expect(date == Date(timeIntervalSince1970: seconds))
  }

  @Test(arguments: [
    "", "2013", "2013-03-21", "2013-03-21 20:04:00Z", "2013-13-21T20:04:00Z", "2013-02-29T20:04:00Z",
    "2013-03-00T20:04:00Z", "2013-03-21T24:04:00Z", "2013-03-21T20:60:00Z", "2013-03-21T20:04:61Z",
    "2013-03-21T20:04:00", "2013-03-21T20:04:00.Z", "2013-03-21T20:04:00+25:00", "2013-03-21T20:04:00Zz",
    "12013-03-21T20:04:00Z", "-001-03-21T20:04:00Z", "2013-03-21T20:04:00\u{2212}01:00", "\u{661}013-03-21T20:04:00Z",
  ])
  func refusesTextThatIsNotADate(text: String) throws {
    let data = try Data([0xC0]) + CBOREncoder().encode(text)
    let error = try decodingError(Date.self, data)
    #expect(error.kind == "dataCorrupted" && error.byte == 0)
    #expect(try decodingError([String: Date].self, Data([0xA1, 0x61, 0x61]) + data).path == "a")
  }

  @Test func epochDatesDecodeFromAnyNumber() throws {
    #expect(try decode(Date.self, "c1f93800").timeIntervalSince1970 == 0.5)
    #expect(try decode(Date.self, "c120").timeIntervalSince1970 == -1)
    #expect(try decodingError(Date.self, "c16130").kind == "typeMismatch")
    #expect(try decodingError(Date.self, "c001").kind == "typeMismatch")
    #expect(try decodingError(Date.self, "c1f6").kind == "valueNotFound")
    #expect(try decodingError(Date.self, "01").kind == "typeMismatch")
  }

  @Test(arguments: ["f97e00", "f97c00", "f9fc00", "fa7f800000", "fb7ff8000000000001"])
  func refusesToDecodeDatesThatAreNotFinite(seconds: String) throws {
    var untagged = CBORDecoder()
    untagged.dateDecodingStrategy = .deferredToDate
    for (hex, decoder) in [("c1" + seconds, CBORDecoder()), ("c1" + seconds, untagged), (seconds, untagged)] {
      let error = try decodingError([String: [Date]].self, "a1 6161 81 \(hex)", decoder)
      #expect(error.kind == "dataCorrupted" && error.path == "a.Index 0" && error.byte == 4)
    }
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func refusesToEncodeDatesThatAreNotFinite(seconds: Double) throws {
    var encoder = CBOREncoder()
    for strategy in [CBOREncoder.DateEncodingStrategy.secondsSince1970, .iso8601, .deferredToDate] {
      encoder.dateEncodingStrategy = strategy
      let error = #expect(throws: EncodingError.self) {
        try encoder.encode(["a": [Date(timeIntervalSinceReferenceDate: seconds)]])
      }
      guard case .invalidValue(_, let context)? = error else { return }
      #expect(context.codingPath.map(\.stringValue) == ["a", "Index 0"])
      #expect(context.debugDescription.contains("\(seconds)"))
    }
  }

  @Test func dataIsAByteStringOfAnyLength() throws {
    for count in [0, 1, 13, 14, 15, 16, 23, 24, 255, 256, 65_535, 65_536, 100_000] {
      let data = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) })
      #expect(try roundTrip(data) == data)
      #expect(try roundTrip([data, data]) == [data, data])
    }
    #expect(try encodedHex(Data([1, 2, 3]).dropFirst()) == "420203")
    #expect(try decode(Data.self, "5f 40 4101 42 0203 ff") == Data([1, 2, 3]))
    #expect(try decodingError(Data.self, "6161").kind == "typeMismatch")
    #expect(try decodingError(Data.self, "8101").kind == "typeMismatch")
    // Decoded data must not change when its source changes.
    var source = Data([0x42, 7, 8])
    let read = try CBORDecoder().decode(Data.self, from: source)
    source[1] = 0
    #expect(read == Data([7, 8]))
    #expect(try CBORDecoder().decode(Data.self, from: source.dropFirst(0)[0...]) == Data([0, 8]))
    #expect(try CBORDecoder().decode(Int.self, from: Data([1, 2, 3]).dropFirst(2)) == 3)
  }

  @Test func urlsAreTextWithOrWithoutTag32() throws {
    for text in ["http://www.example.com", "file:///a%20b", "mailto:a@b.c", "relative/path?q=1#f", "data:,x"] {
      let url = try #require(URL(string: text))
      #expect(try roundTrip(url) == url)
      #expect(try CBORDecoder().decode(URL.self, from: CBOREncoder().encode(text)) == url)
    }
    let base = try #require(URL(string: "b", relativeTo: URL(string: "http://a/")))
    #expect(try roundTrip(base).absoluteString == "http://a/b")
    #expect(try decodingError(URL.self, "d82060").kind == "dataCorrupted")
    #expect(try decodingError(URL.self, "d82001").kind == "typeMismatch")
  }

  @Test func uuidsAreBytesWithTag37OrText() throws {
    let uuid = try #require(UUID(uuidString: "01234567-89AB-CDEF-0123-456789ABCDEF"))
    #expect(try encodedHex(uuid) == "d825500123456789abcdef0123456789abcdef")
    #expect(try roundTrip([uuid]) == [uuid])
    #expect(try CBORDecoder().decode(UUID.self, from: CBOREncoder().encode(uuid.uuidString.lowercased())) == uuid)
    #expect(try decode(UUID.self, "5f480123456789abcdef480123456789abcdefff") == uuid)
    #expect(try decodingError(UUID.self, "d8254101").kind == "dataCorrupted")
    #expect(try decodingError(UUID.self, "6161").kind == "dataCorrupted")
    #expect(try decodingError(UUID.self, "01").kind == "typeMismatch")
  }

  @Test(arguments: [
    "0", "1", "-1", "0.1", "-0.001", "3.14159265358979323846264338327950288", "100", "1e127", "1e-128", "-1e-127",
    "340282366920938463463374607431768211455", "-340282366920938463463374607431768211455",
    "3402823669209384634633746074317682114.55", "340282366920938463463374607431768211455e127",
  ])
  func decimalsRoundTripAtTheirLimits(text: String) throws {
    let decimal = try #require(Decimal(string: text))
    #expect(try roundTrip(decimal) == decimal)
    #expect(try roundTrip(["a": [decimal]]) == ["a": [decimal]])
  }

  @Test func decimalsAreDecimalFractionsAndDecodeFromAnyNumber() throws {
    #expect(try encodedHex(Decimal(string: "273.15")) == "c48221196ab3")
    #expect(try decode(Decimal.self, "c48221196ab3") == Decimal(string: "273.15"))
    #expect(try decode(Decimal.self, "07") == 7)
    #expect(try decode(Decimal.self, "3bffffffffffffffff") == Decimal(string: "-18446744073709551616"))
    #expect(try decode(Decimal.self, "fb3ff199999999999a") == Decimal(string: "1.1"))
    #expect(try decode(Decimal.self, "c249010000000000000000") == Decimal(string: "18446744073709551616"))
    #expect(try roundTrip(Decimal.greatestFiniteMagnitude) == .greatestFiniteMagnitude)
    #expect(try roundTrip(Decimal.leastNonzeroMagnitude) == .leastNonzeroMagnitude)
    #expect(try roundTrip(Decimal.nan).isNaN)
  }

  @Test(arguments: [
    "c4821880 01", "c482388001", "c48101", "c4830101 01", "c401", "c482f93c0001", "c48201 f93c00", "c4a10101",
    "f97c00", "f9fc00", "fb7e37e43c8800759c", "f6", "6131", "c482187f c25100ffffffffffffffffffffffffffffffffff",
    "c4821b7fffffffffffffff01", "c4823b7fffffffffffffff01", "c49f0101",
  ])
  func refusesNumbersBeyondTheRangeOfDecimal(hex: String) throws {
    _ = try decodingError(Decimal.self, hex)
    _ = try decodingError([Decimal?].self, "82 \(hex) 01".replacingOccurrences(of: "f6", with: "ff"))
  }
}
