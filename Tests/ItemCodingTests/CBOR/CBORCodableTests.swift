// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemCoding
import TestSupport
import Testing

/// Types with synthesized or standard `Codable` conformances: enumerations, dictionaries, optionals and more.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct CBORCodableTests {
  enum Shape: Codable, Equatable, Sendable {
    case point
    case circle(radius: Double)
    case label(String, at: [Int])
    indirect case group(Shape, Shape?)
  }

  @Test func enumerationsAreMapsAsInOtherCoders() throws {
    let shapes = [
      Shape.point, .circle(radius: 1.5), .label("a", at: [1, 2]), .group(.point, .group(.circle(radius: 0), nil)),
    ]
    for shape in shapes { try expectRoundTrips(shape) }
    try expectRoundTrips(shapes)
    try expectEncoding(Shape.circle(radius: 1.5), "a1 66636972636c65 a1 66726164697573 f93e00")
    try expectEncoding(Shape.point, "a1 65706f696e74 a0")
    try expectError(Shape.self, "a163626f78a0", "a265706f696e74a066636972636c65a0", kind: "typeMismatch")
  }

  // MARK: Dictionaries

  enum Side: String, Codable, CodingKeyRepresentable {
    case left
    case right
  }

  enum Plain: String, Codable {
    case one
  }

  struct Place: Codable, Hashable {
    var x: Int
  }

  struct Code: RawRepresentable, Codable, Hashable, CodingKeyRepresentable {
    var rawValue: Int

    var codingKey: any CodingKey { AnyTestKey(intValue: rawValue) }

    init(rawValue: Int) {
      self.rawValue = rawValue
    }

    init?<Key: CodingKey>(codingKey: Key) {
      guard let number = codingKey.intValue else { return nil }
      rawValue = number
    }
  }

  @Test func dictionariesWithTextAndNumberKeysAreMaps() throws {
    try expectEncoding(["a": 1], "a1616101")
    try expectEncoding([-1: "a", 500: "b"], "a21901f46162206161", deterministicEncoder)
    for count in [0, 1, 23, 24, 255, 256, 1000] {
      try expectRoundTrips(Dictionary(uniqueKeysWithValues: (0..<count).map { ("key \($0)", $0) }))
      try expectRoundTrips(Dictionary(uniqueKeysWithValues: (0..<count).map { ($0 - 50, [$0]) }))
    }
    try expectDecoding(["a2 6131 f5 622d32 f4": [1: true, -2: false]])
    try expectError([Int: Bool].self, "a1 6161 f5", byte: 1)
  }

  @Test func dictionariesWithCodingKeyRepresentableKeysAreMapsAndOthersArrays() throws {
    try expectEncoding([Side.left: 1], "a1646c65667401")
    try expectRoundTrips([Side.left: 1, .right: 2])
    try expectRoundTrips([Code(rawValue: 7): "a", Code(rawValue: -7): "b"])
    try expectDecoding(["a1 07 01": [Code(rawValue: 7): 1]])
    try expectEncoding([Plain.one: 1], "82636f6e6501")
    try expectRoundTrips([Place(x: 1): ["a"], Place(x: 2): []])
    try expectRoundTrips([UInt8(1): 1, 2: 2])
  }

  // MARK: Optionals

  struct Optionals: Codable, Equatable {
    var a: Int?
    var b: String?
    var c: [Int?]?
    var d: Place?
    var e: Int??
    var f: Date?
  }

  @Test func missingNullAndUndefinedDecodeAsNil() throws {
    try expectEncoding(Optionals(), "a0")
    for hex in ["a0", "a6 6161f6 6162f6 6163f6 6164f6 6165f6 6166f6", "a2 6161f7 6164f7", "bf 6162f6 ff"] {
      var read = try decode(Optionals.self, hex)
      read.e = nil
      #expect(read == Optionals())
    }
    try expectRoundTrips(
      Optionals(a: 1, b: "", c: [nil, 2], d: Place(x: 3), e: .some(4), f: Date(timeIntervalSince1970: 0)))
  }

  @Test func nestedOptionalsEncodeAsNull() throws {
    try expectEncoding([1, nil, 3] as [Int?], "8301f603")
    try expectRoundTrips([nil, "a"] as [String?])
    try expectRoundTrips(["a": nil, "b": 1] as [String: Int?])
    try expectRoundTrips(Int??.some(.some(1)))
    try expectEncoding(Int??.some(.none), "f6")
    #expect(try decode([Int??].self, "82f607").map { $0.map { $0 ?? -1 } ?? -1 } == [-1, 7])
    try expectRoundTrips([[nil], nil, []] as [[Place?]?])
    #expect(try decode([Optionals?].self, "83f6a0f7").map { $0 == nil } == [true, false, true])
  }

  // MARK: Others

  final class Node: Codable {
    var name: String
    var children: [Node]

    init(_ name: String, _ children: [Node] = []) {
      self.name = name
      self.children = children
    }

    var text: String { name + (children.isEmpty ? "" : "(\(children.map(\.text).joined(separator: " ")))") }
  }

  struct Everything: Codable, Equatable {
    var range = 1..<5
    var closed: ClosedRange<Double> = -1...1
    var set: Set<String> = ["a", "b"]
    var contiguous: ContiguousArray<Int8> = [1, -1]
    var side: Side = .right
    var character = "\u{1F9B8}\u{200D}\u{2640}\u{FE0F}"
    var components = DateComponents(year: 2026, month: 2)
    var index: IndexSet = [1, 2, 9]
    var locale = Locale(identifier: "de_AT")
    var half: Float16 = 1.5
  }

  struct Nothing: Codable, Equatable {}

  @Test func classesAndFoundationTypesAndEmptyValuesRoundTrip() throws {
    let tree = Node("a", [Node("b", [Node("c")]), Node("d")])
    #expect(try roundTrip(tree).text == "a(b(c) d)")
    try expectRoundTrips(Everything())
    try expectRoundTrips([Everything(), Everything()])
    try expectEncoding(Nothing(), "a0")
    try expectRoundTrips([Nothing(), Nothing()])
    try expectEncoding(Writing { _ in }, "a0")
  }
}

