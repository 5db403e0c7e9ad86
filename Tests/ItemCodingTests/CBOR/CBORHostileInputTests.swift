// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemCoding
import TestSupport
import Testing

/// Malicious input, and the limits of the coders.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct CBORHostileInputTests {
  final class Chain: Decodable {
    let a: Chain?
  }

  /// The bytes that begin and end a level of nesting.
  static let levels: [(open: String, close: String)] = [
    ("81", ""), ("9f", "ff"), ("a16161", ""), ("bf6161", "ff"), ("a100", ""), ("c1", ""), ("d9d9f7", ""), ("8200", ""),
    ("9f00", "ff"), ("a1", "00"), ("c2", ""), ("c4", ""), ("d820", ""), ("81c1", ""), ("9f81", "ff"),
  ]

  private static func nested(_ level: (open: String, close: String), _ depth: Int, closed: Bool) -> Data {
    let (open, close) = (Data(hex: level.open), Data(hex: level.close))
    let data = Data(repeatElement(open, count: depth).joined()) + [0]
    return closed ? data + Data(repeatElement(close, count: depth).joined()) : data
  }

  @Test(arguments: levels)
  func deeplyNestedItemsDoNotExhaustTheStack(level: (open: String, close: String)) {
    var decoder = CBORDecoder()
    decoder.limits.visitsPerByte = 4
    for closed in [false, true] {
      let length = level.open.utf8.count / 2
      let data = Self.nested(level, (closed ? 10_000 : 100_000) / length, closed: closed)
      for type in [
        Int.self, Int?.self, String.self, Date.self, Decimal.self, Data.self, Chain.self, [[[Int]]].self, Skipped.self,
      ] as [any Decodable.Type] {
        expectValueOrDecodingError(type, data)
      }
      // Each level skips the levels within it again.
      let shorter = Self.nested(level, 2000, closed: closed)
      expectValueOrDecodingError(Tree.self, shorter, decoder)
      expectValueOrDecodingError([String: Tree].self, shorter, decoder)
      expectValueOrDecodingError([Skipped].self, Data([0x81]) + data)
      expectValueOrDecodingError(Known.self, Data(hex: "a26178") + data + Data(hex: "656b6e6f776e07"))
      #expect(throws: DecodingError.self) { try CBORDecoder().decode(List.self, from: data) }
    }
  }

  @Test func skipsDeepItemsOfDefiniteLength() throws {
    for level in [Self.levels[0], Self.levels[2], Self.levels[5]] {
      let data = Data(hex: "a26178") + Self.nested(level, 20_000, closed: true) + Data(hex: "656b6e6f776e07")
      #expect(try CBORDecoder().decode(Known.self, from: data).known == 7)
    }
  }

  @Test(arguments: levels.prefix(4))
  func decodesTheMaximumDepthOnASmallStack(level: (open: String, close: String)) async throws {
    let data = Self.nested(level, CBORLimits().depth, closed: true)
    #expect(await onSmallStack(4 << 20) { (try? CBORDecoder().decode(Tree.self, from: data)) != nil })
  }

  // MARK: Lengths and other arguments

  @Test func refusesLengthsThatExceedTheInput() throws {
    for major: UInt8 in [0x40, 0x60, 0x80, 0xA0] {
      for length: UInt64 in [1 << 63, .max, .max - 8, 1 << 62, 1 << 32, 1 << 31, 100_000] {
        let header = Data([major | 27]) + withUnsafeBytes(of: length.bigEndian) { Data($0) }
        var decoder = lenientDecoder
        for limits in [CBORLimits(), .unlimited] {
          decoder.limits = limits
          for hex in [header.hex, header.hex + String(repeating: "00", count: 9)] {
            for type in [
              Data.self, String.self, [Int].self, [Int128].self, [String].self, [Tree].self, [String: Int].self,
              [Int: Tree].self, Known.self,
            ] as [any Decodable.Type] {
              try expectError(type, hex, decoder: decoder)
            }
            try expectError(Int.self, "c2" + hex, decoder: decoder)
            try expectError(Decimal.self, "c4" + hex, decoder: decoder)
            try expectError(Skipped.self, hex, byte: 0, decoder: decoder)
            try expectError([Skipped].self, "81" + hex, byte: 1, decoder: decoder)
            if major < 0x80 { try expectError(Skipped.self, Data([major | 31]).hex + hex, byte: 1, decoder: decoder) }
          }
        }
      }
    }
  }

  @Test func refusesLongArgumentsUnlessTheyAreAccepted() throws {
    for hex in ["1817", "190017", "1a00000017", "1b0000000000000017", "d80017", "c25800", "c2590001ff"] {
      try expectError(Int.self, hex, kind: "dataCorrupted")
      try expectError(Skipped.self, hex, kind: "dataCorrupted")
      _ = try decode(Int.self, hex, lenientDecoder)
      _ = try decode(Skipped.self, hex, lenientDecoder)
    }
    for hex in ["780161", "79000161", "7a0000000161", "7b000000000000000161", "7f780161ff"] {
      try expectError(String.self, hex, kind: "dataCorrupted")
      try expectDecoding([hex: "a"], lenientDecoder)
    }
    try expectError([Int].self, "980101", byte: 0)
    try expectDecoding(["9b000000000000000207190008": [7, 8]], lenientDecoder)
    try expectDecoding(["b90001 7a0000000161 1807": ["a": 7]], lenientDecoder)
    try expectDecoding(["b801 79 0005 6b6e6f776e 1b0000000000000007": Known(known: 7)], lenientDecoder)
    // Floating-point numbers may have any width.
    try expectDecoding(["83f93c00fa3f800000fb3ff0000000000000": [1.0, 1, 1]])
  }

  @Test func refusesReservedInitialBytes() throws {
    for byte in UInt8.min...UInt8.max where (28...30).contains(byte & 31) {
      for hex in [Data([byte]).hex, Data([byte, 0, 0, 0, 0, 0, 0, 0, 0]).hex] {
        try expectError(Int.self, hex, byte: 0)
        try expectError([Int].self, "81" + hex, byte: 1)
        try expectError([String: Int].self, "a1\(hex)00", byte: 1)
        try expectError(Known.self, "a1\(hex)00", kind: "dataCorrupted")
        try expectError(Skipped.self, hex, byte: 0)
        try expectError(Int?.self, "c1" + hex, byte: 1)
      }
    }
  }

  @Test func refusesTrailingBytesWithTheirOffsetAndNumber() throws {
    try expectError(Int.self, "0100", byte: 1)
    try expectError([Int].self, "8101 ff", byte: 2)
    let two = try decodingError([String: Int].self, "bf616101ff 00 00")
    #expect(two.byte == 5 && two.text.contains("2 bytes"))
    try expectError(Skipped.self, "a0a0", byte: 1)
    try expectError(Int.self, "", byte: 0)
    try expectError(Int?.self, "", kind: "dataCorrupted")
  }

  // MARK: Limits

  private struct Beside: Encodable {
    var depth: Int

    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      if depth > 1 { try Beside(depth: depth - 1).encode(to: container.superEncoder()) }
    }
  }

  @Test(arguments: [1, 2, 10, 512])
  func refusesValuesOneLevelDeeperThanTheLimit(limit: Int) throws {
    var decoder = CBORDecoder()
    var encoder = CBOREncoder()
    // The last limit is the default.
    if limit != 512 { (decoder.limits.depth, encoder.limits.depth) = (limit, limit) }
    let nested = String(repeating: "81", count: limit - 1) + "80"
    try expectDecoding([nested: List(depth: limit)], decoder)
    let error = try decodingError(List.self, "81" + nested, decoder)
    #expect(error.kind == "dataCorrupted" && error.byte == limit && error.context?.codingPath.count == limit)
    #expect(error.text.contains("more than \(limit) nested maps and arrays"))
    expectErrors(
      EncodingError.self, { _ = try encoder.encode(List(depth: limit + 1)) },
      { _ = try encoder.encode(Beside(depth: limit + 1)) })
    try expectEncoding(List(depth: limit), nested, encoder)
    try expectEncoding(Beside(depth: limit), nested, encoder)
  }

  @Test func refusesItemsOneElementLongerThanTheLimit() throws {
    var decoder = CBORDecoder()
    decoder.limits.length = 3
    try expectDecoding(["63616263": "abc", "7f6261626163ff": "abc"], decoder)
    try expectDecoding(["43010203": Data([1, 2, 3])], decoder)
    try expectDecoding(["83010203": [1, 2, 3], "9f010203ff": [1, 2, 3]], decoder)
    try expectDecoding(["a3 6161 01 6162 02 6163 03": ["a": 1, "b": 2, "c": 3]], decoder)
    let kind = "dataCorrupted"
    try expectError(String.self, "6461626364", "7f626162626364ff", kind: kind, decoder: decoder)
    try expectError([String: Int].self, "a1 6461626364 01", "a1 7f626162626364ff 01", kind: kind, decoder: decoder)
    try expectError(Data.self, "4401020304", "5f42010242 0304ff", kind: kind, decoder: decoder)
    for type in [[Int].self, [Int?].self, [Skipped].self] as [any Decodable.Type] {
      try expectError(type, "8401020304", "9f01020304ff", kind: kind, decoder: decoder)
    }
    try expectError(
      [String: Int].self, "a4 6161 01 6162 02 6163 03 6164 04", "bf 6161 01 6162 02 6163 03 6164 04 ff", kind: kind,
      decoder: decoder)
  }
}

