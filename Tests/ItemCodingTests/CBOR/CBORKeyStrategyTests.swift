// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemCoding
import TestSupport
import Testing

/// Keys in snake case.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct CBORKeyStrategyTests {
  private let encoder: CBOREncoder
  private let decoder: CBORDecoder

  init() {
    var (encoder, decoder) = (CBOREncoder(), CBORDecoder())
    encoder.keyEncodingStrategy = .convertToSnakeCase
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    (self.encoder, self.decoder) = (encoder, decoder)
  }

  private struct Names: Codable, Equatable {
    var oneTwoThree = 1
    var inner = [Inner(isOn: true)]
    var byName = ["aB_c": 2]
    var isMissing: Bool?

    struct Inner: Codable, Equatable { var isOn: Bool }
  }

  @Test func keysAreInSnakeCaseExceptThoseOfDictionaries() throws {
    #expect(
      try notation(Names(), encoder) == #"{"one_two_three": 1, "inner": [{"is_on": true}], "by_name": {"aB_c": 2}}"#)
  }

  @Test func keysInSnakeCaseDecodeInAnyOrder() throws {
    for text in [
      #"{"one_two_three": 1, "inner": [{"is_on": true}], "by_name": {"aB_c": 2}}"#,
      #"{"by_name": {"aB_c": 2}, "inner": [{"isOn": true, "other": 3}], (_ "one_t", "wo_three"): 1, 7: 8, h'ff': 9}"#,
    ] {
      let item = try CBORValue(diagnosticNotation: text)
      #expect(try item.decoded(as: Names.self, by: decoder) == Names())
      #expect(try CBORValue.array([item, item]).decoded(as: [Names].self, by: decoder) == [Names(), Names()])
    }
  }

  private struct Key: Codable {
    var name: String

    init(_ name: String) {
      self.name = name
    }

    init(from decoder: any Decoder) throws {
      name = try decoder.container(keyedBy: AnyTestKey.self).allKeys.map(\.stringValue).joined()
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: AnyTestKey.self)
      try container.encode(1, forKey: AnyTestKey(stringValue: name))
    }
  }

  @Test func keysAreConvertedAsByFoundation() throws {
    let (json, fromJSON) = (JSONEncoder(), JSONDecoder())
    json.keyEncodingStrategy = .convertToSnakeCase
    fromJSON.keyDecodingStrategy = .convertFromSnakeCase
    var generator = SeededGenerator.announced("keys")
    let names =
      ["", "_", "__", "oneTwoThree", "myURLProperty", "URL", "_oneTwo_", "one_two_three", "__one__two_", "ÄbÜ", "ßA"]
      + ["sha_256sum", "line_2nd", "a_b-c", "a_ßb", "a_ǆb", "a_e\u{301}b", "a_İb"]
      + (0..<500).map { _ in String((0..<8).map { _ in "abCD__1-".randomElement(using: &generator) ?? "_" }) }
    for name in names {
      let written = try JSONDecoder().decode([String: Int].self, from: json.encode(Key(name)))
      #expect(try CBORDecoder().decode([String: Int].self, from: encoder.encode(Key(name))) == written)
      let read = try fromJSON.decode(Key.self, from: JSONEncoder().encode([name: 1])).name
      #expect(try decoder.decode(Key.self, from: CBOREncoder().encode([name: 1])).name == read)
    }
  }

  @Test func capitalsOfAnAbbreviationAreLost() throws {
    struct Page: Codable {
      var myURLProperty = 1
    }
    #expect(try notation(Page(), encoder) == #"{"my_url_property": 1}"#)
    try expectError(Page.self, encoder.encode(Page()), kind: "keyNotFound", byte: 0, decoder: decoder)
  }

  @Test func refusesKeysThatAreEqualAfterTheConversion() throws {
    struct Inner: Decodable {
      var isOn: Bool
    }
    let data = try CBOREncoder().encode(["is_on": true, "isOn": true] as CBORValue)
    try expectError(Inner.self, data, kind: "dataCorrupted", path: "isOn", byte: 8, decoder: decoder)
    try expectError(Key.self, data, kind: "dataCorrupted", byte: 8, decoder: decoder)
    try expectError(Inner.self, "a1 61ff 00", kind: "dataCorrupted", byte: 1, decoder: decoder)
  }

  @Test func integerKeysMatchAsWithoutStrategy() throws {
    struct Numbered: Codable, Equatable {
      var value = 7

      enum CodingKeys: Int, CodingKey { case value = 1 }
    }
    var encoder = encoder
    encoder.usesIntegerKeys = true
    try expectEncoding(Numbered(), "a1 01 07", encoder)
    try expectDecoding(["a1 01 07": Numbered(), "a1 65 76616c7565 07": Numbered()], decoder)
    try expectError(Numbered.self, "a2 01 07 65 76616c7565 07", kind: "dataCorrupted", byte: 3, decoder: decoder)
  }

  private struct Fields: CBORFieldCodable, Equatable {
    var isOn = true

    init() {}

    init(fields: inout CBORFieldDecoder) throws {
      isOn = try fields.decode(Bool.self, forKey: "isOn")
    }

    func encodeFields(to fields: inout CBORFieldEncoder) throws {
      try fields.encode(isOn, forKey: "isOn")
    }
  }

  @Test func namesOfFieldsAreNotConverted() throws {
    try expectEncoding(Fields(), "a1 64 69734f6e f5", encoder)
    try expectDecoding(["a1 64 69734f6e f5": Fields(), "a2 65 69735f6f6e f4 64 69734f6e f5": Fields()], decoder)
    try expectError(Fields.self, "a1 65 69735f6f6e f5", kind: "keyNotFound", decoder: decoder)
  }
}
