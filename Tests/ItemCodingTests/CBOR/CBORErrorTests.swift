// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemCoding
import TestSupport
import Testing

/// The kinds, coding paths and byte offsets of errors.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct CBORErrorTests {
  struct Hero: Codable {
    struct Power: Codable {
      var name: String
      var level: UInt8
    }

    var name: String
    var powers: [Power]
    var friends: [String: Int]
    var born: Date?
    var address: URL?
  }

  /// Checks the error of a hero, alone and within other containers.
  private func expectWrong(
    _ hex: String, _ kind: String, _ path: String, _ byte: Int, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try expectError(Hero.self, hex, kind: kind, path: path, byte: byte, sourceLocation: sourceLocation)
    let inside = Fault(try decodingError([String: [Hero]].self, "a1 616b 81" + hex, sourceLocation: sourceLocation))
    let expected = Fault(kind, ["k.Index 0", path].filter { !$0.isEmpty }.joined(separator: "."), byte + 4)
    // The input may be shorter than the outer containers require.
    let isShort = inside.kind == "dataCorrupted" && !inside.path.hasPrefix("k.Index 0")
    #expect(inside == expected || isShort, sourceLocation: sourceLocation)
  }

  @Test func errorsHaveKindPathAndByteOffset() throws {
    // The valid entries of a hero: 6, 24 and 9 bytes.
    let name = "646e616d65 6141"
    let powers = "66706f77657273 81a2646e616d65 6146 656c6576656c 05"
    let friends = "67667269656e6473 a1 6142 01"
    try expectWrong("a0", "keyNotFound", "", 0)
    try expectWrong("a1" + name, "keyNotFound", "", 0)
    try expectWrong("80", "typeMismatch", "", 0)
    try expectWrong("f6", "valueNotFound", "", 0)
    try expectWrong("ff", "dataCorrupted", "", 0)
    try expectWrong("a3 646e616d65 01 " + powers + friends, "typeMismatch", "name", 6)
    try expectWrong("a3 646e616d65 f6 " + powers + friends, "valueNotFound", "name", 6)
    try expectWrong("a3 646e616d65 61ff" + powers + friends, "dataCorrupted", "name", 6)
    try expectWrong("a3 646e616d65 1c" + powers + friends, "dataCorrupted", "name", 6)
    try expectWrong("a3" + name + "66706f77657273 01" + friends, "typeMismatch", "powers", 15)
    try expectWrong("a3" + name + "66706f77657273 f6" + friends, "valueNotFound", "powers", 15)
    try expectWrong("a3" + name + "66706f77657273 81f6" + friends, "valueNotFound", "powers.Index 0", 16)
    try expectWrong("a3" + name + "66706f77657273 81a0" + friends, "keyNotFound", "powers.Index 0", 16)
    let level = "powers.Index 0.level"
    try expectWrong("a3" + name + powers.dropLast(2) + "190100" + friends, "dataCorrupted", level, 30)
    try expectWrong("a3" + name + powers.dropLast(2) + "20" + friends, "dataCorrupted", level, 30)
    try expectWrong("a3" + name + powers.dropLast(2) + "f5" + friends, "typeMismatch", level, 30)
    try expectWrong("a3" + name + powers + "67667269656e6473 a1 6142 f4", "typeMismatch", "friends.B", 42)
    try expectWrong("a3" + name + powers + "67667269656e6473 a1 6142", "dataCorrupted", "friends.B", 42)
    let hero = "a4" + name + powers + friends
    try expectWrong(hero + "64626f726e c06142", "dataCorrupted", "born", 48)
    try expectWrong(hero + "64626f726e 00", "typeMismatch", "born", 48)
    try expectWrong(hero + "6761646472657373 f5", "typeMismatch", "address", 51)
  }

  @Test func missingKeyIsEscapedInTheError() throws {
    #expect(try decodingError(Hero.self, "a0").text == "at byte 0: a map without the key \"name\"")
    let other = #expect(throws: DecodingError.self) {
      try Reading<Int>.read("a0") { decoder in
        try decoder.container(keyedBy: AnyTestKey.self).decode(Int.self, forKey: "\u{1B}[2J")
      }
    }
    #expect(other?.kind == "keyNotFound" && other?.text.unicodeScalars.contains("\u{1B}") == false)
  }

  @Test func errorsOfValuesAreRethrown() {
    struct Own: Error {}
    expectErrors(
      Own.self, { _ = try Reading<Int>.read("8101") { _ in throw Own() } },
      { _ = try CBOREncoder().encode(["a": [Writing { _ in throw Own() }]]) })
  }

  @Test func encodingErrorsHaveThePathOfTheValue() throws {
    let twice = Writing { encoder in
      var container = encoder.singleValueContainer()
      try container.encode(1)
      try container.encode(2)
    }
    #expect(try encodingErrorContext(["k": [twice]]).codingPath.map(\.stringValue) == ["k", "Index 0"])
  }
}

