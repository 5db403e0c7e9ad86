// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemCoding
import TestSupport
import Testing

/// The kinds, coding paths and byte offsets of errors.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct CBORErrorTests {
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

  /// A document with one mistake, and the expected error.
  struct Wrong: Sendable, CustomTestStringConvertible {
    let hex: String
    let kind: String
    let path: String
    let byte: Int

    init(_ hex: String, _ kind: String, _ path: String, _ byte: Int) {
      self.hex = hex
      self.kind = kind
      self.path = path
      self.byte = byte
    }

    var testDescription: String { hex }
  }

  /// The valid entries of a hero: 6, 24 and 9 bytes.
  private static let name = "646e616d65 6141"
  private static let powers = "66706f77657273 81a2646e616d65 6146 656c6576656c 05"
  private static let friends = "67667269656e6473 a1 6142 01"

  static let wrongs: [Wrong] = [
    Wrong("a0", "keyNotFound", "", 0),
    Wrong("a1" + name, "keyNotFound", "", 0),
    Wrong("80", "typeMismatch", "", 0),
    Wrong("f6", "valueNotFound", "", 0),
    Wrong("ff", "dataCorrupted", "", 0),
    Wrong("a3 646e616d65 01 " + powers + friends, "typeMismatch", "name", 6),
    Wrong("a3 646e616d65 f6 " + powers + friends, "valueNotFound", "name", 6),
    Wrong("a3 646e616d65 61ff" + powers + friends, "dataCorrupted", "name", 6),
    Wrong("a3 646e616d65 1c" + powers + friends, "dataCorrupted", "name", 6),
    Wrong("a3" + name + "66706f77657273 01" + friends, "typeMismatch", "powers", 15),
    Wrong("a3" + name + "66706f77657273 f6" + friends, "valueNotFound", "powers", 15),
    Wrong("a3" + name + "66706f77657273 81f6" + friends, "valueNotFound", "powers.Index 0", 16),
    Wrong("a3" + name + "66706f77657273 81a0" + friends, "keyNotFound", "powers.Index 0", 16),
    Wrong("a3" + name + powers.dropLast(2) + "190100" + friends, "dataCorrupted", "powers.Index 0.level", 30),
    Wrong("a3" + name + powers.dropLast(2) + "20" + friends, "dataCorrupted", "powers.Index 0.level", 30),
    Wrong("a3" + name + powers.dropLast(2) + "f5" + friends, "typeMismatch", "powers.Index 0.level", 30),
    Wrong("a3" + name + powers + "67667269656e6473 a1 6142 f4", "typeMismatch", "friends.B", 42),
    Wrong("a3" + name + powers + "67667269656e6473 a1 6142", "dataCorrupted", "friends.B", 42),
    Wrong("a4" + name + powers + friends + "64626f726e c06142", "dataCorrupted", "born", 48),
    Wrong("a4" + name + powers + friends + "64626f726e 00", "typeMismatch", "born", 48),
    Wrong("a4" + name + powers + friends + "6761646472657373 f5", "typeMismatch", "address", 51),
  ]

  @Test(arguments: wrongs)
  func errorsHaveKindPathAndByteOffset(wrong: Wrong) throws {
    let error = try decodingError(Hero.self, wrong.hex)
    #expect(error.kind == wrong.kind)
    #expect(error.path == wrong.path)
    #expect(error.byte == wrong.byte)
    let inside = try decodingError([String: [Hero]].self, "a1 616b 81" + wrong.hex)
    if inside.path.hasPrefix("k.Index 0") {
      #expect(inside.path == "k.Index 0" + (wrong.path.isEmpty ? "" : ".") + wrong.path)
      #expect(inside.byte == wrong.byte + 4)
    } else {
      // The input is shorter than the outer containers require.
      #expect(inside.kind == "dataCorrupted")
    }
  }

  @Test func missingKeyIsEscapedInTheError() throws {
    let error = try decodingError(Hero.self, "a0")
    #expect(error.context?.debugDescription == "at byte 0: a map without the key \"name\"")
    let other = #expect(throws: DecodingError.self) {
      try Reading<Int>.read("a0") { decoder in
        try decoder.container(keyedBy: AnyTestKey.self).decode(Int.self, forKey: "\u{1B}[2J")
      }
    }
    #expect(other?.kind == "keyNotFound")
    #expect(other?.context?.debugDescription.unicodeScalars.contains("\u{1B}") == false)
  }

  @Test func errorsOfValuesAreRethrown() {
    struct Own: Error {}
    #expect(throws: Own.self) { try Reading<Int>.read("8101") { _ in throw Own() } }
    #expect(throws: Own.self) { try CBOREncoder().encode(["a": [Writing { _ in throw Own() }]]) }
  }

  @Test func encodingErrorsHaveThePathOfTheValue() throws {
    let twice = Writing { encoder in
      var container = encoder.singleValueContainer()
      try container.encode(1)
      try container.encode(2)
    }
    let error = #expect(throws: EncodingError.self) { try CBOREncoder().encode(["k": [twice]]) }
    guard case .invalidValue(_, let context)? = error else { return }
    #expect(context.codingPath.map(\.stringValue) == ["k", "Index 0"])
  }
}
