// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemCoding
import TestSupport
import Testing

/// Maps with a repeated key.
///
/// The decoder must refuse each, with its path and byte offset.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct CBORRepeatedKeyTests {
  private enum Move: Codable {
    case a(x: Int)
    case b
  }

  private struct OptionalLetters: Decodable {
    var a: Int?
    var b: Int?
    var c: Int?
  }

  private enum Numbers: Int, CodingKey {
    case one = 1
    case two
  }

  private struct Numbered: Decodable, Equatable {
    var one: Int
    var two: Int?

    init(one: Int, two: Int?) {
      (self.one, self.two) = (one, two)
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Numbers.self)
      one = try container.decode(Int.self, forKey: .one)
      two = try container.decodeIfPresent(Int.self, forKey: .two)
    }
  }

  private func expect(
    _ error: DecodingError, _ path: String, _ byte: Int, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let isExpected = Fault(error) == Fault("dataCorrupted", path, byte)
    #expect(isExpected && error.text.hasSuffix(": a repeated key in a map"), "\(error)", sourceLocation: sourceLocation)
  }

  private func expectRefusal(
    _ hex: String, _ path: String, _ byte: Int, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: @escaping @Sendable (any Decoder) throws -> Void
  ) throws {
    let error = try #require(throws: DecodingError.self, sourceLocation: sourceLocation) {
      try Reading<Void>.read(hex, body)
    }
    expect(error, path, byte, sourceLocation: sourceLocation)
  }

  @Test func refusesRepeatedKeysInMapsOfAnySize() throws {
    for count in [2, 3, 16, 17, 18, 24, 300] {
      for (one, other) in [(0, 1), (0, count - 1), (count - 2, count - 1)] {
        var names = (0..<count).map { "key \($0)" }
        names[other] = names[one]
        // The header is that of another map with as many entries.
        let map = try CBOREncoder().encode(Dictionary(uniqueKeysWithValues: (0..<count).map { ($0, 0) }))
        let header = map.prefix(count < 24 ? 1 : count < 256 ? 2 : 3)
        let bytes = try names.reduce(into: header) { $0 += try CBOREncoder().encode($1) + [1] }
        #expect(try decodingError([String: Int].self, bytes).byte != nil)
        for type in [[String: Int].self, OptionalLetters.self, Tree.self] as [any Decodable.Type] {
          try expectError(type, bytes, kind: "dataCorrupted")
        }
      }
    }
    try expectError([Int: Int].self, "a2 01 01 01 02", "a2 01 01 6131 02", kind: "dataCorrupted")
    try expectError(
      OptionalLetters.self, "a2 6161 01 6161 02", "a3 6161 01 6162 06 6161 02", "a2 6161 01 7f6161ff 02",
      kind: "dataCorrupted")
    // A value that is not requested only has to be well-formed.
    #expect(try decode([Int: Skipped].self, "a107a2616101616102").count == 1)
  }

  @Test func refusesRepeatedCasesAndPayloadsOfEnums() throws {
    expect(try decodingError(Move.self, "a1 6161 a2 617801 617802"), "a", 7)
    expect(try decodingError([Move].self, "82 a1 6162 a0 a1 6161 a2 617801 617802"), "Index 1.a", 12)
    expect(try decodingError(Move.self, "a2 6161 a1617801 6161 a1617802"), "", 7)
    expect(try decodingError(Move.self, "a2 6162 a0 6162 a0"), "", 4)
  }

  @Test func refusesRepeatedKeysInNestedContainers() throws {
    try expectRefusal("a1 6161 a2 617801 617802", "a", 7) { decoder in
      let nested = try decoder.container(keyedBy: Letters.self).nestedContainer(keyedBy: Letters.self, forKey: .a)
      _ = try nested.decode(Int.self, forKey: .x)
    }
    // The first or the last map has the repeated key.
    for (hex, path, byte) in [
      ("82 a1617801 a2 617801 617802", "Index 1", 9), ("82 a2 617801 617802 a1 617803", "Index 0", 5),
    ] {
      try expectRefusal(hex, path, byte) { decoder in
        var container = try decoder.unkeyedContainer()
        while !container.isAtEnd {
          _ = try container.nestedContainer(keyedBy: Letters.self).decode(Int.self, forKey: .x)
        }
      }
    }
    try expectRefusal("a1 6161 82 00 a2 617801 617802", "a.Index 1", 9) { decoder in
      var array = try decoder.container(keyedBy: Letters.self).nestedUnkeyedContainer(forKey: .a)
      _ = try array.decode(Int.self)
      _ = try array.nestedContainer(keyedBy: Letters.self).decode(Int.self, forKey: .x)
    }
  }

  @Test func refusesRepeatedKeysInSuperDecoders() throws {
    try expectRefusal("a1 6161 a2 617801 617802", "a", 7) { decoder in
      let parent = try decoder.container(keyedBy: Letters.self).superDecoder(forKey: .a)
      _ = try parent.container(keyedBy: Letters.self).decode(Int.self, forKey: .x)
    }
    try expectRefusal("a1 657375706572 a2 617801 617802", "super", 11) { decoder in
      let parent = try decoder.container(keyedBy: Letters.self).superDecoder()
      _ = try parent.container(keyedBy: Letters.self).decode(Int.self, forKey: .x)
    }
    // The decoder is retained.
    let kept = try Reading<any Decoder>.read("a1 6161 a2 617801 617802") { decoder in
      try decoder.container(keyedBy: Letters.self).superDecoder(forKey: .a)
    }
    expect(try #require(throws: DecodingError.self) { try kept.container(keyedBy: Letters.self) }, "a", 7)
  }

  @Test func refusesRepeatedKeysOfMapsThatDecodeAsTwoTypes() throws {
    try expectRefusal("a2 617801 617802", "", 4) { decoder in
      _ = try decoder.container(keyedBy: Letters.self).decode(Int.self, forKey: .x)
      _ = try decoder.singleValueContainer().decode(Skipped.self)
    }
  }

  @Test func allKeysOfARefusedMapListsEachKeyOnce() throws {
    try expectRefusal("a3 617801 617902 617803", "", 7) { decoder in
      let container = try decoder.container(keyedBy: Letters.self)
      #expect(container.allKeys == [.x, .y] && !container.contains(.y))
      for _ in 0..<2 { #expect(throws: DecodingError.self) { try container.decode(Int.self, forKey: .y) } }
    }
  }

  // MARK: Integer and text

  @Test func refusesTheIntegerAndTheTextOfOneKeyInAnyOrder() throws {
    expect(try decodingError(Numbered.self, "a2 01 05 636f6e65 07"), "one", 3)
    expect(try decodingError(Numbered.self, "a2 636f6e65 07 01 05"), "two", 6)
    expect(try decodingError([Numbered].self, "81 a3 636f6e65 07 6374776f 08 02 05"), "Index 0", 12)
    // In a map of this size, keys are found by their hash.
    let entries = (0..<20).map { "62" + String(0x6161 + $0, radix: 16) + "00" }.joined()
    expect(try decodingError(Numbered.self, "b6 636f6e65 07 \(entries) 01 05"), "two", 6 + 20 * 4)
    try expectRefusal("a2 636f6e65 07 01 05", "", 6) { decoder in
      _ = try decoder.container(keyedBy: Numbers.self).decode(Int.self, forKey: .one)
    }
    // This key has no table.
    try expectRefusal("a2 01 05 6131 07", "1", 3) { decoder in
      _ = try decoder.container(keyedBy: AnyTestKey.self).decode(Int.self, forKey: 1)
    }
  }

  @Test func decodesIntegerAndTextKeysThatDiffer() throws {
    let numbered = Numbered(one: 5, two: 6)
    try expectDecoding(["a4 02 06 6378 7978 07 03 08 636f6e65 05": numbered, "a2 636f6e65 05 02 06": numbered])
  }
}