/// Values that try one type after another.
///
/// Most attempts fail, and the program catches the errors.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct CBORTryEveryTypeTests {
  @Test func decodesValuesOfEveryType() throws {
    try expectDecoding([
      "88 f6 f5 20 1bffffffffffffffff f93800 6161 82 01 80 a2 6162 a0 6163 81f4":
        AnyValue.array([
          .null, .bool(true), .integer(-1), .unsigned(.max), .double(0.5), .text("a"),
          .array([.integer(1), .array([])]), .map(["b": .map([:]), "c": .array([.bool(false)])]),
        ])
    ])
  }

  @Test func errorsOfAttemptsHavePathAndByteOffset() throws {
    struct Attempts: Decodable {
      var faults: [String] = []

      init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        for _ in 0..<2 {
          for (expected, attempt) in [
            ("a Boolean", { _ = try container.decode(Bool.self) }),
            ("an integer", { _ = try container.decode(Int.self) }),
            ("a number", { _ = try container.decode(Double.self) }),
            ("an array", { _ = try container.decode([Int].self) }),
            ("a map", { _ = try container.decode([String: Int].self) }),
            ("a map", { _ = try decoder.container(keyedBy: AnyTestKey.self) }),
            ("an array", { _ = try decoder.unkeyedContainer() }),
          ] as [(String, () throws -> Void)] {
            let error = try #require(throws: DecodingError.self) { try attempt() }
            #expect(error.text.hasSuffix(": expected \(expected), found a text string"))
            faults.append("\(Fault(error))")
          }
        }
      }
    }
    let read = try decode([String: [Attempts]].self, "a2 6161 82 6178 6179 6162 81 617a")
    func faults(_ path: String, _ byte: Int) -> [String] {
      Array(repeating: "\(Fault("typeMismatch", path, byte))", count: 14)
    }
    let expected = ["a": [faults("a.Index 0", 4), faults("a.Index 1", 6)], "b": [faults("b.Index 0", 11)]]
    #expect(read.mapValues { $0.map(\.faults) } == expected)
  }

  /// A value that makes failing attempts before and after each nested value.
  ///
  /// Each error must have the path of its value.
  private struct Tree: Decodable {
    var failureCount = 0

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      try fail(decoder) { _ = try container.decode(Bool.self) }
      for _ in 0..<2 {
        if let inner = try? container.decode([Tree].self) { add(inner) }
        try fail(decoder) { _ = try container.decode(Bool.self) }
        if let inner = try? container.decode([String: Tree].self) { add(inner.values) }
        try fail(decoder) { _ = try container.decode(Bool.self) }
        if let keyed = try? decoder.container(keyedBy: AnyTestKey.self) {
          for key in keyed.allKeys {
            try fail(decoder, key) { _ = try keyed.decode(Bool.self, forKey: key) }
            add([try keyed.decode(Tree.self, forKey: key), try Tree(from: try keyed.superDecoder(forKey: key))])
          }
        }
        try fail(decoder) { _ = try container.decode(Bool.self) }
      }
    }

    private mutating func add(_ inner: some Sequence<Tree>) {
      for tree in inner { failureCount += tree.failureCount }
    }

    private mutating func fail(_ decoder: any Decoder, _ key: AnyTestKey? = nil, _ attempt: () throws -> Void) throws {
      let error = try #require(throws: DecodingError.self) { try attempt() }
      failureCount += 1
      let path = decoder.codingPath + (key.map { [$0] } ?? [])
      #expect(error.context?.codingPath.map(\.stringValue) == path.map(\.stringValue))
    }
  }

  @Test func errorsBetweenNestedValuesHaveAPath() throws {
    let tree = try decode(Tree.self, "83 82 01 81 02 a2 6161 82 03 04 6162 a1 6163 05 06")
    #expect(tree.failureCount > 100)
  }

  /// A value that retains the errors of all its attempts until the end.
  private struct KeptErrors: Decodable {
    var errors: [DecodingError] = []

    init(from decoder: any Decoder) throws {
      let map = try decoder.container(keyedBy: AnyTestKey.self)
      for key in map.allKeys.sorted(by: { $0.stringValue < $1.stringValue }) {
        errors.append(try #require(throws: DecodingError.self) { try map.decode(Bool.self, forKey: key) })
        errors.append(try #require(throws: DecodingError.self) { try map.decode(Int.self, forKey: key) })
        guard var array = try? map.nestedUnkeyedContainer(forKey: key) else { continue }
        while !array.isAtEnd {
          errors.append(try #require(throws: DecodingError.self) { try array.decode(Bool.self) })
          errors.append(try #require(throws: DecodingError.self) { try array.decode([Int].self) })
          _ = try array.decode(String.self)
        }
      }
    }
  }

  @Test func retainedErrorsKeepTheirPathAndByteOffset() throws {
    let long = Data(hex: "79 0400") + Data(repeating: 0x78, count: 1024)
    let map = Data(hex: "a2 6161") + long + Data(hex: "6162 82 6178 6179")
    let values = try CBORDecoder().decode([KeptErrors].self, from: Data([0x82]) + map + map)
    let locations = values.flatMap(\.errors).map { "\($0.path) \($0.byte ?? -1)" }
    let expected = [
      "Index 0.a 4", "Index 0.b 1033", "Index 0.b.Index 0 1034", "Index 0.b.Index 1 1036", "Index 1.a 1041",
      "Index 1.b 2070", "Index 1.b.Index 0 2071", "Index 1.b.Index 1 2073",
    ]
    #expect(locations == expected.flatMap { [$0, $0] })
  }

  @Test func errorsOfTheCallHavePathAndByteOffset() throws {
    try expectError(
      [String: AnyValue].self, "a1 6161 82 6162 81 c1 40", kind: "typeMismatch", path: "a", byte: 3)
    let number = try decodingError([String: [UInt8?]].self, "a1 6161 83 01 f6 e0")
    let text = "at byte 6: expected an integer, found simple value 0"
    #expect((number.path, number.text) == ("a.Index 2", text))
  }

  // MARK: The limit of visits

  /// Any value, decoded from nested containers.
  private struct Nested: Decodable {
    var count = 0

    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      count = try Self.count(in: &container)
    }

    private static func count(in container: inout any UnkeyedDecodingContainer) throws -> Int {
      var count = 0
      while !container.isAtEnd {
        if (try? container.decode(Int.self)) != nil { continue }
        if let map = try? container.nestedContainer(keyedBy: AnyTestKey.self) {
          count += map.allKeys.count
        } else {
          var inner = try container.nestedUnkeyedContainer()
          count += try Self.count(in: &inner)
        }
      }
      return count
    }
  }

  @Test func decodesManyMapsInFortyNestedArrays() throws {
    let maps = "99 07d0" + String(repeating: "a1616101", count: 2000)
    let inner = AnyValue.array(Array(repeating: .map(["a": .integer(1)]), count: 2000))
    let value = (0..<39).reduce(inner) { value, _ in .array([value]) }
    let bytes = Data(hex: String(repeating: "81", count: 39) + maps)
    let count = try CBORDecoder().decode(Nested.self, from: bytes).count
    #expect(try CBORDecoder().decode(AnyValue.self, from: bytes) == value && count == 2000)
  }

  /// A type that decodes each element twice, and thus visits two to the power of its depth values.
  private struct Twice: Decodable {
    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if (try? container.decode(String.self)) != nil { return }
      _ = try container.decode([Twice].self)
      _ = try container.decode([Twice].self)
    }
  }

  @Test func refusesTooManyVisitsToTheSameBytes() throws {
    let item = try CBOREncoder().encode(String(repeating: "a", count: 100_000))
    let error = try decodingError(Twice.self, Data(repeating: 0x81, count: 40) + item)
    let text = "decoding exceeds the limit of visits to the same bytes"
    #expect(error.kind == "dataCorrupted" && error.text.hasSuffix(": \(text)"))
    _ = try CBORDecoder().decode(Twice.self, from: Data(repeating: 0x81, count: 6) + item)
  }
}
