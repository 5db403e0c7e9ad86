// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemCoding
import TestSupport
import Testing

/// Keys of maps: in any order and number, missing, unknown and of several types.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct CBORKeyTests {
  private static let counts = [0, 1, 15, 16, 17, 23, 24, 255, 256, 65_535, 65_536]

  /// A value that decodes four keys of a map with `count` entries, in another order than they are stored.
  private struct Chosen: Decodable, Equatable {
    var values: [Int?]

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: AnyTestKey.self)
      let count = container.allKeys.count
      values = try [count - 1, 0, count / 2, 1, count].map { index in
        try container.decodeIfPresent(Int.self, forKey: AnyTestKey(stringValue: "key \(index)"))
      }
      #expect(!container.contains(""))
    }
  }

  private struct Cases: Codable, Equatable {
    var a: Int?
    var b: String?
    var c: [Int]?
    var d: Double?
  }

  @Test(arguments: counts)
  func mapsOfAnySizeDecodeInAnyKeyOrder(count: Int) throws {
    let map = Dictionary(uniqueKeysWithValues: (0..<count).map { ("key \($0)", $0) })
    for encoder in [CBOREncoder(), deterministicEncoder] {
      let bytes = try encoder.encode(map)
      #expect(try CBORDecoder().decode([String: Int].self, from: bytes) == map)
      let expected: [Int?] = [count - 1, 0, count / 2, 1, count].map { map["key \($0)"] }
      #expect(try CBORDecoder().decode(Chosen.self, from: bytes).values == expected)
      try expectDecoding([bytes.hex: Cases()])
      #expect(try CBORDecoder().decode([Cases].self, from: Data([0x82] + bytes + [0xA1, 0x61, 0x61, 7])).last?.a == 7)
    }
  }

  @Test(arguments: counts)
  func containersOfAnySizeEncodeAsDictionariesAndArrays(count: Int) throws {
    let keyed = Writing { encoder in
      var container = encoder.container(keyedBy: AnyTestKey.self)
      for index in 0..<count { try container.encode(index, forKey: AnyTestKey(stringValue: "key \(index)")) }
    }
    let map = Dictionary(uniqueKeysWithValues: (0..<count).map { ("key \($0)", $0) })
    #expect(try CBORDecoder().decode([String: Int].self, from: CBOREncoder().encode(keyed)) == map)
    #expect(try CBOREncoder().encode([keyed, keyed]).count == 1 + 2 * CBOREncoder().encode(map).count)
    let numbers = Array(0..<count)
    try expectRoundTrips(numbers)
    try expectRoundTrips(numbers.map { "\($0)" })
    try expectRoundTrips(numbers.map { Cases(a: $0) })
    let unkeyed = Writing { encoder in
      var container = encoder.unkeyedContainer()
      for index in 0..<count { try container.encode(index) }
    }
    #expect(try CBOREncoder().encode(unkeyed) == CBOREncoder().encode(numbers))
  }

  // MARK: Order

  @Test func findsKeysInAnyOrderAmongUnknownOnes() throws {
    let expected = Cases(a: 1, b: "x", c: [2], d: 0.5)
    let entries = ["616101", "61626178", "61638102", "6164f93800", "617aa26161f66162820102", "6179f6"]
    for turn in 0..<720 {
      var rest = entries
      var (hex, number) = ("", turn)
      for size in (1...6).reversed() {
        hex += rest.remove(at: number % size)
        number /= size
      }
      try expectDecoding(["a6" + hex: expected])
      try expectDecoding(["82 bf" + hex + "ff a6" + hex: [expected, expected]])
    }
  }

  @Test func keysCanBeDecodedTwiceAsOtherTypes() throws {
    let read = try Reading<[Int]>.read("a3 6161 01 6162 8102 6163 03") { decoder in
      let container = try decoder.container(keyedBy: Letters.self)
      let first = try container.decode(Int.self, forKey: .a)
      let again = try container.decode(Int8.self, forKey: .a)
      #expect(throws: DecodingError.self) { try container.decode(Int.self, forKey: .b) }
      #expect(try !container.decodeNil(forKey: .b))
      let list = try container.decode([Int].self, forKey: .b)
      let last = try container.decode(Int.self, forKey: .c)
      return [first, Int(again), list[0], last, try container.decode(Int.self, forKey: .a)]
    }
    #expect(read == [1, 1, 2, 3, 1])
  }

  @Test func allKeysAreThoseOfTheKeyType() throws {
    let keys = try Reading<[[String]]>.read("a5 6163 01 617a 02 f5 03 05 04 6161 05") { decoder in
      let known = try decoder.container(keyedBy: Letters.self).allKeys.map(\.stringValue)
      let any = try decoder.container(keyedBy: AnyTestKey.self).allKeys.map(\.stringValue)
      return [known, any]
    }
    #expect(keys == [["c", "a"], ["c", "z", "5", "a"]])
  }

  @Test func allKeysRefusesTextThatIsNotUTF8() throws {
    struct Keys: Decodable {
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: AnyTestKey.self)
        #expect(container.allKeys == ["a"] && container.allKeys == ["a"])
        _ = try? container.decode(Int.self, forKey: "a")
      }
    }
    struct Nested: Decodable {
      init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        _ = try list.nestedContainer(keyedBy: AnyTestKey.self).allKeys
      }
    }
    for (hex, byte) in [("a2 61ff 00 6161 01", 2), ("a2 6161 01 61ff 00", 5), ("bf 7f 61c3 61a9 ff 00 6161 01 ff", 3)] {
      try expectError([Keys].self, "81 \(hex)", kind: "dataCorrupted", byte: byte)
      try expectError(Nested.self, "81 \(hex)", kind: "dataCorrupted", byte: byte)
    }
    var decoder = CBORDecoder()
    decoder.limits.length = 2
    try expectError([Keys].self, "81 a2 63616161 00 6161 01", kind: "dataCorrupted", byte: 2, decoder: decoder)
    // A key that the program does not request is not checked.
    try expectDecoding(["a2 61ff 00 656b6e6f776e 07": Known(known: 7)])
  }

  @Test func findsNumberKeysAndTextInChunks() throws {
    enum Numbers: Int, CodingKey {
      case one = 1
      case minus = -500
    }
    let read = try Reading<[Int]>.read("a3 3901f3 07 f6 00 01 08") { decoder in
      let container = try decoder.container(keyedBy: Numbers.self)
      return [try container.decode(Int.self, forKey: .one), try container.decode(Int.self, forKey: .minus)]
    }
    #expect(read == [8, 7])
    try expectDecoding(["a2 7f60616160ff 07 d9d9f76162 6178": Cases(a: 7, b: "x")])
  }

  // MARK: Several key types

  private enum FirstKeys: String, CodingKey { case one, two }
  private enum OtherKeys: String, CodingKey { case zero, one }
  private enum Twins: CodingKey {
    case name, title

    var stringValue: String { "name" }
    var intValue: Int? { nil }
    init?(stringValue: String) { return nil }
    init?(intValue: Int) { return nil }
  }

  @Test func twoKeyTypesDecodeTheSameEntry() throws {
    let sum = try Reading<Int>.read("a1 636f6e65 07") { decoder in
      let first = try decoder.container(keyedBy: FirstKeys.self).decode(Int.self, forKey: .one)
      return try first + decoder.container(keyedBy: OtherKeys.self).decode(Int.self, forKey: .one)
    }
    #expect(sum == 14)
  }

  @Test func keyOfTwoTypesIsWrittenOnceWithTheLastValue() throws {
    let value = Writing { encoder in
      var first = encoder.container(keyedBy: OtherKeys.self)
      try first.encode(1, forKey: .zero)
      try first.encode(2, forKey: .one)
      var second = encoder.container(keyedBy: FirstKeys.self)
      try second.encode(3, forKey: .two)
      try second.encode(4, forKey: .one)
    }
    let entries = try CBORDecoder().decode([String: Int].self, from: CBOREncoder().encode(value))
    #expect(entries == ["zero": 1, "two": 3, "one": 4])
    let ascending = Writing { encoder in
      var first = encoder.container(keyedBy: FirstKeys.self)
      try first.encode(1, forKey: .one)
      var second = encoder.container(keyedBy: OtherKeys.self)
      try second.encode(2, forKey: .one)
    }
    try expectEncoding(ascending, "a1636f6e6502")
  }

  @Test func keysWithOneNameAreOneKey() throws {
    let value = Writing { encoder in
      var container = encoder.container(keyedBy: Twins.self)
      try container.encode(1, forKey: .name)
      try container.encode(2, forKey: .title)
    }
    try expectEncoding(value, "a1646e616d6502")
    let sum = try Reading<Int>.read("a1 646e616d65 05") { decoder in
      let container = try decoder.container(keyedBy: Twins.self)
      return try container.decode(Int.self, forKey: .name) + container.decode(Int.self, forKey: .title)
    }
    #expect(sum == 10)
  }

  @Test func keyTypeWithOneCaseRoundTrips() throws {
    struct Single: Codable, Equatable { var only: [Single] }
    try expectRoundTrips(Single(only: [Single(only: []), Single(only: [Single(only: [])])]))
    try expectError(Single.self, "a1 646f6e6c79 81 a0", path: "only.Index 0")
    try expectError(Single.self, "a1 646f6e6c79 81 a1646f6e6c79 f5", path: "only.Index 0.only")
  }

  /// A value that decodes another entry of the map that contains it.
  private struct Curious: Decodable {
    nonisolated(unsafe) static var around: KeyedDecodingContainer<Letters>?
    var inner: Int

    init(from decoder: any Decoder) throws {
      inner = try decoder.singleValueContainer().decode(Int.self)
      for key in decoder.userInfo[.letters] as? [Letters] ?? [] {
        inner += try Self.around?.decode(Int.self, forKey: key) ?? 0
      }
    }
  }

  private struct Around: Decodable {
    var a: Int
    var b: Int
    var c: Int

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Letters.self)
      Curious.around = container
      defer { Curious.around = nil }
      a = try container.decode(Curious.self, forKey: .a).inner
      b = try container.decode(Int.self, forKey: .b)
      c = try container.decode(Int.self, forKey: .c)
    }
  }

  @Test func valueCanDecodeTheMapAroundItself() throws {
    for (letters, first) in [([Letters](), 1), ([.a], 2), ([.a, .b], 4), ([.b], 3), ([.c, .a], 5)] {
      var decoder = CBORDecoder()
      decoder.userInfo[.letters] = letters
      let around = try decoder.decode(Around.self, from: Data(hex: "a3 6161 01 6162 02 6163 03"))
      let values: [Int] = [around.a, around.b, around.c]
      #expect(values == [first, 2, 3])
    }
  }
}

extension CodingUserInfoKey {
  fileprivate static let letters = CodingUserInfoKey(rawValue: "letters").unsafelyUnwrapped
}
