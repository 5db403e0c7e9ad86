// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemCoding
import TestSupport
import Testing

/// The order of the entries of maps.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct CBOROrderTests {
  @Test func defaultOrderIsThatOfTheValues() throws {
    struct Backwards: Encodable {
      var z = 1
      var a = 2
    }
    #expect(try encodedHex(Backwards()) == "a2617a01616102")
    #expect(try encodedHex(Backwards(), deterministicEncoder) == "a2616102617a01")
  }

  @Test func deterministicOrderIsThatOfEncodedKeys() throws {
    let numbers: [Int: Int] = [10: 0, 100: 1, -1: 2, 5000: 3, -500: 4, 0: 5, 23: 6, 24: 7]
    #expect(
      try CBORDiagnosticNotation().text(of: deterministicEncoder.encode(numbers))
        == "{0: 5, 10: 0, 23: 6, 24: 7, 100: 1, 5000: 3, -1: 2, -500: 4}")
    let texts = ["z": 0, "aa": 1, "": 2, "b": 3, "\u{FC}": 4, String(repeating: "a", count: 24): 5]
    #expect(
      try CBORDiagnosticNotation().text(of: deterministicEncoder.encode(texts))
        == #"{"": 2, "b": 3, "z": 0, "aa": 1, "\#u{FC}": 4, "aaaaaaaaaaaaaaaaaaaaaaaa": 5}"#)
  }

  @Test func equalDictionariesGiveEqualBytes() throws {
    let names = (0..<500).map { "name \($0 * 7919 % 500)" }
    var one: [String: [String: Int]] = [:]
    for name in names { one[name] = ["x": 1, "y": 2, "zz": 3] }
    var other: [String: [String: Int]] = Dictionary(minimumCapacity: 10_000)
    for name in names.reversed() { other[name] = ["zz": 3, "y": 2, "x": 1] }
    let bytes = try deterministicEncoder.encode(one)
    #expect(try deterministicEncoder.encode(other) == bytes)
    #expect(try CBORDecoder().decode([String: [String: Int]].self, from: bytes) == one)
  }

  @Test func deterministicOrderHoldsInNestedContainers() throws {
    func value(_ isTurned: Bool) -> Writing {
      Writing { encoder in
        var container = encoder.container(keyedBy: AnyTestKey.self)
        let names = (0..<40).map { AnyTestKey(stringValue: "n\($0)") }
        for name in isTurned ? names.reversed() : names { try container.encode(1, forKey: name) }
        var inner = container.nestedContainer(keyedBy: AnyTestKey.self, forKey: isTurned ? "y" : "x")
        var other = container.nestedContainer(keyedBy: AnyTestKey.self, forKey: isTurned ? "x" : "y")
        for name in isTurned ? names.reversed() : names {
          try inner.encode(name.stringValue, forKey: name)
          try other.encode(name.stringValue, forKey: name)
        }
        var parent = container.superEncoder().container(keyedBy: AnyTestKey.self)
        try parent.encode(["b": 1, "a": 2], forKey: "d")
        try parent.encode(isTurned, forKey: "0")
        try parent.encode(isTurned, forKey: "0")
      }
    }
    var expected = try deterministicEncoder.encode(value(true))
    expected.replace([0xF5], with: [0xF4])
    #expect(try deterministicEncoder.encode(value(false)) == expected)
  }

  @Test func repeatedKeyHasItsLastValue() throws {
    enum Letters: String, CodingKey {
      case a
      case b
    }
    let any = Writing { encoder in
      var container = encoder.container(keyedBy: AnyTestKey.self)
      try container.encode(1, forKey: "b")
      try container.encode([2, 2], forKey: "a")
      try container.encode(3, forKey: "b")
    }
    let cases = Writing { encoder in
      var container = encoder.container(keyedBy: Letters.self)
      try container.encode(1, forKey: .b)
      try container.encode([2, 2], forKey: .a)
      try container.encode(3, forKey: .b)
    }
    for value in [any, cases] {
      #expect(try encodedHex(value) == "a26161820202616203")
      #expect(try encodedHex(value, deterministicEncoder) == "a26161820202616203")
      #expect(try encodedHex([value, value]) == "82a26161820202616203a26161820202616203")
    }
    let nested = Writing { encoder in
      var container = encoder.container(keyedBy: Letters.self)
      var first = container.nestedUnkeyedContainer(forKey: .a)
      try first.encode(1)
      var second = container.nestedUnkeyedContainer(forKey: .a)
      try second.encode(2)
      try first.encode(3)
    }
    #expect(try encodedHex(nested) == "a161618102")
  }
}
