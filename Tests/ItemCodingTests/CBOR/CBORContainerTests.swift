// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemCoding
import TestSupport
import Testing

/// Nested containers.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct CBORContainerTests {
  @Test func nestedContainersCanBeWrittenInTurn() throws {
    let value = Writing { encoder in
      var container = encoder.container(keyedBy: AnyTestKey.self)
      var first = container.nestedUnkeyedContainer(forKey: "a")
      var second = container.nestedContainer(keyedBy: AnyTestKey.self, forKey: "b")
      try first.encode(1)
      try second.encode(10, forKey: "x")
      try container.encode(true, forKey: "c")
      try first.encode("two")
      try second.encode([20], forKey: "y")
      try first.encode(3)
    }
    #expect(try encodedHex(value) == "a3 6161 83016374776f03 6162 a261780a61798114 6163f5".filter { $0 != " " })
  }

  @Test func innerContainersCanBeWrittenLastFirst() throws {
    let value = Writing { encoder in
      var outer = encoder.unkeyedContainer()
      var first = outer.nestedUnkeyedContainer()
      var second = outer.nestedUnkeyedContainer()
      var inSecond = second.nestedContainer(keyedBy: AnyTestKey.self)
      var inFirst = first.nestedUnkeyedContainer()
      var deepest = inSecond.nestedUnkeyedContainer(forKey: "z")
      try deepest.encode(4)
      try inSecond.encode(3, forKey: "y")
      try inFirst.encode(2)
      try first.encode(1)
      try outer.encode(0)
    }
    #expect(try encodedHex(value) == "83 82 8102 01 81 a2 617a8104 617903 00".filter { $0 != " " })
  }

  @Test func unusedContainerIsEmptyAndLongOneHasALongHeader() throws {
    let empty = Writing { encoder in
      var container = encoder.unkeyedContainer()
      _ = container.nestedUnkeyedContainer()
      _ = container.nestedContainer(keyedBy: AnyTestKey.self)
      _ = container.superEncoder()
    }
    #expect(try encodedHex(empty) == "8380a0a0")
    let long = Writing { encoder in
      var container = encoder.container(keyedBy: AnyTestKey.self)
      var first = container.nestedUnkeyedContainer(forKey: "a")
      var second = container.nestedUnkeyedContainer(forKey: "b")
      for number in 0..<300 {
        try first.encode(number)
        try second.encode(-number)
      }
    }
    let read = try CBORDecoder().decode([String: [Int]].self, from: CBOREncoder().encode(long))
    #expect(read == ["a": Array(0..<300), "b": (0..<300).map { -$0 }])
  }

  @Test func secondContainerContinuesTheFirst() throws {
    let value = Writing { encoder in
      var first = encoder.container(keyedBy: AnyTestKey.self)
      try first.encode(1, forKey: "a")
      var second = encoder.container(keyedBy: TwoKeys.self)
      try second.encode(2, forKey: .b)
      try first.encode(3, forKey: "c")
    }
    #expect(try encodedHex(value) == "a3616101616202616303")
    let sum = try Reading<Int>.read("a3616101616202616303") { decoder in
      let first = try decoder.container(keyedBy: AnyTestKey.self)
      let second = try decoder.container(keyedBy: TwoKeys.self)
      return try first.decode(Int.self, forKey: "c") + second.decode(Int.self, forKey: .b)
        + first.decode(Int.self, forKey: "a")
    }
    #expect(sum == 6)
  }

  @Test func encodingAsTwoKindsThrows() {
    let bodies: [@Sendable (any Encoder) throws -> Void] = [
      { encoder in
        var container = encoder.container(keyedBy: AnyTestKey.self)
        try container.encode(1, forKey: "a")
        var array = encoder.unkeyedContainer()
        try array.encode(1)
      },
      { encoder in
        var container = encoder.singleValueContainer()
        try container.encode(1)
        try container.encode(2)
      },
      { encoder in
        var array = encoder.unkeyedContainer()
        try array.encode(1)
        var single = encoder.singleValueContainer()
        try single.encode("a")
      },
      { encoder in
        var single = encoder.singleValueContainer()
        try single.encode([1])
        _ = encoder.container(keyedBy: AnyTestKey.self)
      },
    ]
    for body in bodies {
      #expect(throws: EncodingError.self) { try CBOREncoder().encode(Writing(body: body)) }
      #expect(throws: EncodingError.self) { try CBOREncoder().encode([Writing(body: body)]) }
      // The error has no effect on later values.
      #expect((try? encodedHex([1, 2])) == "820102")
    }
  }

  // MARK: Reading

  @Test func nestedContainersCanBeReadInTurn() throws {
    let read = try Reading<[Int]>.read("a3 6161 83010203 6162 a2617804617905 6163 06") { decoder in
      let container = try decoder.container(keyedBy: AnyTestKey.self)
      var first = try container.nestedUnkeyedContainer(forKey: "a")
      let second = try container.nestedContainer(keyedBy: AnyTestKey.self, forKey: "b")
      let one = try first.decode(Int.self)
      let five = try second.decode(Int.self, forKey: "y")
      let six = try container.decode(Int.self, forKey: "c")
      let two = try first.decode(Int.self)
      let four = try second.decode(Int.self, forKey: "x")
      return [one, two, try first.decode(Int.self), four, five, six]
    }
    #expect(read == [1, 2, 3, 4, 5, 6])
  }

  @Test func unkeyedContainerKnowsItsCountIndexAndEnd() throws {
    for (hex, count) in [("83 01 f6 8102", 3), ("9f 01 f6 8102 ff", nil)] as [(String, Int?)] {
      let isSound = try Reading<Bool>.read(hex) { decoder in
        var container = try decoder.unkeyedContainer()
        try #require(container.count == count && container.currentIndex == 0 && !container.isAtEnd)
        try #require(try !container.decodeNil() && container.currentIndex == 0)
        try #require(try container.decode(Int.self) == 1 && container.currentIndex == 1)
        try #require(try container.decodeNil() && container.currentIndex == 2)
        var inner = try container.nestedUnkeyedContainer()
        try #require(container.isAtEnd && container.currentIndex == 3)
        try #require(try inner.decode(Int.self) == 2 && inner.isAtEnd)
        #expect(throws: DecodingError.self) { try container.decode(Int.self) }
        #expect(throws: DecodingError.self) { try container.decodeNil() }
        #expect(throws: DecodingError.self) { try container.nestedUnkeyedContainer() }
        return container.currentIndex == 3
      }
      #expect(isSound)
    }
  }

  @Test func unreadElementsAndEntriesAreSkipped() throws {
    struct First: Decodable, Equatable {
      let value: Int

      init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        value = try container.decode(Int.self)
      }
    }
    #expect(try decode([First].self, "83 83010203 9f04820506ff 8107").map(\.value) == [1, 4, 7])
    #expect(try decodingError([First].self, "81 820119").kind == "dataCorrupted")
  }

  private enum TwoKeys: String, CodingKey {
    case a
    case b
  }
}
