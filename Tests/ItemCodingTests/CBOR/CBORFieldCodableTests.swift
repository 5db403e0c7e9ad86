// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemCoding
import TestSupport
import Testing

/// The example of the documentation for a field codable type.
private struct Feat: Equatable {
  var title: String
  var year: Int?
}

extension Feat: CBORFieldCodable {
  func encodeFields(to fields: inout CBORFieldEncoder) throws {
    try fields.encode(title, forKey: "title")
    try fields.encodeIfPresent(year, forKey: "year")
  }

  init(fields: inout CBORFieldDecoder) throws {
    title = try fields.decode(String.self, forKey: "title")
    year = try fields.decodeIfPresent(Int.self, forKey: "year")
  }
}

/// The same type with the synthesized conformance.
private struct PlainFeat: Codable, Equatable {
  var title: String
  var year: Int?
}

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct CBORFieldCodableTests {
  @Test func bytesAreThoseOfTheCodableConformance() throws {
    let feats = [
      Feat(title: "Nemean lion", year: 1), Feat(title: "", year: nil), Feat(title: "Mead of poetry", year: -300),
    ]
    let plain = feats.map { PlainFeat(title: $0.title, year: $0.year) }
    try expectEncoding(feats, encodedHex(plain))
    try expectEncoding(feats[0], encodedHex(plain[0]))
    try expectEncoding(["a": feats[0]], encodedHex(["a": plain[0]]))
    try expectRoundTrips(feats)
    try expectRoundTrips(["a": feats[1]])
  }

  /// A value with a field of each kind.
  private struct Everything: CBORFieldCodable, Equatable {
    var flag = true
    var number: UInt16? = 7
    var ratio: Double? = 0.5
    var feat = Feat(title: "lion", year: 1)
    var feats = [Feat(title: "hydra", year: nil)]
    var optional: Feat?

    init() {}

    func encodeFields(to fields: inout CBORFieldEncoder) throws {
      try fields.encode(flag, forKey: "flag")
      try fields.encodeIfPresent(number, forKey: "number")
      try fields.encodeIfPresent(ratio, forKey: "ratio")
      try fields.encode(feat, forKey: "feat")
      try fields.encode(feats, forKey: "feats")
      try fields.encodeNil(forKey: "optional")
    }

    init(fields: inout CBORFieldDecoder) throws {
      flag = try fields.decode(Bool.self, forKey: "flag")
      number = try fields.decodeIfPresent(UInt16.self, forKey: "number")
      ratio = try fields.decodeIfPresent(Double.self, forKey: "ratio")
      feat = try fields.decode(Feat.self, forKey: "feat")
      feats = try fields.decodeIfPresent([Feat].self, forKey: "feats", nullAs: Feat(title: "", year: nil)) ?? []
      optional = try fields.decodeIfPresent(Feat.self, forKey: "optional")
      if number == 0 { throw fields.notFound("number", "zero is not a number of feats") }
    }
  }

  @Test func otherCodersGetTheFields() throws {
    let value = Everything()
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let json = try encoder.encode(value)
    #expect(
      String(decoding: json, as: UTF8.self)
        == #"{"feat":{"title":"lion","year":1},"feats":[{"title":"hydra"}],"flag":true,"number":7,"optional":null,"#
        + #""ratio":0.5}"#)
    #expect(try JSONDecoder().decode(Everything.self, from: json) == value)
    // A property list has no null.
    let feats = [value.feat] + value.feats
    #expect(try PropertyListDecoder().decode([Feat].self, from: PropertyListEncoder().encode(feats)) == feats)
    // The fields also pass through the encoder of another value.
    let wrapped = Writing { try value.encode(to: $0) }
    #expect(try notation(wrapped) == notation(value))
    #expect(try Reading<Everything>.read(encodedHex(value)) { try Everything(from: $0) } == value)
  }

  @Test func otherDecodersReportThePathOfAField() throws {
    let texts: KeyValuePairs = [
      #"{"flag":1}"#: "flag", "{}": "", #"{"flag":true,"number":1.5}"#: "number",
      #"{"flag":true,"feat":{"title":2}}"#: "feat.title",
      #"{"flag":true,"feat":{"title":""},"feats":[null,5]}"#: "feats.Index 1",
      #"{"flag":true,"feat":{"title":""},"number":0}"#: "",
    ]
    for (text, path) in texts {
      let error = try #require(throws: DecodingError.self) {
        try JSONDecoder().decode(Everything.self, from: Data(text.utf8))
      }
      #expect(error.path == path, "\(text): \(error)")
    }
  }

  @Test func fieldsDecodeInAnyOrder() throws {
    let feat = Feat(title: "lion", year: 5)
    try expectDecoding([
      "a2 6479656172 05 657469746c65 646c696f6e": feat, "a3 6178 f6 657469746c65 646c696f6e 6479656172 05": feat,
      "bf 657469746c65 7f 626c69 626f6e ff 6479656172 05 ff": feat, "a2 657469746c65 646c696f6e 6479656172 05": feat,
    ])
  }

  @Test func mismatchesHavePathAndByteOffset() throws {
    try expectError(Feat.self, "80", kind: "typeMismatch", path: "", byte: 0)
    try expectError(Feat.self, "a0", kind: "keyNotFound", path: "", byte: 0)
    try expectError(Feat.self, "a1 657469746c65 01", kind: "typeMismatch", path: "title", byte: 7)
    try expectError(Feat.self, "a2 657469746c65 60 6479656172 60", kind: "typeMismatch", path: "year", byte: 13)
    try expectError(Feat.self, "a2 657469746c65 60 657469746c65 60", kind: "dataCorrupted", path: "year", byte: 8)
    try expectError(Feat.self, "a1 657469746c65 61", kind: "dataCorrupted", path: "title", byte: 7)
    // The entry after the last field is malformed or has a repeated key.
    try expectError(
      Feat.self, "a3 657469746c65 60 6479656172 05 6178 1c", "a3 657469746c65 60 6479656172 05 6479656172 06",
      kind: "dataCorrupted")
  }

  /// A type that decodes one field twice.
  private struct Twice: CBORFieldCodable, Equatable {
    var first = 1
    var second = 1

    init() {}

    func encodeFields(to fields: inout CBORFieldEncoder) throws {
      try fields.encode(first, forKey: "x")
    }

    init(fields: inout CBORFieldDecoder) throws {
      first = try fields.decode(Int.self, forKey: "x")
      second = try fields.decode(Int.self, forKey: "x")
    }
  }

  @Test func refusesRepeatedFieldsThatAreDecodedTwice() throws {
    try expectError(Twice.self, "a2 617801 617802", kind: "dataCorrupted", path: "x", byte: 4)
    try expectError([Twice].self, "81 a2 617801 617802", kind: "dataCorrupted", path: "Index 0.x", byte: 5)
    try expectDecoding(["a1 617801": Twice()])
    // The repeated key precedes the field that is decoded first.
    try expectError(Colliding.self, "a2 6461636364 01 6461636364 02", kind: "dataCorrupted", path: "abcd")
  }

  /// A type with two fields whose names have the same hash in ``CBORFieldDecoder``.
  private struct Colliding: CBORFieldCodable, Equatable {
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

  @Test func decodesFieldsWhoseNamesHaveTheSameHash() throws {
    let value = Colliding(abcd: [1, 2], accd: 3)
    try expectRoundTrips([value, value])
  }

  // MARK: Classes

  class Animal: CBORFieldCodable {
    private enum CodingKeys: String, CodingKey { case name }

    var name: String

    init(name: String) {
      self.name = name
    }

    required init(from decoder: any Decoder) throws {
      name = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .name)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(name, forKey: .name)
    }

    func encodeFields(to fields: inout CBORFieldEncoder) throws {
      try fields.encode(name, forKey: "name")
    }

    required init(fields: inout CBORFieldDecoder) throws {
      name = try fields.decode(String.self, forKey: "name")
    }
  }

  /// A subclass that overrides all four methods.
  class Dog: Animal {
    private enum CodingKeys: String, CodingKey { case tricks }

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

    override func encodeFields(to fields: inout CBORFieldEncoder) throws {
      try super.encodeFields(to: &fields)
      try fields.encode(tricks, forKey: "tricks")
    }

    required init(fields: inout CBORFieldDecoder) throws {
      tricks = try fields.decode([String].self, forKey: "tricks")
      try super.init(fields: &fields)
    }
  }

  /// A subclass that encodes its age only with `Codable`.
  final class Puppy: Dog {
    private enum CodingKeys: String, CodingKey { case weeks }

    var weeks = 5

    override func encode(to encoder: any Encoder) throws {
      try super.encode(to: encoder)
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(weeks, forKey: .weeks)
    }
  }

  /// A subclass that encodes its lives only by its fields.
  final class Cat: Animal {
    var lives = 9

    override func encodeFields(to fields: inout CBORFieldEncoder) throws {
      try super.encodeFields(to: &fields)
      try fields.encode(lives, forKey: "lives")
    }
  }

  private struct Owner: Codable {
    var animal: Animal
    var others: [String: Animal]
  }

  @Test func subclassesKeepTheirFields() throws {
    let dog = #"{"name": "Argos", "tricks": ["wait"]}"#
    let puppy = #"{"name": "Rex", "tricks": [], "weeks": 5}"#
    let cat = #"{"name": "Felix", "lives": 9}"#
    let animals = [
      Animal(name: "Ant"), Dog(name: "Argos", tricks: ["wait"]), Puppy(name: "Rex", tricks: []), Cat(name: "Felix"),
    ]
    let texts = [#"{"name": "Ant"}"#, dog, puppy, cat]
    #expect(try notation(animals) == "[\(texts.joined(separator: ", "))]")
    #expect(try animals.map { try notation($0) } == texts)
    #expect(
      try notation(Owner(animal: animals[2], others: ["a": animals[1]]))
        == #"{"animal": \#(puppy), "others": {"a": \#(dog)}}"#)
    #expect(try notation([Animal?.some(animals[3]), nil]) == "[\(cat), null]")
  }

  @Test func subclassesDecodeByTheirFields() throws {
    let dogs = try roundTrip([Dog(name: "Argos", tricks: ["wait"]), Dog(name: "Lassie", tricks: [])])
    #expect(dogs.map(\.name) == ["Argos", "Lassie"] && dogs.map(\.tricks) == [["wait"], []])
    #expect(try roundTrip([Dog(name: "Argos", tricks: ["wait"])] as [Animal])[0].name == "Argos")
  }

  @Test func failedSubclassesAreOmitted() throws {
    final class Broken: Animal {
      struct Failure: Error {}

      override func encode(to encoder: any Encoder) throws {
        try super.encode(to: encoder)
        throw Failure()
      }
    }
    let value = Writing { encoder in
      var container = encoder.unkeyedContainer()
      #expect(throws: Broken.Failure.self) { try container.encode(Broken(name: "B")) }
      try container.encode(Animal(name: "A"))
    }
    #expect(try notation(value) == #"[{"name": "A"}]"#)
  }
}
