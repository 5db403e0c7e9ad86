// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemCoding
import TestSupport
import Testing

/// Maps with a repeated key.
///
/// The decoder must refuse each, with its path and byte offset.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct CBORRepeatedKeyTests {
  private enum Move: Codable {
    case a(x: Int)
    case b
  }

  private enum Letters: String, CodingKey { case a, b, x, y }

  private enum Numbers: Int, CodingKey {
    case one = 1
    case two
  }

  private struct First: Decodable {
    var one: Int

    init(from decoder: any Decoder) throws {
      one = try decoder.container(keyedBy: Numbers.self).decode(Int.self, forKey: .one)
    }
  }

  private struct Numbered: Decodable {
    var one: Int
    var two: Int?

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Numbers.self)
      one = try container.decode(Int.self, forKey: .one)
      two = try container.decodeIfPresent(Int.self, forKey: .two)
    }
  }

  private func refusal(
    _ hex: String, _ body: @escaping @Sendable (any Decoder) throws -> Int
  ) throws -> DecodingError {
    try #require(throws: DecodingError.self) { try Reading<Int>.read(hex, body) }
  }

  private func expect(_ error: DecodingError, _ path: String, _ byte: Int) {
    #expect(error.kind == "dataCorrupted")
    #expect(error.path == path)
    #expect(error.byte == byte)
    #expect(error.context?.debugDescription.hasSuffix(": a repeated key in a map") == true)
  }

  @Test func refusesRepeatedKeysOfEnumPayloads() throws {
    expect(try decodingError(Move.self, "a1 6161 a2 617801 617802"), "a", 7)
    expect(try decodingError([Move].self, "82 a1 6162 a0 a1 6161 a2 617801 617802"), "Index 1.a", 12)
  }

  @Test func refusesRepeatedCasesOfEnums() throws {
    expect(try decodingError(Move.self, "a2 6161 a1617801 6161 a1617802"), "", 7)
    expect(try decodingError(Move.self, "a2 6162 a0 6162 a0"), "", 4)
  }

  @Test func refusesRepeatedKeysInNestedContainers() throws {
    let keyed = try refusal("a1 6161 a2 617801 617802") { decoder in
      let nested = try decoder.container(keyedBy: Letters.self).nestedContainer(keyedBy: Letters.self, forKey: .a)
      return try nested.decode(Int.self, forKey: .x)
    }
    expect(keyed, "a", 7)
    let unkeyed = try refusal("82 a1617801 a2 617801 617802") { decoder in
      var container = try decoder.unkeyedContainer()
      var sum = 0
      while !container.isAtEnd {
        sum += try container.nestedContainer(keyedBy: Letters.self).decode(Int.self, forKey: .x)
      }
      return sum
    }
    expect(unkeyed, "Index 1", 9)
    let deep = try refusal("a1 6161 82 00 a2 617801 617802") { decoder in
      var array = try decoder.container(keyedBy: Letters.self).nestedUnkeyedContainer(forKey: .a)
      _ = try array.decode(Int.self)
      return try array.nestedContainer(keyedBy: Letters.self).decode(Int.self, forKey: .x)
    }
    expect(deep, "a.Index 1", 9)
  }

  @Test func refusesRepeatedKeysInNestedContainersThatAreReplacedByOthers() throws {
    let error = try refusal("82 a2 617801 617802 a1 617803") { decoder in
      var container = try decoder.unkeyedContainer()
      var sum = 0
      while !container.isAtEnd {
        let nested = try container.nestedContainer(keyedBy: Letters.self)
        sum += try nested.decode(Int.self, forKey: .x)
      }
      return sum
    }
    expect(error, "Index 0", 5)
  }

  @Test func refusesRepeatedKeysInSuperDecoders() throws {
    class Base: Decodable {
      var x: Int
    }
    final class Sub: Base {
      required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Letters.self)
        try super.init(from: container.contains(.a) ? container.superDecoder(forKey: .a) : container.superDecoder())
      }
    }
    expect(try decodingError(Sub.self, "a1 6161 a2 617801 617802"), "a", 7)
    expect(try decodingError(Sub.self, "a1 657375706572 a2 617801 617802"), "super", 11)
  }

  @Test func refusesRepeatedKeysOfMapsThatDecodeAsTwoTypes() throws {
    let error = try refusal("a2 617801 617802") { decoder in
      let x = try decoder.container(keyedBy: Letters.self).decode(Int.self, forKey: .x)
      _ = try decoder.singleValueContainer().decode(Skipped.self)
      return x
    }
    expect(error, "", 4)
  }

  @Test func refusesRepeatedKeysInMapsOfRetainedDecoders() throws {
    struct Kept: Decodable {
      let decoder: any Decoder

      init(from decoder: any Decoder) throws {
        self.decoder = try decoder.container(keyedBy: Letters.self).superDecoder(forKey: .a)
      }
    }
    let kept = try decode(Kept.self, "a1 6161 a2 617801 617802")
    expect(try #require(throws: DecodingError.self) { try kept.decoder.container(keyedBy: Letters.self) }, "a", 7)
  }

  @Test func allKeysOfARefusedMapListsEachKeyOnce() throws {
    let error = try refusal("a3 617801 617902 617803") { decoder in
      let container = try decoder.container(keyedBy: Letters.self)
      #expect(container.allKeys.map(\.stringValue) == ["x", "y"])
      return 0
    }
    expect(error, "", 7)
  }

  // MARK: Integer and text

  @Test func refusesTheIntegerAndTheTextOfOneKeyInAnyOrder() throws {
    expect(try decodingError(Numbered.self, "a2 01 05 636f6e65 07"), "one", 3)
    expect(try decodingError(Numbered.self, "a2 636f6e65 07 01 05"), "two", 6)
    expect(try decodingError(First.self, "a2 636f6e65 07 01 05"), "", 6)
    expect(try decodingError([Numbered].self, "81 a3 636f6e65 07 6374776f 08 02 05"), "Index 0", 12)
    // In a map of this size, keys are found by their hash.
    let entries = (0..<20).map { "62" + String(0x6161 + $0, radix: 16) + "00" }.joined()
    expect(try decodingError(Numbered.self, "b6 636f6e65 07 \(entries) 01 05"), "two", 6 + 20 * 4)
  }

  @Test func decodesIntegerAndTextKeysThatDiffer() throws {
    let numbered = try decode(Numbered.self, "a4 02 06 6378 7978 07 03 08 636f6e65 05")
    #expect(numbered.one == 5 && numbered.two == 6)
    let mixed = try decode(Numbered.self, "a2 636f6e65 05 02 06")
    #expect(mixed.one == 5 && mixed.two == 6)
  }

  @Test func refusesTheIntegerAndTheTextOfAKeyWithoutATable() throws {
    let error = try refusal("a2 01 05 6131 07") { decoder in
      try decoder.container(keyedBy: AnyTestKey.self).decode(Int.self, forKey: 1)
    }
    expect(error, "1", 3)
  }

  // MARK: Fields

  private struct Twice: Codable, CBORFieldCodable {
    var first: Int
    var second: Int

    func encodeFields(to fields: inout CBORFieldEncoder) throws {
      try fields.encode(first, forKey: "x")
    }

    init(fields: inout CBORFieldDecoder) throws {
      first = try fields.decode(Int.self, forKey: "x")
      second = try fields.decode(Int.self, forKey: "x")
    }
  }

  /// A type with two fields whose names have the same hash in ``CBORFieldDecoder``.
  private struct Colliding: Codable, CBORFieldCodable, Equatable {
    var abcd: [Int]
    var accd: Int

    init(abcd: [Int], accd: Int) {
      self.abcd = abcd
      self.accd = accd
    }

    func encodeFields(to fields: inout CBORFieldEncoder) throws {
      try fields.encode(abcd, forKey: "abcd")
      try fields.encode(accd, forKey: "accd")
    }

    init(fields: inout CBORFieldDecoder) throws {
      abcd = try fields.decode([Int].self, forKey: "abcd")
      accd = try fields.decode(Int.self, forKey: "accd")
    }
  }

  @Test func refusesRepeatedFieldsThatAreDecodedTwice() throws {
    expect(try decodingError(Twice.self, "a2 617801 617802"), "x", 4)
    expect(try decodingError([Twice].self, "81 a2 617801 617802"), "Index 0.x", 5)
    let twice = try decode(Twice.self, "a1 617801")
    #expect(twice.first == 1 && twice.second == 1)
  }

  @Test func decodesFieldsWhoseNamesHaveTheSameHash() throws {
    let value = Colliding(abcd: [1, 2], accd: 3)
    #expect(try roundTrip([value, value]) == [value, value])
  }
}
