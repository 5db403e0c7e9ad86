// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemCoding
import TestSupport
import Testing

/// Field codable classes and their subclasses.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct CBORFieldCodableClassTests {
  class Animal: Codable, CBORFieldCodable {
    var name: String

    init(name: String) {
      self.name = name
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

  private func notation(_ value: some Encodable) throws -> String {
    try CBORDiagnosticNotation().text(of: CBOREncoder().encode(value))
  }

  @Test func subclassesKeepTheirFields() throws {
    let dog = #"{"name": "Argos", "tricks": ["wait"]}"#
    let puppy = #"{"name": "Rex", "tricks": [], "weeks": 5}"#
    let cat = #"{"name": "Felix", "lives": 9}"#
    let animals = [
      Animal(name: "Ant"), Dog(name: "Argos", tricks: ["wait"]), Puppy(name: "Rex", tricks: []), Cat(name: "Felix"),
    ]
    #expect(try notation(animals) == #"[{"name": "Ant"}, \#(dog), \#(puppy), \#(cat)]"#)
    #expect(try notation(Dog(name: "Argos", tricks: ["wait"])) == dog)
    #expect(try notation(Puppy(name: "Rex", tricks: [])) == puppy)
    #expect(try notation(Cat(name: "Felix")) == cat)
    #expect(
      try notation(Owner(animal: animals[2], others: ["a": animals[1]]))
        == #"{"animal": \#(puppy), "others": {"a": \#(dog)}}"#)
    #expect(try notation([Animal?.some(animals[3]), nil]) == "[\(cat), null]")
  }

  @Test func subclassesDecodeByTheirFields() throws {
    let dogs = try roundTrip([Dog(name: "Argos", tricks: ["wait"]), Dog(name: "Lassie", tricks: [])])
    #expect(dogs.map(\.name) == ["Argos", "Lassie"])
    #expect(dogs.map(\.tricks) == [["wait"], []])
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
