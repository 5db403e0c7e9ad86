// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemCoding
import TestSupport
import Testing

/// Types with synthesized or standard `Codable` conformances: enumerations, dictionaries, optionals and more.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct CBORCodableTests {
  enum Shape: Codable, Equatable, Sendable {
    case point
    case circle(radius: Double)
    case label(String, at: [Int])
    indirect case group(Shape, Shape?)
  }

  @Test(arguments: [
    Shape.point, .circle(radius: 1.5), .label("a", at: [1, 2]), .group(.point, .group(.circle(radius: 0), nil)),
  ])
  func enumerationsWithPayloadsRoundTrip(shape: Shape) throws {
    #expect(try roundTrip(shape) == shape)
    #expect(try roundTrip([shape, shape]) == [shape, shape])
  }

  @Test func enumerationsAreMapsAsInOtherCoders() throws {
    #expect(try encodedHex(Shape.circle(radius: 1.5)) == "a166636972636c65a166726164697573f93e00")
    #expect(try encodedHex(Shape.point) == "a165706f696e74a0")
    #expect(try decodingError(Shape.self, "a163626f78a0").kind == "typeMismatch")
    #expect(try decodingError(Shape.self, "a265706f696e74a066636972636c65a0").kind == "typeMismatch")
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
    #expect(try encodedHex(["a": 1]) == "a1616101")
    #expect(try encodedHex([-1: "a", 500: "b"], deterministicEncoder) == "a21901f46162206161")
    for count in [0, 1, 23, 24, 255, 256, 1000] {
      let texts = Dictionary(uniqueKeysWithValues: (0..<count).map { ("key \($0)", $0) })
      let numbers = Dictionary(uniqueKeysWithValues: (0..<count).map { ($0 - 50, [$0]) })
      #expect(try roundTrip(texts) == texts)
      #expect(try roundTrip(numbers) == numbers)
    }
  }

  @Test func textKeysDecodeAsNumberKeys() throws {
    #expect(try decode([Int: Bool].self, "a2 6131 f5 622d32 f4") == [1: true, -2: false])
    #expect(try decodingError([Int: Bool].self, "a1 6161 f5").byte == 1)
  }

  @Test func dictionariesWithCodingKeyRepresentableKeysAreMapsAndOthersArrays() throws {
    #expect(try encodedHex([Side.left: 1]) == "a1646c65667401")
    #expect(try roundTrip([Side.left: 1, .right: 2]) == [.left: 1, .right: 2])
    let codes = [Code(rawValue: 7): "a", Code(rawValue: -7): "b"]
    #expect(try roundTrip(codes) == codes)
    #expect(try decode([Code: Int].self, "a1 07 01") == [Code(rawValue: 7): 1])
    #expect(try encodedHex([Plain.one: 1]) == "82636f6e6501")
    let places = [Place(x: 1): ["a"], Place(x: 2): []]
    #expect(try roundTrip(places) == places)
    #expect(try roundTrip([UInt8(1): 1, 2: 2]) == [1: 1, 2: 2])
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
    #expect(try encodedHex(Optionals()) == "a0")
    for hex in ["a0", "a6 6161f6 6162f6 6163f6 6164f6 6165f6 6166f6", "a2 6161f7 6164f7", "bf 6162f6 ff"] {
      let read = try decode(Optionals.self, hex)
      #expect(read.a == nil && read.b == nil && read.c == nil && read.d == nil && read.f == nil)
    }
    let full = Optionals(a: 1, b: "", c: [nil, 2], d: Place(x: 3), e: .some(4), f: Date(timeIntervalSince1970: 0))
    #expect(try roundTrip(full) == full)
  }

  @Test func nestedOptionalsEncodeAsNull() throws {
    #expect(try encodedHex([1, nil, 3] as [Int?]) == "8301f603")
    #expect(try roundTrip([nil, "a"] as [String?]) == [nil, "a"])
    #expect(try roundTrip(["a": nil, "b": 1] as [String: Int?]) == ["a": nil, "b": 1])
    #expect(try roundTrip(Int??.some(.some(1))) == 1)
    #expect(try encodedHex(Int??.some(.none)) == "f6")
    #expect(try decode([Int??].self, "82f607").map { $0.map { $0 ?? -1 } ?? -1 } == [-1, 7])
    #expect(try roundTrip([[nil], nil, []] as [[Place?]?]) == [[nil], nil, []])
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

  @Test func recursiveClassesRoundTrip() throws {
    let tree = Node("a", [Node("b", [Node("c")]), Node("d")])
    #expect(try roundTrip(tree).text == "a(b(c) d)")
  }

  @Test func standardLibraryAndFoundationTypesRoundTrip() throws {
    #expect(try roundTrip(Everything()) == Everything())
    #expect(try roundTrip([Everything(), Everything()]) == [Everything(), Everything()])
  }

  @Test func valueWithoutFieldsIsAnEmptyMap() throws {
    struct Nothing: Codable, Equatable {}
    #expect(try encodedHex(Nothing()) == "a0")
    #expect(try roundTrip([Nothing(), Nothing()]) == [Nothing(), Nothing()])
    #expect(try encodedHex(Writing { _ in }) == "a0")
  }
}
