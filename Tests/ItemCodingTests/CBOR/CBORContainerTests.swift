// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ItemCoding

/// Nested containers.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct CBORContainerTests {
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
    try expectEncoding(value, "a3 6161 83016374776f03 6162 a261780a61798114 6163f5")
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
    try expectEncoding(value, "83 82 8102 01 81 a2 617a8104 617903 00")
  }

  @Test func unusedContainerIsEmptyAndLongOneHasALongHeader() throws {
    let empty = Writing { encoder in
      var container = encoder.unkeyedContainer()
      _ = container.nestedUnkeyedContainer()
      _ = container.nestedContainer(keyedBy: AnyTestKey.self)
      _ = container.superEncoder()
    }
    try expectEncoding(empty, "8380a0a0")
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
      var second = encoder.container(keyedBy: Letters.self)
      try second.encode(2, forKey: .b)
      try first.encode(3, forKey: "c")
    }
    try expectEncoding(value, "a3616101616202616303")
    let sum = try Reading<Int>.read("a3616101616202616303") { decoder in
      let first = try decoder.container(keyedBy: AnyTestKey.self)
      let second = try decoder.container(keyedBy: Letters.self)
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
        try [1].encode(to: encoder)
      },
      { encoder in
        try 1.encode(to: encoder)
        try 2.encode(to: encoder)
      },
      { encoder in
        try [1].encode(to: encoder)
        try "a".encode(to: encoder)
      },
      { encoder in
        var single = encoder.singleValueContainer()
        try single.encode([1])
        _ = encoder.container(keyedBy: AnyTestKey.self)
      },
    ]
    for body in bodies {
      expectErrors(
        EncodingError.self, { _ = try CBOREncoder().encode(Writing(body: body)) },
        { _ = try CBOREncoder().encode([Writing(body: body)]) })
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
      try Reading<Void>.read(hex) { decoder in
        var container = try decoder.unkeyedContainer()
        #expect(container.count == count && !container.isAtEnd)
        var found = [container.currentIndex, try container.decodeNil() ? 1 : 0, container.currentIndex]
        found += [try container.decode(Int.self), container.currentIndex]
        found += [try container.decodeNil() ? 1 : 0, container.currentIndex]
        var inner = try container.nestedUnkeyedContainer()
        found += [try inner.decode(Int.self), container.currentIndex]
        #expect(found == [0, 0, 0, 1, 1, 1, 2, 2, 3] && container.isAtEnd && inner.isAtEnd)
        expectErrors(
          DecodingError.self, { _ = try container.decode(Int.self) }, { _ = try container.decodeNil() },
          { _ = try container.nestedUnkeyedContainer() })
        #expect(container.currentIndex == 3)
      }
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
    try expectError([First].self, "81 820119", kind: "dataCorrupted")
  }
}

