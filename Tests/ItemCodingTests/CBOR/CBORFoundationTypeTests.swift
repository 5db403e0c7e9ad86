// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemCoding
import TestSupport
import Testing

/// Foundation's types, most of which become tagged items.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct CBORFoundationTypeTests {
  private static let seconds = [
    0, 1, -1, 0.5, -0.5, 0.1, 1e-9, 1_363_896_240, 1_363_896_240.123, 1_767_225_599.999_999, 951_782_400,
    -62_135_596_800, -62_167_219_200, 253_402_300_799, 253_402_300_799.5, 253_402_300_800, -62_167_219_200.5,
    -62_198_755_200, 1e15, -1e15, 0x1p62, 0x1p63, -0x1p63, 1e300,
  ]

  @Test(arguments: [
    (CBOREncoder.DateEncodingStrategy.tagged, CBORDecoder.DateDecodingStrategy.tagged), (.secondsSince1970, .tagged),
    (.iso8601, .tagged), (.deferredToDate, .deferredToDate), (.untaggedSecondsSince1970, .secondsSince1970),
    // The tag of a date takes precedence over the decoder's strategy.
    (.tagged, .deferredToDate), (.iso8601, .secondsSince1970),
  ])
  func datesRoundTrip(
    _ encoding: CBOREncoder.DateEncodingStrategy, _ decoding: CBORDecoder.DateDecodingStrategy
  ) throws {
    var (encoder, decoder) = (CBOREncoder(), CBORDecoder())
    (encoder.dateEncodingStrategy, decoder.dateDecodingStrategy) = (encoding, decoding)
    for date in Self.seconds.map(Date.init(timeIntervalSince1970:)) {
      #expect(try roundTrip([date], encoder, decoder) == [date])
    }
  }

  @Test(arguments: [CBOREncoder.DateEncodingStrategy.deferredToDate, .untaggedSecondsSince1970])
  func refusesDatesWithoutTagUnlessAStrategyAllowsThem(_ strategy: CBOREncoder.DateEncodingStrategy) throws {
    var encoder = CBOREncoder()
    encoder.dateEncodingStrategy = strategy
    try expectError([Date].self, encoder.encode([Date(timeIntervalSince1970: 1)]), kind: "typeMismatch", byte: 1)
  }

  @Test func expirationOfAWebTokenDecodesAsSecondsSince1970() throws {
    var (encoder, decoder) = (CBOREncoder(), CBORDecoder())
    encoder.dateEncodingStrategy = .untaggedSecondsSince1970
    decoder.dateDecodingStrategy = .secondsSince1970
    // Claim 4 of the example in RFC 8392, appendix A.1.
    let claims = [4: Date(timeIntervalSince1970: 1_444_064_944)]
    try expectEncoding(claims, "a1 04 1a5612aeb0", encoder)
    try expectDecoding(["a1 04 1a5612aeb0": claims, "a1 04 c1 1a5612aeb0": claims], decoder)
  }

  @Test(arguments: [CBOREncoder.DateEncodingStrategy.tagged, .iso8601])
  func randomDatesStayTheSame(_ strategy: CBOREncoder.DateEncodingStrategy) throws {
    var encoder = CBOREncoder()
    encoder.dateEncodingStrategy = strategy
    var generator = SeededGenerator.announced("dates")
    // Seconds since 2001: now, 2001, 1970, 1900, the years 0 and 9999, and the far future.
    let middles = [786e6, 0, -978_307_200, -3_187e6, -63_145e6, 252_423e6, 270e9]
    for number in 0..<10_000 {
      let span = [1e-9, 1e-3, 1, 1e6][number / middles.count % 4]
      let seconds = middles[number % middles.count] + .random(in: -span...span, using: &generator)
      let date = Date(timeIntervalSinceReferenceDate: seconds)
      if try roundTrip(date, encoder) != date { Issue.record("\(seconds) as \(try notation(date, encoder))") }
    }
  }

  @Test func defaultFormOfADateIsTheShortestExactOne() throws {
    // Seconds since 2001. The last date is after the year 9999, and its number is rounded.
    let forms: KeyValuePairs<TimeInterval, String> = [
      0: "1(978307200)", -978_307_199.5: "1(0.5)", 0.25: "1(978307200.25)",
      1e-9: #"0("2001-01-01T00:00:00.000000001Z")"#,
      -1e-9: #"0("2000-12-31T23:59:59.999999999Z")"#, 786_000_000 + 0x1p-23: #"0("2025-11-28T05:20:00.0000001Z")"#,
      0x1p38 - 1 / 32_768: "1(275856214144)",
    ]
    for (seconds, form) in forms {
      #expect(try notation(Date(timeIntervalSinceReferenceDate: seconds)) == form)
    }
    try expectRoundTrips(Date(timeIntervalSinceReferenceDate: .leastNonzeroMagnitude))
  }

  @Test func dateTextHasTheFormatOfRFC3339() throws {
    let texts: KeyValuePairs<TimeInterval, String> = [
      0: #"0("1970-01-01T00:00:00Z")"#, -1: #"0("1969-12-31T23:59:59Z")"#, 0.5: #"0("1970-01-01T00:00:00.500Z")"#,
      951_782_400: #"0("2000-02-29T00:00:00Z")"#, -62_167_219_200: #"0("0000-01-01T00:00:00Z")"#,
      -62_167_219_201: "1(-62167219201)", -62_198_755_200: "1(-62198755200)",
      253_402_300_799: #"0("9999-12-31T23:59:59Z")"#, 253_402_300_799.25: #"0("9999-12-31T23:59:59.250Z")"#,
      253_402_300_800: "1(253402300800)", 1_363_896_240.123: #"0("2013-03-21T20:04:00.1229999Z")"#,
      -0.25: #"0("1969-12-31T23:59:59.750Z")"#,
    ]
    var encoder = CBOREncoder()
    encoder.dateEncodingStrategy = .iso8601
    for (seconds, text) in texts {
      let date = Date(timeIntervalSince1970: seconds)
      let copy = try roundTrip(date, encoder)
      #expect(try notation(date, encoder) == text && copy.timeIntervalSince1970 == seconds)
    }
  }

  @Test func dateTextDecodesWithAnyOffsetAndFraction() throws {
    let texts: KeyValuePairs<String, TimeInterval> = [
      "2013-03-21T20:04:00+01:00": 1_363_892_640, "2013-03-21t20:04:00z": 1_363_896_240,
      "1970-01-01T00:00:00.0000000000001-00:00": 1e-13, "1969-12-31T19:30:00-04:30": 0,
      "1990-12-31T23:59:60Z": 662_688_000, "2000-02-29T12:00:00.5Z": 951_825_600.5,
    ]
    for (text, seconds) in texts {
      let date = try CBORDecoder().decode(Date.self, from: Data([0xC0]) + CBOREncoder().encode(text))
      #expect(date == Date(timeIntervalSince1970: seconds), "\(text)")
    }
  }

  @Test func refusesTextThatIsNotADate() throws {
    for text in [
      "", "2013", "2013-03-21", "2013-03-21 20:04:00Z", "2013-13-21T20:04:00Z", "2013-02-29T20:04:00Z",
      "2013-03-00T20:04:00Z", "2013-03-21T24:04:00Z", "2013-03-21T20:60:00Z", "2013-03-21T20:04:61Z",
      "2013-03-21T20:04:00", "2013-03-21T20:04:00.Z", "2013-03-21T20:04:00+25:00", "2013-03-21T20:04:00Zz",
      "12013-03-21T20:04:00Z", "-001-03-21T20:04:00Z", "2013-03-21T20:04:00\u{2212}01:00",
      "\u{661}013-03-21T20:04:00Z",
    ] {
      let data = try Data([0xC0]) + CBOREncoder().encode(text)
      try expectError(Date.self, data, kind: "dataCorrupted", byte: 0)
      try expectError([String: Date].self, Data([0xA1, 0x61, 0x61]) + data, path: "a")
    }
  }

  @Test func epochDatesDecodeFromAnyNumber() throws {
    try expectDecoding(["c1f93800": Date(timeIntervalSince1970: 0.5), "c120": Date(timeIntervalSince1970: -1)])
    try expectError(Date.self, "c16130", "c001", "01", kind: "typeMismatch")
    try expectError(Date.self, "c1f6", kind: "valueNotFound")
  }

  @Test func refusesDatesThatAreNotFinite() throws {
    var untagged = CBORDecoder()
    untagged.dateDecodingStrategy = .deferredToDate
    for seconds in ["f97e00", "f97c00", "f9fc00", "fa7f800000", "fb7ff8000000000001"] {
      for (hex, decoder) in [("c1" + seconds, CBORDecoder()), ("c1" + seconds, untagged), (seconds, untagged)] {
        try expectError(
          [String: [Date]].self, "a1 6161 81 \(hex)", kind: "dataCorrupted", path: "a.Index 0", byte: 4,
          decoder: decoder)
      }
    }
    var encoder = CBOREncoder()
    for seconds in [Double.nan, .infinity, -.infinity] {
      for strategy in [
        CBOREncoder.DateEncodingStrategy.tagged, .secondsSince1970, .untaggedSecondsSince1970, .iso8601,
        .deferredToDate,
      ] {
        encoder.dateEncodingStrategy = strategy
        let context = try encodingErrorContext(["a": [Date(timeIntervalSinceReferenceDate: seconds)]], encoder)
        let path = context.codingPath.map(\.stringValue)
        #expect(path == ["a", "Index 0"] && context.debugDescription.contains("\(seconds)"))
      }
    }
  }

  @Test func byteArraysDecodeFromByteStringsAndFromArraysOfIntegers() throws {
    struct Record: Codable, Equatable {
      var key: [UInt8]
      var salt: [UInt8]?
    }
    try expectEncoding([1, 2] as [UInt8], "820102")
    try expectDecoding([
      "420102": [1, 2] as [UInt8], "5f 4101 40 4102 ff": [1, 2], "820102": [1, 2], "40": [], "80": [],
    ])
    try expectDecoding(["d840 420102": [1, 2] as [UInt8]?, "f6": nil])
    try expectDecoding(["82 4101 8102": [[1], [2]] as [[UInt8]]])
    for hex in ["a2 63 6b6579 4107 64 73616c74 420809", "a2 64 73616c74 420809 63 6b6579 8107"] {
      try expectDecoding([hex: Record(key: [7], salt: [8, 9])])
    }
    // Other collections of bytes, and arrays of other integers, are arrays.
    try expectError(ContiguousArray<UInt8>.self, "4101", kind: "typeMismatch", byte: 0)
    try expectError([Int8].self, "4101", kind: "typeMismatch", byte: 0)
    try expectError([[UInt8]].self, "81 4201", kind: "dataCorrupted", byte: 1)
    try expectError([[UInt8]].self, "81 6101", "81 07", kind: "typeMismatch", path: "Index 0", byte: 1)
    try expectError([[UInt8]].self, "81", "81 18", kind: "dataCorrupted")
    var decoder = CBORDecoder()
    decoder.limits.length = 2
    #expect(try decode([UInt8].self, "420102", decoder) == [1, 2])
    try expectError([UInt8].self, "43010203", kind: "dataCorrupted", byte: 0, decoder: decoder)
  }

  @Test func dataIsAByteStringOfAnyLength() throws {
    for count in [0, 1, 13, 14, 15, 16, 23, 24, 255, 256, 65_535, 65_536, 100_000] {
      let data = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) })
      try expectRoundTrips(data)
      try expectRoundTrips([data, data])
    }
    try expectEncoding(Data([1, 2, 3]).dropFirst(), "420203")
    try expectDecoding(["5f 40 4101 42 0203 ff": Data([1, 2, 3])])
    try expectError(Data.self, "6161", "8101", kind: "typeMismatch")
    // Decoded data must not change when its source changes.
    var source = Data([0x42, 7, 8])
    let read = try CBORDecoder().decode(Data.self, from: source)
    source[1] = 0
    let again = try CBORDecoder().decode(Data.self, from: source.dropFirst(0)[0...])
    #expect([read, again] == [Data([7, 8]), Data([0, 8])])
    #expect(try CBORDecoder().decode(Int.self, from: Data([1, 2, 3]).dropFirst(2)) == 3)
  }

  @Test func urlsAreTextWithOrWithoutTag32() throws {
    for text in ["http://www.example.com", "file:///a%20b", "mailto:a@b.c", "relative/path?q=1#f", "data:,x"] {
      let url = try #require(URL(string: text))
      try expectRoundTrips(url)
      #expect(try CBORDecoder().decode(URL.self, from: CBOREncoder().encode(text)) == url)
    }
    let base = try #require(URL(string: "b", relativeTo: URL(string: "http://a/")))
    #expect(try roundTrip(base).absoluteString == "http://a/b")
    try expectError(URL.self, "d82060", kind: "dataCorrupted")
    try expectError(URL.self, "d82001", kind: "typeMismatch")
  }

  @Test func uuidsAreBytesWithTag37OrText() throws {
    let uuid = try #require(UUID(uuidString: "01234567-89AB-CDEF-0123-456789ABCDEF"))
    try expectEncoding(uuid, "d825500123456789abcdef0123456789abcdef")
    try expectRoundTrips([uuid])
    #expect(try CBORDecoder().decode(UUID.self, from: CBOREncoder().encode(uuid.uuidString.lowercased())) == uuid)
    try expectDecoding(["5f480123456789abcdef480123456789abcdefff": uuid])
    try expectError(UUID.self, "d8254101", "6161", kind: "dataCorrupted")
    try expectError(UUID.self, "01", kind: "typeMismatch")
  }

  @Test func decimalsAreDecimalFractionsAndDecodeFromAnyNumber() throws {
    for text in [
      "0", "1", "-1", "0.1", "-0.001", "3.14159265358979323846264338327950288", "100", "1e127", "1e-128", "-1e-127",
      "340282366920938463463374607431768211455", "-340282366920938463463374607431768211455",
      "3402823669209384634633746074317682114.55", "340282366920938463463374607431768211455e127",
    ] {
      let decimal = try #require(Decimal(string: text))
      try expectRoundTrips(decimal)
      try expectRoundTrips(["a": [decimal]])
    }
    try expectRoundTrips(Decimal.greatestFiniteMagnitude, .leastNonzeroMagnitude)
    #expect(try roundTrip(Decimal.nan).isNaN)
    try expectEncoding(Decimal(string: "273.15"), "c48221196ab3")
    try expectDecoding([
      "c48221196ab3": Decimal(string: "273.15"), "07": 7, "fb3ff199999999999a": Decimal(string: "1.1"),
      "3bffffffffffffffff": Decimal(string: "-18446744073709551616"),
      "c249010000000000000000": Decimal(string: "18446744073709551616"),
    ])
  }

  @Test func refusesNumbersBeyondTheRangeOfDecimal() throws {
    for hex in [
      "c4821880 01", "c482388001", "c48101", "c4830101 01", "c401", "c482f93c0001", "c48201 f93c00", "c4a10101",
      "f97c00", "f9fc00", "fb7e37e43c8800759c", "f6", "6131", "c482187f c25100ffffffffffffffffffffffffffffffffff",
      "c4821b7fffffffffffffff01", "c4823b7fffffffffffffff01", "c49f0101",
    ] {
      try expectError(Decimal.self, hex)
      try expectError([Decimal?].self, "82 \(hex) 01".replacing("f6", with: "ff"))
    }
  }
}
