// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemCoding
import TestSupport
import Testing

/// Classes with superclasses, super encoders and decoders, and user info.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct CBORInheritanceTests {
  class Animal: Codable {
    var name: String

    init(name: String) {
      self.name = name
    }
  }

  /// A subclass that shares the map of its superclass.
  final class Dog: Animal {
    private enum CodingKeys: String, CodingKey {
      case tricks
    }

    var tricks: [String]

    init(name: String, tricks: [String]) {
      self.tricks = tricks
      super.init(name: name)
    }

    required init(from decoder: any Decoder) throws {
      tricks = try decoder.container(keyedBy: CodingKeys.self).decode([String].self, forKey: .tricks)
      try super.init(from: decoder)
    }

    override func encode(to encoder: any Encoder) throws {
      try super.encode(to: encoder)
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(tricks, forKey: .tricks)
    }
  }

  /// A subclass whose superclass encodes to `super` or to a key.
  final class Cat: Animal {
    private enum CodingKeys: String, CodingKey {
      case lives
      case parent
    }

    var lives: Int
    let isKeyed: Bool

    init(name: String, lives: Int, isKeyed: Bool) {
      self.lives = lives
      self.isKeyed = isKeyed
      super.init(name: name)
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

  @Test func subclassSharesTheMapOfItsSuperclass() throws {
    let dog = Dog(name: "Argos", tricks: ["wait"])
    #expect(try encodedHex(dog) == "a2 646e616d65 654172676f73 66747269636b73 816477616974".filter { $0 != " " })
    let read = try roundTrip(dog)
    #expect(read.name == "Argos" && read.tricks == ["wait"])
    // The keys of the subclass may also precede those of the superclass.
    let turned = try decode(Dog.self, "a2 66747269636b73 80 646e616d65 6141")
    #expect(turned.name == "A" && turned.tricks == [])
  }

  @Test(arguments: [false, true])
  func superclassCanUseASuperEncoder(isKeyed: Bool) throws {
    let cat = Cat(name: "Felix", lives: 9, isKeyed: isKeyed)
    let key = isKeyed ? "66706172656e74" : "657375706572"
    #expect(try encodedHex(cat) == "a2\(key)a1646e616d656546656c6978656c6976657309")
    let read = try roundTrip([cat, cat])
    #expect(read.map(\.name) == ["Felix", "Felix"] && read.map(\.lives) == [9, 9])
  }

  @Test func superDecoderOfAMissingKeyDecodesNull() throws {
    let isNull = try Reading<[Bool]>.read("a1 6162 01") { decoder in
      let container = try decoder.container(keyedBy: AnyTestKey.self)
      let inner = try container.superDecoder(forKey: "a")
      #expect(inner.codingPath.map(\.stringValue) == ["a"])
      #expect(throws: DecodingError.self) { try inner.container(keyedBy: AnyTestKey.self) }
      #expect(throws: DecodingError.self) { try container.nestedContainer(keyedBy: AnyTestKey.self, forKey: "a") }
      #expect(try container.decode(Int.self, forKey: "b") == 1)
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

  @Test func superclassErrorsHaveItsPath() throws {
    #expect(try decodingError(Cat.self, "a2657375706572a1646e616d6507656c6976657309").path == "super.name")
    #expect(try decodingError([Cat].self, "81a266706172656e74a0656c6976657309").path == "Index 0.parent")
    let missing = try decodingError(Cat.self, "a1656c6976657309")
    #expect(missing.kind == "valueNotFound" && missing.path == "super")
    var paths: [String] = []
    let value = Writing { encoder in
      var container = encoder.container(keyedBy: AnyTestKey.self)
      var array = container.superEncoder(forKey: "a").unkeyedContainer()
      try array.encode(1)
      let inner = array.superEncoder()
      #expect(inner.codingPath.map(\.stringValue) == ["a", "Index 1"])
      var map = container.superEncoder().container(keyedBy: AnyTestKey.self)
      #expect(map.codingPath.map(\.stringValue) == ["super"])
      #expect(map.nestedUnkeyedContainer(forKey: "x").codingPath.map(\.stringValue) == ["super", "x"])
      #expect(container.codingPath.isEmpty)
    }
    paths.append(try encodedHex(value))
    #expect(paths == ["a2 6161 8201a0 657375706572 a1617880".filter { $0 != " " }])
  }

  @Test func codingPathFollowsTheCurrentValue() throws {
    struct Path: Encodable {
      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(encoder.codingPath.map(\.stringValue).joined(separator: "."))
      }
    }
    let value = Writing { encoder in
      var container = encoder.container(keyedBy: AnyTestKey.self)
      try container.encode(Path(), forKey: "a")
      try container.encode([Path(), Path()], forKey: "b")
      try container.encode(["k": [Path()]], forKey: "c")
      try container.encode([7: Path()], forKey: "d")
      try container.encode(Path?.some(Path()), forKey: "e")
    }
    #expect(
      try CBORDiagnosticNotation().text(of: CBOREncoder().encode(value))
        == #"{"a": "a", "b": ["b.Index 0", "b.Index 1"], "c": {"k": ["c.k.Index 0"]}, "d": {7: "d.7"}, "e": "e"}"#)
  }

  @Test func valuesReceiveTheUserInfo() throws {
    struct Seen: Codable, Equatable {
      var text: String

      init(text: String) {
        self.text = text
      }

      init(from decoder: any Decoder) throws {
        text = decoder.userInfo[.word] as? String ?? "none"
        #expect(try decoder.singleValueContainer().decode(String.self) == "written")
      }

      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(encoder.userInfo[.word] as? String ?? "none")
      }
    }
    var encoder = CBOREncoder()
    encoder.userInfo[.word] = "written"
    var decoder = CBORDecoder()
    decoder.userInfo[.word] = "read"
    #expect(try roundTrip(["a": [Seen(text: "")]], encoder, decoder) == ["a": [Seen(text: "read")]])
    let beside = Writing { encoder in
      var container = encoder.unkeyedContainer()
      var inner = container.superEncoder().unkeyedContainer()
      try inner.encode(Seen(text: ""))
    }
    #expect(try encodedHex(beside, encoder) == "818167" + "7772697474656e")
    // No state may remain for the next value.
    #expect(try encodedHex(Seen(text: "")) == "646e6f6e65")
  }
}

extension CodingUserInfoKey {
  fileprivate static let word = CodingUserInfoKey(rawValue: "word").unsafelyUnwrapped
}
