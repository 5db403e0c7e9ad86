// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemCoding
import TestSupport
import Testing

/// The example of the documentation for a field codable type.
private struct Feat: Codable, Equatable {
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

  init(_ feat: Feat) {
    title = feat.title
    year = feat.year
  }
}

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct CBORFieldCodableTests {
  private static let feats = [
    Feat(title: "Nemean lion", year: 1), Feat(title: "", year: nil), Feat(title: "Mead of poetry", year: -300),
  ]

  @Test func bytesAreThoseOfTheCodableConformance() throws {
    let plain = Self.feats.map(PlainFeat.init)
    #expect(try CBOREncoder().encode(Self.feats) == CBOREncoder().encode(plain))
    #expect(try CBOREncoder().encode(Self.feats[0]) == CBOREncoder().encode(plain[0]))
    #expect(try encodedHex(["a": Self.feats[0]]) == encodedHex(["a": plain[0]]))
    #expect(try roundTrip(Self.feats) == Self.feats)
    #expect(try roundTrip(["a": Self.feats[1]]) == ["a": Self.feats[1]])
    #expect(try JSONDecoder().decode([Feat].self, from: JSONEncoder().encode(Self.feats)) == Self.feats)
  }

  @Test func fieldsDecodeInAnyOrder() throws {
    let expected = Feat(title: "lion", year: 5)
    for hex in [
      "a2 6479656172 05 657469746c65 646c696f6e", "a3 6178 f6 657469746c65 646c696f6e 6479656172 05",
      "bf 657469746c65 7f 626c69 626f6e ff 6479656172 05 ff", "a2 657469746c65 646c696f6e 6479656172 05",
    ] {
      #expect(try CBORDecoder().decode(Feat.self, from: Data(hex: hex)) == expected, "\(hex)")
    }
  }

  @Test(arguments: [
    ("80", "typeMismatch", "", 0), ("a0", "keyNotFound", "", 0), ("a1 657469746c65 01", "typeMismatch", "title", 7),
    ("a2 657469746c65 60 6479656172 60", "typeMismatch", "year", 13),
    ("a2 657469746c65 60 657469746c65 60", "dataCorrupted", "year", 8),
    ("a1 657469746c65 61", "dataCorrupted", "title", 7),
  ])
  func mismatchesHavePathAndByteOffset(hex: String, kind: String, path: String, byte: Int) throws {
    let error = try decodingError(Feat.self, hex)
    #expect(error.kind == kind)
    #expect(error.path == path)
    #expect(error.byte == byte)
  }
}