/// A document with a value of each kind, truncated and changed at every byte.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct CBORMutationTests {
  struct Card: Codable, Equatable {
    enum Kind: Codable, Equatable {
      case plain
      case boxed(Int, String)
    }

    var id = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    var name = "h\u{E9}ll\u{F6} \u{1F9B8} and some more text"
    var numbers = [0, 23, 24, 255, 256, 65_536, -1, -500, .max, .min]
    var wide: UInt128 = .max
    var small: [Int8] = [1, -1]
    var doubles = [0.5, 0.1, 1e300, .infinity]
    var float: Float = 3.25
    var created = Date(timeIntervalSince1970: 1_363_896_240.5)
    var edited: Date? = Date(timeIntervalSince1970: 1_363_896_240)
    var price = Decimal(string: "273.15")
    var link = URL(string: "http://www.example.com")
    var data = Data(0..<30)
    var kinds: [Kind] = [.plain, .boxed(7, "x")]
    var byName = ["a": [1], "bb": [2, 3]]
    var byNumber: [Int: String?] = [1: "one", -70_000: nil]
    var isDone = true
    var missing: Int?
    var inner: [Card]?
  }

  /// A card, and a document with indefinite lengths and long arguments.
  private let documents: [Data]

  init() throws {
    var encoder = deterministicEncoder
    encoder.dateEncodingStrategy = .iso8601
    let loose = Data(
      hex: """
        bf 7f 6161 6162 ff 9f 01 1b0000000000000002 9f ff ff 6163 5f 4101 420203 ff 6164 c1 fb41d452d9ec200000 \
        6165 bf 01 f6 20 f7 ff 6166 c482 21 196ab3 6167 d9d9f7 d82061 61 ff
        """)
    documents = [try encoder.encode(Card(inner: [])), loose]
  }

  private func expectSound(_ data: Data, _ decoder: CBORDecoder) {
    expectValueOrDecodingError(Card.self, data, decoder)
    expectValueOrDecodingError(Tree.self, data, decoder)
    expectValueOrDecodingError(Skipped.self, data, decoder)
  }

  @Test func documentsRoundTripAndTruncatedOnesAreDecodingErrors() throws {
    #expect(try CBORDecoder().decode(Card.self, from: documents[0]) == Card(inner: []))
    _ = try lenientDecoder.decode(Skipped.self, from: documents[1])
    for document in documents {
      for count in 0..<document.count {
        let data = document.prefix(count)
        for type in [Card.self, Tree.self, Skipped.self, [String: Skipped].self] as [any Decodable.Type] {
          try expectError(type, data, decoder: lenientDecoder)
        }
      }
    }
  }

  @Test func changedDocumentsGiveAValueOrADecodingError() {
    for document in documents {
      for index in sampled(0..<document.count, 120, "changed documents") {
        for bit in 0..<8 {
          var changed = document
          changed[index] ^= 1 << bit
          expectSound(changed, lenientDecoder)
        }
        var shorter = document
        shorter.remove(at: index)
        expectSound(shorter, CBORDecoder())
        for byte: UInt8 in [0x00, 0x9F, 0xFF] {
          var longer = document
          longer.insert(byte, at: index)
          expectSound(longer, CBORDecoder())
        }
      }
    }
  }
}
