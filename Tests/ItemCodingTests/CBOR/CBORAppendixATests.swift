// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemCoding
import TestSupport
import Testing

/// The examples of RFC 8949, appendices A and F, as values.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct CBORAppendixATests {
  /// An example: its bytes, and closures that decode and encode it.
  struct Example: Sendable, CustomTestStringConvertible {
    let hex: String
    let read: @Sendable (Data) throws -> Bool
    let written: @Sendable () throws -> Data

    /// Creates an example of a value with the bytes `hex`.
    init<Value: Codable & Equatable & Sendable>(_ hex: String, _ value: Value) {
      self.init(hex, value) { $0 == $1 }
    }

    init<Value: Codable & Sendable>(
      _ hex: String, _ value: Value, areEqual: @escaping @Sendable (Value, Value) -> Bool
    ) {
      self.hex = hex
      read = { areEqual(try CBORDecoder().decode(Value.self, from: $0), value) }
      written = { try deterministicEncoder.encode(value) }
    }

    static func nan<Value: Codable & BinaryFloatingPoint & Sendable>(_ hex: String, _ value: Value) -> Example {
      Example(hex, value) { one, other in one.isNaN && other.isNaN }
    }

    var testDescription: String { hex }
  }

  private static let smallest = -Int128(UInt64.max) - 1

  /// Examples whose values encode to the same bytes.
  static let bothWays: [Example] = [
    Example("00", 0), Example("01", 1), Example("0a", 10), Example("17", 23), Example("1818", 24),
    Example("1819", 25), Example("1864", 100), Example("1903e8", 1000), Example("1a000f4240", 1_000_000),
    Example("1b000000e8d4a51000", 1_000_000_000_000), Example("1bffffffffffffffff", UInt64.max),
    Example("1bffffffffffffffff", Int128(UInt64.max)), Example("c249010000000000000000", UInt128(UInt64.max) + 1),
    Example("c249010000000000000000", Int128(UInt64.max) + 1), Example("3bffffffffffffffff", smallest),
    Example("c349010000000000000000", smallest - 1), Example("20", -1), Example("29", -10), Example("3863", -100),
    Example("3903e7", -1000),
    Example("f90000", 0.0), Example("f98000", -Double.zero) { $0 == $1 && $0.sign == .minus }, Example("f93c00", 1.0),
    Example("fb3ff199999999999a", 1.1), Example("f93e00", 1.5), Example("f97bff", 65504.0),
    Example("fa47c35000", 100_000.0), Example("fa7f7fffff", 3.4028234663852886e+38),
    Example("fa7f7fffff", Float.greatestFiniteMagnitude), Example("fb7e37e43c8800759c", 1.0e+300),
    Example("f90001", 5.960464477539063e-8), Example("f90400", 0.00006103515625), Example("f9c400", -4.0),
    Example("f9c400", Float(-4)), Example("fbc010666666666666", -4.1), Example("f97c00", Double.infinity),
    Example("f97c00", Float.infinity), .nan("f97e00", Double.nan), .nan("f97e00", Float.nan),
    Example("f9fc00", -Double.infinity),
    Example("f4", false), Example("f5", true), Example("f6", Int?.none), Example("f6", [String: Int]?.none),
    Example("c11a514b67b0", Date(timeIntervalSince1970: 1_363_896_240)),
    Example("c1fb41d452d9ec200000", Date(timeIntervalSince1970: 1_363_896_240.5)),
    Example("d82076687474703a2f2f7777772e6578616d706c652e636f6d", URL(string: "http://www.example.com")),
    Example("40", Data()), Example("4401020304", Data([1, 2, 3, 4])),
    Example("60", ""), Example("6161", "a"), Example("6449455446", "IETF"), Example("62225c", "\"\\"),
    Example("62c3bc", "\u{FC}"), Example("63e6b0b4", "\u{6C34}"), Example("64f0908591", "\u{10151}"),
    Example("80", [Int]()), Example("83010203", [1, 2, 3]), Example("80", [String]()),
    Example("98190102030405060708090a0b0c0d0e0f101112131415161718181819", Array(1...25)),
    Example("a0", [String: Int]()), Example("a0", [Int: Int]()), Example("a201020304", [1: 2, 3: 4]),
    Example("a26161016162820203", Pair(a: 1, b: [2, 3])), Example("8301820203820405", Nested()),
    Example("826161a161626163", TextAndMap()),
    Example("a56161614161626142616361436164614461656145", ["a": "A", "b": "B", "c": "C", "d": "D", "e": "E"]),
  ]

  /// Examples whose values encode to fewer bytes.
  static let readOnly: [Example] = [
    Example("fa7f800000", Double.infinity), .nan("fa7fc00000", Double.nan), Example("faff800000", -Double.infinity),
    Example("fb7ff0000000000000", Double.infinity), .nan("fb7ff8000000000000", Double.nan),
    Example("fbfff0000000000000", -Float.infinity), .nan("fb7ff8000000000000", Float.nan),
    Example("f7", Int?.none),
    Example("c074323031332d30332d32315432303a30343a30305a", Date(timeIntervalSince1970: 1_363_896_240)),
    Example("d74401020304", Data([1, 2, 3, 4])), Example("d818456449455446", Data("dIETF".utf8)),
    Example("5f42010243030405ff", Data(1...5)), Example("7f657374726561646d696e67ff", "streaming"),
    Example("9fff", [Int]()), Example("9fff", [Bool]()), Example("9f018202039f0405ffff", Nested()),
    Example("9f01820203820405ff", Nested()), Example("83018202039f0405ff", Nested()),
    Example("83019f0203ff820405", Nested()),
    Example("9f0102030405060708090a0b0c0d0e0f101112131415161718181819ff", Array(1...25)),
    Example("bf61610161629f0203ffff", Pair(a: 1, b: [2, 3])), Example("826161bf61626163ff", TextAndMap()),
    Example("bf6346756ef563416d7421ff", Fun()), Example("00", 0.0), Example("20", -1.0), Example("1903e8", Float(1000)),
  ]

  @Test(arguments: bothWays + readOnly)
  func examplesDecodeAsTheirValues(example: Example) throws {
    #expect(try example.read(Data(hex: example.hex)))
  }

  @Test(arguments: bothWays)
  func valuesEncodeAsInTheExamples(example: Example) throws {
    #expect(try example.written() == Data(hex: example.hex))
  }

  @Test func skipsExamplesAloneUnderUnknownKeysAndInArrays() throws {
    for (hex, _) in RFC8949Examples.wellFormed {
      _ = try decode(Skipped.self, hex)
      #expect(try decode(Known.self, "a2 6178 \(hex) 656b6e6f776e 07").known == 7)
      #expect(try decode([Skipped].self, "82 \(hex) \(hex)").count == 2)
    }
  }

  @Test(arguments: ["f0", "f8ff"])
  func skipsUnassignedSimpleValuesAndDecodesThemAsNoOtherType(hex: String) throws {
    #expect(try decodingError(Int.self, hex).kind == "typeMismatch")
    #expect(try decodingError(Bool.self, hex).kind == "typeMismatch")
    #expect(try decodingError(Double.self, hex).kind == "typeMismatch")
    #expect(try decodingError(Int?.self, hex).kind == "typeMismatch")
    #expect(try decode(Known.self, "a2 6178 \(hex) 656b6e6f776e 07").known == 7)
  }

  @Test(arguments: RFC8949Examples.notWellFormed.map(\.hexes))
  func refusesToDecodeOrSkipMalformedItems(hexes: [String]) throws {
    for hex in hexes {
      let data = Data(hex: hex)
      _ = try decodingError(Int.self, data)
      _ = try decodingError(Double.self, data)
      _ = try decodingError(String?.self, data)
      _ = try decodingError(Data.self, data)
      _ = try decodingError([Int].self, data)
      _ = try decodingError([Skipped].self, data)
      _ = try decodingError([Int: Skipped].self, data)
      _ = try decodingError(Decimal.self, data)
      _ = try decodingError(Date.self, data)
      #expect(try decodingError(Skipped.self, data).kind == "dataCorrupted")
      _ = try decodingError(Known.self, "a2 6178 \(hex) 656b6e6f776e 07")
      _ = try decodingError([Skipped].self, "81 \(hex)")
    }
  }

  // MARK: Types of the examples

  struct Pair: Codable, Equatable {
    var a: Int
    var b: [Int]
  }

  struct Fun: Codable, Equatable {
    private enum CodingKeys: String, CodingKey {
      case fun = "Fun"
      case amount = "Amt"
    }

    var fun = true
    var amount = -2
  }

  struct Known: Codable, Equatable {
    var known: Int
  }

  /// A value that encodes as `[1, [2, 3], [4, 5]]`.
  struct Nested: Codable, Equatable {
    var one = 1
    var first = [2, 3]
    var second = [4, 5]

    init() {}

    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      one = try container.decode(Int.self)
      first = try container.decode([Int].self)
      var last = try container.nestedUnkeyedContainer()
      second = [try last.decode(Int.self), try last.decode(Int.self)]
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      try container.encode(one)
      try container.encode(first)
      var last = container.nestedUnkeyedContainer()
      for number in second { try last.encode(number) }
    }
  }

  /// A value that encodes as `["a", {"b": "c"}]`.
  struct TextAndMap: Codable, Equatable {
    var text = "a"
    var map = ["b": "c"]

    init() {}

    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      text = try container.decode(String.self)
      map = try container.decode([String: String].self)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      try container.encode(text)
      try container.encode(map)
    }
  }
}
