// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemCoding
import TestSupport
import Testing

/// Decoders, encoders and containers that the program retains after the call.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct CBORLifetimeTests {
  /// A value that retains its decoder and decodes later.
  struct Later: Decodable {
    let decoder: any Decoder

    init(from decoder: any Decoder) {
      self.decoder = decoder
    }

    func read<Value: Decodable>(_ type: Value.Type) throws -> Value {
      try type.init(from: decoder)
    }
  }

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
      #expect(try container.decode([String: Int].self, forKey: "super") == ["x": 1])
      #expect(try container.decode(String.self, forKey: "name") == "Atalanta")
      var list = list
      #expect(try list.decode(Int.self) == 1)
      #expect(try list.decode([Int].self) == [2, 3])
      #expect(try [String: Int](from: parent) == ["x": 1])
      #expect(list.codingPath.last?.stringValue == "list")
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
    #expect(throws: DecodingError.self) { try kept[0].read(Int.self) }
    #expect(throws: DecodingError.self) { try kept[0].read([String: Bool].self) }
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

  @Test func retainedDecodersAreReleasedWithTheirValue() throws {
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
    #expect(weakToken == nil, "an unused session was not released")
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
    let kept = try Reading<KeptDecoders>.read("84 01 8102 a1616103 04") { decoder in
      var container = try decoder.unkeyedContainer()
      var decoders: [any Decoder] = []
      while !container.isAtEnd { decoders.append(try container.superDecoder()) }
      return KeptDecoders(decoders: decoders)
    }
    _ = try roundTrip([[1], [2]])
    #expect(try Int(from: kept.decoders[3]) == 4)
    #expect(try [String: Int](from: kept.decoders[2]) == ["a": 3])
    #expect(try [Int](from: kept.decoders[1]) == [2])
    #expect(kept.decoders.map { $0.codingPath.map(\.stringValue) } == (0..<4).map { ["Index \($0)"] })
  }

  private struct KeptDecoders {
    let decoders: [any Decoder]
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
    #expect(try encodedHex(keeping) == expected)
    #expect(try encodedHex([keeping, keeping]) == "82" + expected + expected)
    for index in maps.indices {
      #expect(throws: EncodingError.self) { try maps[index].encode(1, forKey: "late") }
      #expect(throws: EncodingError.self) { try maps[index].encode([1], forKey: "late") }
      var nested = maps[index].nestedUnkeyedContainer(forKey: "late")
      #expect(throws: EncodingError.self) { try nested.encode(1) }
    }
    for index in arrays.indices {
      #expect(throws: EncodingError.self) { try arrays[index].encode(1) }
      #expect(throws: EncodingError.self) { try arrays[index].encode(["a"]) }
      var nested = arrays[index].nestedContainer(keyedBy: AnyTestKey.self)
      #expect(throws: EncodingError.self) { try nested.encodeNil(forKey: "late") }
    }
    for encoder in encoders {
      #expect(throws: EncodingError.self) { try [1].encode(to: encoder) }
      var single = encoder.singleValueContainer()
      #expect(throws: EncodingError.self) { try single.encode(1) }
      var map = encoder.container(keyedBy: AnyTestKey.self)
      #expect(throws: EncodingError.self) { try map.encode(1, forKey: "late") }
      _ = encoder.codingPath
    }
    #expect(try encodedHex([keeping]) == "81" + expected)
    #expect(try encodedHex([1, 2]) == "820102")
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
    #expect(try encodedHex(value) == "828166696e7369646507")
    #expect(try encodedHex([1, 2]) == "820102")
  }
}

extension CodingUserInfoKey {
  fileprivate static let token = CodingUserInfoKey(rawValue: "token").unsafelyUnwrapped
}
