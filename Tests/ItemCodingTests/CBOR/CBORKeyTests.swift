// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemCoding
import TestSupport
import Testing

/// Keys of maps: in any order and number, missing, unknown and repeated.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct CBORKeyTests {
  private static let counts = [0, 1, 15, 16, 17, 23, 24, 255, 256, 65_535, 65_536]

  /// A value that decodes four keys of a map with `count` entries, in another order than they are stored.
  private struct Chosen: Decodable, Equatable {
    struct Key: CodingKey {
      var stringValue: String
      var intValue: Int? { nil }

      init(stringValue: String) {
        self.stringValue = stringValue
      }

      init?(intValue: Int) {
        nil
      }
    }

    var values: [Int?]

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      let count = container.allKeys.count
      values = try [count - 1, 0, count / 2, 1, count].map { index in
        try container.decodeIfPresent(Int.self, forKey: Key(stringValue: "key \(index)"))
      }
      #expect(!container.contains(Key(stringValue: "")))
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
      #expect(try CBORDecoder().decode(Cases.self, from: bytes) == Cases())
      #expect(try CBORDecoder().decode([Cases].self, from: Data([0x82] + bytes + [0xA1, 0x61, 0x61, 7])).last?.a == 7)
    }
  }

  @Test(arguments: counts)
  func containersEncodeMapsOfAnySize(count: Int) throws {
    let keyed = Writing { encoder in
      var container = encoder.container(keyedBy: AnyTestKey.self)
      for index in 0..<count { try container.encode(index, forKey: AnyTestKey(stringValue: "key \(index)")) }
    }
    let map = Dictionary(uniqueKeysWithValues: (0..<count).map { ("key \($0)", $0) })
    #expect(try CBORDecoder().decode([String: Int].self, from: CBOREncoder().encode(keyed)) == map)
    #expect(try CBOREncoder().encode([keyed, keyed]).count == 1 + 2 * CBOREncoder().encode(map).count)
  }

  @Test(arguments: counts)
  func arraysOfAnySizeRoundTrip(count: Int) throws {
    let numbers = Array(0..<count)
    #expect(try roundTrip(numbers) == numbers)
    #expect(try roundTrip(numbers.map { "\($0)" }) == numbers.map { "\($0)" })
    #expect(try roundTrip(numbers.map { Cases(a: $0) }) == numbers.map { Cases(a: $0) })
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
      #expect(try decode(Cases.self, "a6" + hex) == expected)
      #expect(try decode([Cases].self, "82 bf" + hex + "ff a6" + hex) == [expected, expected])
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
    #expect(try decode(Cases.self, "a2 7f60616160ff 07 d9d9f76162 6178") == Cases(a: 7, b: "x"))
  }

  // MARK: Repeated keys

  @Test func refusesRepeatedKeysInMapsOfAnySize() throws {
    for count in [2, 3, 16, 17, 18, 24, 300] {
      for (one, other) in [(0, 1), (0, count - 1), (count - 2, count - 1)] {
        var names = (0..<count).map { "key \($0)" }
        names[other] = names[one]
        let bytes = try Data(CBORTestItems.map(names.map { (try CBOREncoder().encode($0), Data([1])) }))
        let error = try decodingError([String: Int].self, bytes)
        #expect(error.kind == "dataCorrupted" && error.byte != nil)
        #expect(try decodingError(Chosen.self, bytes).kind == "dataCorrupted")
        #expect(try decodingError(Cases.self, bytes).kind == "dataCorrupted")
        // A value that is not requested only has to be well-formed.
        #expect(try decode([Int: Skipped].self, "a107a2616101616102").count == 1)
      }
    }
    #expect(try decodingError([Int: Int].self, "a2 01 01 01 02").kind == "dataCorrupted")
    #expect(try decodingError([Int: Int].self, "a2 01 01 6131 02").kind == "dataCorrupted")
    #expect(try decodingError(Cases.self, "a2 6161 01 6161 02").kind == "dataCorrupted")
    #expect(try decodingError(Cases.self, "a3 6161 01 6162 6178 6161 02").kind == "dataCorrupted")
    #expect(try decodingError(Cases.self, "a2 6161 01 7f6161ff 02").kind == "dataCorrupted")
  }

  private enum Letters: String, CodingKey {
    case a
    case b
    case c
  }
}

/// Functions that assemble encoded items from their parts.
enum CBORTestItems {
  /// Returns a map with these entries in this order.
  static func map(_ entries: [(key: Data, value: Data)]) throws -> Data {
    var bytes = try CBOREncoder().encode(Dictionary(uniqueKeysWithValues: (0..<entries.count).map { ($0, 0) }))
    bytes = bytes.prefix(entries.count < 24 ? 1 : entries.count < 256 ? 2 : 3)
    for entry in entries { bytes += entry.key + entry.value }
    return bytes
  }
}