/// Super encoders and decoders, coding paths and user info.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct CBORInheritanceTests {
  class Animal: Codable {
    var name = "Felix"
  }

  /// A subclass whose superclass encodes to `super` or to a key.
  final class Cat: Animal {
    private enum CodingKeys: String, CodingKey { case lives, parent }

    var lives = 9
    let isKeyed: Bool

    init(isKeyed: Bool) {
      self.isKeyed = isKeyed
      super.init()
    }

    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      isKeyed = container.contains(.parent)
      let parent = try isKeyed ? container.superDecoder(forKey: .parent) : container.superDecoder()
      lives = try container.decode(Int.self, forKey: .lives)
      try super.init(from: parent)
    }

    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      let parent = isKeyed ? container.superEncoder(forKey: .parent) : container.superEncoder()
      try container.encode(lives, forKey: .lives)
      try super.encode(to: parent)
    }
  }

  @Test(arguments: [(false, "657375706572"), (true, "66706172656e74")])
  func superclassUsesASuperEncoder(isKeyed: Bool, key: String) throws {
    try expectEncoding(Cat(isKeyed: isKeyed), "a2\(key)a1646e616d656546656c6978656c6976657309")
    let read = try decode([Cat].self, "82a2\(key)a1646e616d656141656c6976657301a2\(key)a1646e616d656142656c6976657302")
    #expect(read.map { "\($0.name) \($0.lives) \($0.isKeyed)" } == ["A 1 \(isKeyed)", "B 2 \(isKeyed)"])
    let path = isKeyed ? "Index 0.parent" : "Index 0.super"
    try expectError([Cat].self, "81a2\(key)a1646e616d6507656c6976657309", path: path + ".name")
    try expectError([Cat].self, "81a2\(key)a0656c6976657309", path: path)
    try expectError(Cat.self, "a1656c6976657309", kind: "valueNotFound", path: "super")
  }

  @Test func superDecoderOfAMissingKeyDecodesNull() throws {
    let isNull = try Reading<[Bool]>.read("a1 6162 01") { decoder in
      let container = try decoder.container(keyedBy: AnyTestKey.self)
      let inner = try container.superDecoder(forKey: "a")
      expectErrors(
        DecodingError.self, { _ = try inner.container(keyedBy: AnyTestKey.self) },
        { _ = try container.nestedContainer(keyedBy: AnyTestKey.self, forKey: "a") })
      #expect(try container.decode(Int.self, forKey: "b") == 1 && inner.codingPath.map(\.stringValue) == ["a"])
      return [try inner.singleValueContainer().decodeNil(), try Int?(from: inner) == nil]
    }
    #expect(isNull == [true, true])
    let missing = try #require(throws: DecodingError.self) {
      try Reading<String>.read("a0") { decoder in
        try String(from: decoder.container(keyedBy: AnyTestKey.self).superDecoder(forKey: "a"))
      }
    }
    #expect(missing.kind == "valueNotFound" && missing.path == "a")
  }

  @Test func codingPathFollowsTheCurrentValue() throws {
    let path = Writing { encoder in
      var container = encoder.singleValueContainer()
      try container.encode(encoder.codingPath.map(\.stringValue).joined(separator: "."))
    }
    let value = Writing { encoder in
      var container = encoder.container(keyedBy: AnyTestKey.self)
      try container.encode(path, forKey: "a")
      try container.encode([path, path], forKey: "b")
      try container.encode(["k": [path]], forKey: "c")
      try container.encode([7: path], forKey: "d")
      try container.encode(Writing?.some(path), forKey: "e")
    }
    #expect(
      try notation(value)
        == #"{"a": "a", "b": ["b.Index 0", "b.Index 1"], "c": {"k": ["c.k.Index 0"]}, "d": {7: "d.7"}, "e": "e"}"#)
    let supers = Writing { encoder in
      var container = encoder.container(keyedBy: AnyTestKey.self)
      var array = container.superEncoder(forKey: "a").unkeyedContainer()
      try array.encode(1)
      try path.encode(to: array.superEncoder())
      var map = container.superEncoder().container(keyedBy: AnyTestKey.self)
      let paths = [container.codingPath, map.codingPath, map.nestedUnkeyedContainer(forKey: "x").codingPath]
      #expect(paths.map { $0.map(\.stringValue) } == [[], ["super"], ["super", "x"]])
    }
    #expect(try notation(supers) == #"{"a": [1, "a.Index 1"], "super": {"x": []}}"#)
  }

  @Test func valuesReceiveTheUserInfo() throws {
    let word = Writing { encoder in
      var container = encoder.singleValueContainer()
      try container.encode(encoder.userInfo[.word] as? String ?? "none")
    }
    struct Word: Decodable {
      var text: String

      init(from decoder: any Decoder) {
        text = decoder.userInfo[.word] as? String ?? "none"
      }
    }
    let beside = Writing { encoder in
      var container = encoder.unkeyedContainer()
      var inner = container.superEncoder().unkeyedContainer()
      try inner.encode(word)
    }
    var encoder = CBOREncoder()
    encoder.userInfo[.word] = "written"
    #expect(try notation(["a": [word, beside]], encoder) == #"{"a": ["written", [["written"]]]}"#)
    var decoder = CBORDecoder()
    decoder.userInfo[.word] = "read"
    #expect(try decode([String: [Word]].self, "a161618100", decoder)["a"]?.map(\.text) == ["read"])
    // No state may remain for the next value.
    #expect(try notation(word) == #""none""#)
    #expect(try decode([Word].self, "8100").map(\.text) == ["none"])
  }
}

extension CodingUserInfoKey {
  fileprivate static let word = CodingUserInfoKey(rawValue: "word").unsafelyUnwrapped
}
