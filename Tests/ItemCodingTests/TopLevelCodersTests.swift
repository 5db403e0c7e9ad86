// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ItemCoding

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct TopLevelCodersTests {
  private struct Hero: Codable, Equatable {
    var name: String
    var labours: [Int]
  }

  @Test func foundationCodersAreItemCoders() throws {
    let hero = Hero(name: "Herakles", labours: [1, 2, 12])
    let xml = PropertyListEncoder()
    xml.outputFormat = .xml
    let pairs: [(any ItemEncoder, any ItemDecoder)] = [
      (JSONEncoder(), JSONDecoder()), (PropertyListEncoder(), PropertyListDecoder()), (xml, PropertyListDecoder()),
    ]
    for (encoder, decoder) in pairs {
      let bytes = try encoder.encode(hero)
      let copies = [try decoder.decode(Hero.self, from: bytes), try decoder.decodeForeign(Hero.self, from: bytes)]
      #expect(copies == [hero, hero])
    }
    // The example of the documentation.
    let encoder: any ItemEncoder = JSONEncoder()
    let bytes = try encoder.encode(["Atalanta": 1])
    #expect(String(decoding: bytes, as: UTF8.self) == #"{"Atalanta":1}"#)
  }

  @Test func customCoderNeedsOneMethod() throws {
    struct LineCoder: ItemEncoder, ItemDecoder {
      func encode<Value: Encodable>(_ value: Value) throws -> Data { Data("\(value)\n".utf8) }

      func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        try JSONDecoder().decode(type, from: data)
      }
    }
    let coder = LineCoder()
    try coder.validate(Data([0xFF]))
    #expect(try coder.decodeForeign(Int.self, from: coder.encode(7)) == 7)
  }

  @Test func foreignDataIsValidatedFirst() throws {
    struct Refusal: Error {}
    struct Guarded: ItemDecoder {
      func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        Issue.record("refused bytes were decoded")
        return try JSONDecoder().decode(type, from: data)
      }

      func validate(_ data: Data) throws { throw Refusal() }
    }
    let decoder: any ItemDecoder = Guarded()
    #expect(throws: Refusal.self) { try decoder.decodeForeign(Int.self, from: Data("7".utf8)) }
  }

  @Test func wrongJSONIsADecodingError() throws {
    let json = Data(#"{"name":"Herakles","labours":[1,"two"]}"#.utf8)
    let error = try #require(throws: DecodingError.self) { try JSONDecoder().decodeForeign(Hero.self, from: json) }
    #expect(error.kind == "typeMismatch" && error.path == "labours.Index 1")
    let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
    for text in ["", "{", "[1,", "nul", "\"\\ud800\"", "[1e999]", deep] {
      #expect(throws: DecodingError.self) {
        try JSONDecoder().decodeForeign(AnyPropertyList.self, from: Data(text.utf8))
      }
    }
  }
}
