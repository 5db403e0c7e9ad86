// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemCoding
import TestSupport
import Testing

/// The order of the entries of maps, and of values that the standard library encodes in hash order.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct CBOROrderTests {
  @Test func defaultOrderIsThatOfTheValues() throws {
    struct Backwards: Encodable {
      var z = 1
      var a = 2
    }
    try expectEncoding(Backwards(), "a2617a01616102")
    try expectEncoding(Backwards(), "a2616102617a01", deterministicEncoder)
  }

  @Test func deterministicOrderIsThatOfEncodedKeys() throws {
    let numbers: [Int: Int] = [10: 0, 100: 1, -1: 2, 5000: 3, -500: 4, 0: 5, 23: 6, 24: 7]
    #expect(
      try notation(numbers, deterministicEncoder) == "{0: 5, 10: 0, 23: 6, 24: 7, 100: 1, 5000: 3, -1: 2, -500: 4}")
    let texts = ["z": 0, "aa": 1, "": 2, "b": 3, "\u{FC}": 4, String(repeating: "a", count: 24): 5]
    #expect(
      try notation(texts, deterministicEncoder)
        == #"{"": 2, "b": 3, "z": 0, "aa": 1, "\#u{FC}": 4, "aaaaaaaaaaaaaaaaaaaaaaaa": 5}"#)
  }

  @Test func lengthFirstOrderIsThatOfTheRFC() throws {
    var encoder = CBOREncoder()
    encoder.keyOrder = .lengthFirst
    // The keys of RFC 8949, section 4.2.3.
    let map: CBORValue = ["aa": 0, [100]: 0, "z": 0, false: 0, -1: 0, [-1]: 0, 100: 0, 10: 0]
    #expect(try notation(map, encoder) == #"{10: 0, -1: 0, false: 0, 100: 0, "z": 0, [-1]: 0, "aa": 0, [100]: 0}"#)
    #expect(try notation([:] as CBORValue, encoder) == "{}")
    let numbers = [100: [200: 0, -2: 1], -1: [:]]
    #expect(try notation(numbers, encoder) == "{-1: {}, 100: {-2: 1, 200: 0}}")
    #expect(try notation(CodedFields(b: [100, -1], a: [:]), encoder) == #"{"a": [], "b": [100, -1]}"#)
    let repeated = Writing { encoder in
      var container = encoder.container(keyedBy: AnyTestKey.self)
      for key in ["bb", "c", "bb", "a"] { try container.encode(key, forKey: AnyTestKey(stringValue: key)) }
      var nested = container.nestedUnkeyedContainer(forKey: "")
      try nested.encode(1)
    }
    #expect(try notation(repeated, encoder) == #"{"": [1], "a": "a", "c": "c", "bb": "bb"}"#)
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
    func value<Key: CodingKey>(_ a: Key, _ b: Key) -> Writing {
      Writing { encoder in
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(1, forKey: b)
        try container.encode([2, 2], forKey: a)
        try container.encode(3, forKey: b)
      }
    }
    for value in [value(AnyTestKey("a"), AnyTestKey("b")), value(Letters.a, .b)] {
      try expectEncoding(value, "a26161820202616203")
      try expectEncoding(value, "a26161820202616203", deterministicEncoder)
      try expectEncoding([value, value], "82 a26161820202616203 a26161820202616203")
    }
    let nested = Writing { encoder in
      var container = encoder.container(keyedBy: Letters.self)
      var first = container.nestedUnkeyedContainer(forKey: .a)
      try first.encode(1)
      var second = container.nestedUnkeyedContainer(forKey: .a)
      try second.encode(2)
      try first.encode(3)
    }
    try expectEncoding(nested, "a161618102")
  }

  // MARK: Values in hash order

  /// Returns equal sets whose elements are stored in different orders.
  private static func sets<Element: Hashable>(_ elements: [Element]) -> [Set<Element>] {
    [0, 64, 1000, 10_000].map { capacity in
      var set = Set<Element>(minimumCapacity: capacity)
      for element in capacity == 64 ? elements.reversed() : elements { set.insert(element) }
      return set
    }
  }

  /// Returns equal dictionaries whose entries are stored in different orders.
  private static func dictionaries<Key: Hashable, Value>(_ entries: [(Key, Value)]) -> [[Key: Value]] {
    [0, 64, 1000, 10_000].map { capacity in
      var dictionary = [Key: Value](minimumCapacity: capacity)
      for (key, value) in capacity == 64 ? entries.reversed() : entries { dictionary[key] = value }
      return dictionary
    }
  }

  private func expectDiagnostic<Value: Encodable>(
    _ values: [Value], _ diagnostic: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for value in values {
      #expect(try notation(value, deterministicEncoder) == diagnostic, sourceLocation: sourceLocation)
    }
  }

  @Test func sortsElementsOfSets() throws {
    try expectDiagnostic(Self.sets([500, -1, 7, 24, 100, -300]), "[7, 24, 100, 500, -1, -300]")
    try expectDiagnostic(Self.sets(["b", "", "aa", "a"]), #"["", "a", "b", "aa"]"#)
    try expectDiagnostic(Self.sets([[3, 1], [2], [], [1, 9]]), "[[], [2], [1, 9], [3, 1]]")
    try expectDiagnostic([Set<Int>()], "[]")
  }

  @Test func sortsPairsOfDictionariesByEncodedKey() throws {
    let numbers: [(UInt8, Int)] = [(200, 1), (3, 2), (24, 3), (0, 4)]
    try expectDiagnostic(Self.dictionaries(numbers), "[0, 4, 3, 2, 24, 3, 200, 1]")
    let doubles: [(Double, Int)] = [(1.5, 1), (1.1, 2), (-1, 3), (100_000, 4)]
    try expectDiagnostic(Self.dictionaries(doubles), "[1.5, 1, -1.0, 3, 100000.0, 4, 1.1, 2]")
    let longKeys = ["same start, b", "same start, a", "same start, c"].map { ([$0], $0) }
    try expectDiagnostic(
      Self.dictionaries(longKeys),
      #"[["same start, a"], "same start, a", ["same start, b"], "same start, b", ["same start, c"], "same start, c"]"#)
  }

  @Test func equalSetsAndDictionariesGiveEqualBytesAtAnySize() throws {
    for count in [16, 17, 23, 24, 300] {
      let names = (0..<count).map { "name \($0 * 7919 % 1009)" }
      for encodings in [
        try Self.sets(names).map { try deterministicEncoder.encode($0) },
        try Self.dictionaries(names.map { ([$0, $0], $0) }).map { try deterministicEncoder.encode($0) },
        try Self.dictionaries(names.map { ($0, ["zz": 1, "y": 2, $0: 3]) }).map { try deterministicEncoder.encode($0) },
      ] {
        #expect(Set(encodings).count == 1)
      }
      try expectRoundTrips(Set(names), encoder: deterministicEncoder)
      try expectRoundTrips(
        Dictionary(uniqueKeysWithValues: Set(names).map { ([$0], [$0: 1.5]) }), encoder: deterministicEncoder)
    }
  }

  /// A type that encodes its set as a single value.
  private struct Wrapper: Encodable, Hashable {
    var set: Set<Int>

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(set)
    }
  }

  private struct Fields: Encodable {
    var b: Set<Int>?
    var a: [UInt8: Set<Int>]
    var c: [Set<Set<Int>>]
    var d: Wrapper
  }

  @Test func sortsSetsInsideOtherValues() throws {
    let sets = Self.sets([3, 1, 30, 2])
    let outer = Self.sets([Set([9, 4]), Set([5]), Set([1, 2, 3])])
    let values = zip(sets, outer).map { set, outer in
      Fields(b: set, a: [9: set, 4: []], c: [outer], d: Wrapper(set: set))
    }
    let sorted = "[1, 2, 3, 30]"
    try expectDiagnostic(
      values, #"{"a": [4, [], 9, \#(sorted)], "b": \#(sorted), "c": [[[5], [4, 9], [1, 2, 3]]], "d": \#(sorted)}"#)
    try expectDiagnostic(
      sets.map { CodedFields(b: $0, a: [7: 1, 3: 2]) }, #"{"a": [3, 2, 7, 1], "b": \#(sorted)}"#)
  }

  @Test func sortsSetsInContainersOfAnyKind() throws {
    try expectDiagnostic(
      Self.sets([3, 1, 30, 2]).map { set in
        Writing { encoder in
          var container = encoder.unkeyedContainer()
          try container.encode(set)
          let erased: any Encodable = set
          try container.encode(erased)
          var nested = container.nestedContainer(keyedBy: AnyTestKey.self)
          try nested.encode(Wrapper(set: set), forKey: "w")
          try nested.encode(set, forKey: "s")
          var last = container.nestedUnkeyedContainer()
          try last.encode(Set([[set: 1]]))
        }
      },
      #"[[1, 2, 3, 30], [1, 2, 3, 30], {"s": [1, 2, 3, 30], "w": [1, 2, 3, 30]}, [[[[1, 2, 3, 30], 1]]]]"#)
  }

  /// A value that requests its nested containers in one order and fills them in another.
  private struct Late: Encodable, Hashable {
    var number: Int

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: AnyTestKey.self)
      var first = container.nestedUnkeyedContainer(forKey: "b")
      var second = container.nestedUnkeyedContainer(forKey: "a")
      try second.encode(number)
      try first.encode(String(repeating: "x", count: 9 - number))
      try container.encode(number, forKey: "c")
    }
  }

  @Test func sortsElementsWithNestedContainers() throws {
    try expectDiagnostic(
      Self.sets([Late(number: 8), Late(number: 7)]),
      #"[{"a": [7], "b": ["xx"], "c": 7}, {"a": [8], "b": ["x"], "c": 8}]"#)
  }

  private struct Failing: Encodable, Hashable {
    var number: Int

    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      try container.encode(number)
      throw CocoaError(.coderInvalidValue)
    }
  }

  @Test func failedEntriesAreOmitted() throws {
    let value = Writing { encoder in
      enum Keys: CodingKey { case b, c, a }
      var container = encoder.container(keyedBy: Keys.self)
      try container.encode(1, forKey: .b)
      #expect(throws: CocoaError.self) { try container.encode(Set([Failing(number: 1)]), forKey: .c) }
      try container.encode(["x": 2, "w": 1], forKey: .a)
    }
    try expectDiagnostic([value], #"{"a": {"w": 1, "x": 2}, "b": 1}"#)
  }

  @Test func errorPathContainsTheIndexInASet() throws {
    var encoder = deterministicEncoder
    encoder.limits.depth = 2
    let context = try encodingErrorContext(["s": Set([[1]])], encoder)
    #expect(context.codingPath.map(\.stringValue) == ["s", "Index 0"])
  }

  @Test func setsHaveTheFormOfTheStandardLibrary() throws {
    let set: Set = [1, 2, 3]
    #expect(try decode([Int].self, encodedHex(set)).count == 3)
    try expectRoundTrips(set)
    try expectRoundTrips([[1, 2]: "a"])
    try expectEncoding([UInt8(5): "a"], "82056161")
  }
}

/// A set and a dictionary in fields.
private struct CodedFields: Codable {
  var b: Set<Int>
  var a: [UInt8: Int]
}

extension CodedFields: CBORFieldCodable {
  init(fields: inout CBORFieldDecoder) throws {
    b = try fields.decode(Set<Int>.self, forKey: "b")
    a = try fields.decode([UInt8: Int].self, forKey: "a")
  }

  func encodeFields(to fields: inout CBORFieldEncoder) throws {
    try fields.encode(b, forKey: "b")
    try fields.encode(a, forKey: "a")
  }
}
