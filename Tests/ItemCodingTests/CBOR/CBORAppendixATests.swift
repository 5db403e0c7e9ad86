// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemCoding
import TestSupport
import Testing

/// The examples of RFC 8949, appendices A and F.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct CBORAppendixATests {
  /// Checks that each example decodes as its value, and that the value encodes as the example.
  private func expectBothWays<Value: Codable & Equatable>(
    _ examples: KeyValuePairs<String, Value>, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try expectDecoding(examples, sourceLocation: sourceLocation)
    for (hex, value) in examples {
      try expectEncoding(value, hex, deterministicEncoder, sourceLocation: sourceLocation)
    }
  }

  private static let oneToFive = AnyValue.array([
    .integer(1), .array([.integer(2), .integer(3)]), .array([.integer(4), .integer(5)]),
  ])
  private static let textAndMap = AnyValue.array([.text("a"), .map(["b": .text("c")])])

  @Test func numbersCorrespondToTheirExamples() throws {
    try expectBothWays([
      "00": 0, "01": 1, "0a": 10, "17": 23, "1818": 24, "1819": 25, "1864": 100, "1903e8": 1000,
      "1a000f4240": 1_000_000, "1b000000e8d4a51000": 1_000_000_000_000, "20": -1, "29": -10, "3863": -100,
      "3903e7": -1000,
    ])
    let smallest = -Int128(UInt64.max) - 1
    try expectBothWays([
      "1bffffffffffffffff": Int128(UInt64.max), "c249010000000000000000": Int128(UInt64.max) + 1,
      "3bffffffffffffffff": smallest, "c349010000000000000000": smallest - 1,
    ])
    try expectBothWays(["1bffffffffffffffff": UInt64.max])
    try expectBothWays(["c249010000000000000000": UInt128(UInt64.max) + 1])
    try expectBothWays([
      "f90000": 0.0, "f93c00": 1.0, "fb3ff199999999999a": 1.1, "f93e00": 1.5, "f97bff": 65504.0,
      "fa47c35000": 100_000.0, "fa7f7fffff": 3.4028234663852886e+38, "fb7e37e43c8800759c": 1.0e+300,
      "f90001": 5.960464477539063e-8, "f90400": 0.00006103515625, "f9c400": -4.0, "fbc010666666666666": -4.1,
      "f97c00": .infinity, "f9fc00": -.infinity,
    ])
    try expectBothWays(["fa7f7fffff": Float.greatestFiniteMagnitude, "f9c400": -4, "f97c00": .infinity])
    try expectEncoding(-Double.zero, "f98000")
    #expect(try decode(Double.self, "f98000").sign == .minus)
    try expectEncoding(Double.nan, "f97e00")
    try expectEncoding(Float.nan, "f97e00")
    for hex in ["f97e00", "fa7fc00000", "fb7ff8000000000000"] {
      #expect(try decode(Double.self, hex).isNaN && decode(Float.self, hex).isNaN)
    }
    try expectDecoding([
      "fa7f800000": Double.infinity, "faff800000": -.infinity, "fb7ff0000000000000": .infinity, "00": 0, "20": -1,
    ])
    try expectDecoding(["fbfff0000000000000": -Float.infinity, "1903e8": 1000])
  }

  @Test func otherValuesCorrespondToTheirExamples() throws {
    try expectBothWays(["f4": false, "f5": true])
    try expectBothWays(["f6": Int?.none])
    try expectBothWays(["f6": [String: Int]?.none])
    try expectDecoding(["f7": Int?.none])
    let date = Date(timeIntervalSince1970: 1_363_896_240)
    try expectBothWays(["c11a514b67b0": date, "c1fb41d452d9ec200000": date + 0.5])
    try expectDecoding(["c074323031332d30332d32315432303a30343a30305a": date])
    try expectBothWays(["d82076687474703a2f2f7777772e6578616d706c652e636f6d": URL(string: "http://www.example.com")])
    try expectBothWays(["40": Data(), "4401020304": Data(1...4)])
    try expectDecoding([
      "d74401020304": Data(1...4), "d818456449455446": Data("dIETF".utf8), "5f42010243030405ff": Data(1...5),
    ])
    try expectBothWays([
      "60": "", "6161": "a", "6449455446": "IETF", "62225c": "\"\\", "62c3bc": "\u{FC}", "63e6b0b4": "\u{6C34}",
      "64f0908591": "\u{10151}",
    ])
    try expectDecoding(["7f657374726561646d696e67ff": "streaming"])
    try expectBothWays([
      "80": [], "83010203": [1, 2, 3], "98190102030405060708090a0b0c0d0e0f101112131415161718181819": Array(1...25),
    ])
    try expectDecoding(["9fff": [], "9f0102030405060708090a0b0c0d0e0f101112131415161718181819ff": Array(1...25)])
    try expectBothWays(["80": [String]()])
    try expectDecoding(["9fff": [Bool]()])
    try expectBothWays(["8301820203820405": Self.oneToFive, "826161a161626163": Self.textAndMap])
    try expectDecoding([
      "9f018202039f0405ffff": Self.oneToFive, "9f01820203820405ff": Self.oneToFive,
      "83018202039f0405ff": Self.oneToFive, "83019f0203ff820405": Self.oneToFive,
      "826161bf61626163ff": Self.textAndMap,
    ])
    try expectBothWays(["a0": [String: Int]()])
    try expectBothWays(["a0": [:], "a201020304": [1: 2, 3: 4]])
    try expectBothWays([
      "a56161614161626142616361436164614461656145": ["a": "A", "b": "B", "c": "C", "d": "D", "e": "E"]
    ])
    try expectBothWays(["a26161016162820203": Pair(a: 1, b: [2, 3])])
    try expectDecoding(["bf61610161629f0203ffff": Pair(a: 1, b: [2, 3])])
    try expectDecoding(["bf6346756ef563416d7421ff": Fun()])
  }

  @Test func skipsExamplesAloneUnderUnknownKeysAndInArrays() throws {
    for (hex, _) in RFC8949Examples.wellFormed {
      _ = try decode(Skipped.self, hex)
      #expect(try decode(Known.self, Known.after(hex)).known == 7)
      #expect(try decode([Skipped].self, "82 \(hex) \(hex)").count == 2)
    }
  }

  @Test func skipsUnassignedSimpleValuesAndDecodesThemAsNoOtherType() throws {
    for type in [Int.self, Bool.self, Double.self, Int?.self] as [any Decodable.Type] {
      try expectError(type, "f0", "f8ff", kind: "typeMismatch")
    }
  }

  @Test func refusesToDecodeOrSkipMalformedItems() throws {
    for hex in RFC8949Examples.notWellFormed {
      for type in [
        Int.self, Double.self, String?.self, Data.self, [Int].self, [Int: Skipped].self, Decimal.self, Date.self,
      ] as [any Decodable.Type] {
        try expectError(type, hex)
      }
      try expectError(Skipped.self, hex, kind: "dataCorrupted")
      try expectError(CBORValue.self, hex, kind: "dataCorrupted")
      try expectError([Skipped].self, hex, "81 \(hex)")
      try expectError([CBORValue].self, "81 \(hex)", kind: "dataCorrupted")
      try expectError(Known.self, Known.after(hex))
    }
  }

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
}