/// Decoders, encoders and containers that the program retains after the call.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct CBORLifetimeTests {
  /// A value that retains a container and two nested objects.
  struct LaterMap: Decodable {
    let container: KeyedDecodingContainer<AnyTestKey>
    let list: any UnkeyedDecodingContainer
    let parent: any Decoder

    init(from decoder: any Decoder) throws {
      container = try decoder.container(keyedBy: AnyTestKey.self)
      list = try container.nestedUnkeyedContainer(forKey: "list")
      parent = try container.superDecoder()
    }

    func expectValues() throws {
      let maps = [try container.decode([String: Int].self, forKey: "super"), try [String: Int](from: parent)]
      #expect(try container.decode(String.self, forKey: "name") == "Atalanta" && maps == [["x": 1], ["x": 1]])
      var list = list
      let numbers = [[try list.decode(Int.self)], try list.decode([Int].self)]
      #expect(numbers == [[1], [2, 3]] && list.codingPath.last?.stringValue == "list")
      #expect(try container.nestedContainer(keyedBy: AnyTestKey.self, forKey: "super").allKeys == ["x"])
    }
  }

  private static let document = Data(hex: "a3646e616d65684174616c616e7461646c6973748201820203657375706572a1617801")

  @Test func retainedDecodersDecodeAfterTheDocumentIsGone() throws {
    var document: Data? = try CBOREncoder().encode([["a": 1], ["a": 2], ["a": 3]])
    let kept = try CBORDecoder().decode([Later].self, from: #require(document))
    document = nil
    for round in 0..<3 {
      #expect(try roundTrip(["other": [Int](repeating: round, count: 100)])["other"]?.count == 100)
      #expect(try kept.map { try $0.read([String: Int].self) } == [["a": 1], ["a": 2], ["a": 3]])
    }
    let deep = try CBORDecoder().decode([String: [Later]].self, from: CBOREncoder().encode(["k": [[1], [2]]]))
    #expect(try deep["k"]?.map { try $0.read([Int].self) } == [[1], [2]])
    #expect(deep["k"]?.last?.decoder.codingPath.map(\.stringValue) == ["k", "Index 1"])
    expectErrors(
      DecodingError.self, { _ = try kept[0].read(Int.self) }, { _ = try kept[0].read([String: Bool].self) })
    #expect(try kept[0].read([String: Later].self)["a"]?.read(Int.self) == 1)
  }

  @Test func retainedContainersDecodeInAnyOrder() throws {
    let one = try CBORDecoder().decode(LaterMap.self, from: Self.document)
    let documents = Data([0x83]) + Self.document + Self.document + Self.document
    let many = try CBORDecoder().decode([LaterMap].self, from: documents)
    for each in many.reversed() + [one] + many { try each.expectValues() }
    _ = try roundTrip([[[["a": 1]]]])
    try one.expectValues()
  }

  @Test func retainedDecodersAreReleasedWithTheirValue() async throws {
    final class Token: Sendable {}
    var decoder = CBORDecoder()
    weak var weakToken: Token?
    do {
      let token = Token()
      weakToken = token
      decoder.userInfo[.token] = token
      let kept = try decoder.decode([LaterMap].self, from: Data([0x81]) + Self.document)
      try kept[0].expectValues()
      decoder.userInfo = [:]
    }
    // A thread that has just put the session into the pool, before this decoder took it, may still hold it.
    try await wait(for: "the release of an unused session") { weakToken == nil }
  }

  @Test func valuesOfRetainedDecodersCanRetainDecoders() throws {
    let outer = try CBORDecoder().decode(Later.self, from: CBOREncoder().encode([[[1, 2], [3]], [[4]]]))
    let inner = try outer.read([Later].self)
    _ = try roundTrip([1: [2: [3: 4]]])
    let innermost = try inner.flatMap { try $0.read([Later].self) }
    _ = try roundTrip([1: [2: [3: 4]]])
    #expect(try innermost.map { try $0.read([Int].self) } == [[1, 2], [3], [4]])
    #expect(try outer.read([[[Int]]].self) == [[[1, 2], [3]], [[4]]])
  }

  @Test func nestedDecodersDecodeAfterTheOuterValue() throws {
    let kept = try Reading<[any Decoder]>.read("84 01 8102 a1616103 04") { decoder in
      var container = try decoder.unkeyedContainer()
      var decoders: [any Decoder] = []
      while !container.isAtEnd { decoders.append(try container.superDecoder()) }
      return decoders
    }
    _ = try roundTrip([[1], [2]])
    #expect(try Int(from: kept[3]) == 4 && [Int](from: kept[1]) == [2] && [String: Int](from: kept[2]) == ["a": 3])
    #expect(kept.map { $0.codingPath.map(\.stringValue) } == (0..<4).map { ["Index \($0)"] })
  }

  // MARK: Encoders

  @Test func retainedEncodersAndContainersThrow() throws {
    nonisolated(unsafe) var encoders: [any Encoder] = []
    nonisolated(unsafe) var maps: [KeyedEncodingContainer<AnyTestKey>] = []
    nonisolated(unsafe) var arrays: [any UnkeyedEncodingContainer] = []
    let keeping = Writing { encoder in
      encoders.append(encoder)
      var container = encoder.container(keyedBy: AnyTestKey.self)
      maps.append(container)
      maps.append(container.nestedContainer(keyedBy: AnyTestKey.self, forKey: "map"))
      var array = container.nestedUnkeyedContainer(forKey: "array")
      arrays.append(array)
      encoders.append(array.superEncoder())
      encoders.append(container.superEncoder())
      try container.encode(1, forKey: "one")
    }
    let expected = "a4636d6170a065617272617981a0657375706572a0636f6e6501"
    try expectEncoding(keeping, expected)
    try expectEncoding([keeping, keeping], "82" + expected + expected)
    for index in maps.indices {
      var nested = maps[index].nestedUnkeyedContainer(forKey: "late")
      expectErrors(
        EncodingError.self, { try maps[index].encode(1, forKey: "late") },
        { try maps[index].encode([1], forKey: "late") }, { try nested.encode(1) })
    }
    for index in arrays.indices {
      var nested = arrays[index].nestedContainer(keyedBy: AnyTestKey.self)
      expectErrors(
        EncodingError.self, { try arrays[index].encode(1) }, { try arrays[index].encode(["a"]) },
        { try nested.encodeNil(forKey: "late") })
    }
    for encoder in encoders {
      var single = encoder.singleValueContainer()
      var map = encoder.container(keyedBy: AnyTestKey.self)
      expectErrors(
        EncodingError.self, { try [1].encode(to: encoder) }, { try single.encode(1) },
        { try map.encode(1, forKey: "late") })
      _ = encoder.codingPath
    }
    try expectEncoding([keeping], "81" + expected)
    try expectEncoding([1, 2], "820102")
  }

  @Test func innerValueCanWriteToTheOuterContainer() throws {
    nonisolated(unsafe) var outer: (any UnkeyedEncodingContainer)?
    let inner = Writing { encoder in
      // This is too early, since the outer array is still encoding this value.
      try? outer?.encode("outside")
      var container = encoder.unkeyedContainer()
      try container.encode("inside")
    }
    let value = Writing { encoder in
      var container = encoder.unkeyedContainer()
      outer = container
      try container.encode(inner)
      try container.encode(7)
      outer = nil
    }
    try expectEncoding(value, "828166696e7369646507")
    try expectEncoding([1, 2], "820102")
  }
}

extension CodingUserInfoKey {
  fileprivate static let token = CodingUserInfoKey(rawValue: "token").unsafelyUnwrapped
}
