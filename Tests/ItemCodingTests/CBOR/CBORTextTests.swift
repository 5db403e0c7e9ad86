// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemCoding
import TestSupport
import Testing

/// Strings of all scripts, and bytes that are not valid strings.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct CBORTextTests {
  private static let samples = [
    "", "a", "fifteen bytes..", "sixteen bytes...", "\u{0}", "\u{7F}", "\u{80}", "\u{7FF}", "\u{800}", "\u{D7FF}",
    "\u{E000}", "\u{FFFD}", "\u{FFFF}", "\u{10000}", "\u{10FFFF}", "e\u{301}", "\u{E9}", "\u{FEFF}mark",
    "\u{645}\u{631}\u{62D}\u{628}\u{627}", "\u{41F}\u{440}\u{438}\u{432}\u{435}\u{442}", "\u{65E5}\u{672C}\u{8A9E}",
    "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}", "line\nbreak\t\"quoted\" \\ \r\n",
  ]

  @Test func textOfAnyLengthAndScriptRoundTrips() throws {
    for sample in Self.samples {
      for count in [1, 2, 15, 16, 17, 23, 24, 255, 256, 65_536] where !sample.isEmpty || count == 1 {
        let text = String(repeating: sample, count: count)
        // Equal strings may have different bytes.
        let read = try roundTrip([text: text]).flatMap { [$0, $1] } + [roundTrip(text)]
        #expect(read.map { Data($0.utf8) } == Array(repeating: Data(text.utf8), count: 3))
      }
    }
  }

  @Test func canonicallyEquivalentTextsAreDifferentKeys() throws {
    let twice = Data(hex: "a2 62c3a9 01 6365cc81 02")
    let read = try Reading<[Int]>.read(twice) { decoder in
      let container = try decoder.container(keyedBy: AnyTestKey.self)
      return [try container.decode(Int.self, forKey: "\u{E9}"), try container.decode(Int.self, forKey: "e\u{301}")]
    }
    #expect(read == [1, 2])
    expectValueOrDecodingError([String: Int].self, twice)
  }

  @Test func refusesInvalidUTF8() throws {
    for bytes in [
      "80", "bf", "8080", "c0", "c080", "c1bf", "c2", "c241", "c2c2", "c28080", "e0", "e08080", "e09fbf", "e0a0",
      "e0a041", "eda080", "edafbf", "edb080", "edbfbf", "eda080edb080", "efbf", "f0", "f0808080", "f08fbfbf", "f090",
      "f09080", "f0908041", "f4908080", "f5808080", "f7bfbfbf", "f888808080", "fc8480808080", "fe", "ff", "41ff42",
      "c3a9c3", "fefeffff",
    ] {
      for prefix in ["", "a", "fifteen bytes..", String(repeating: "x", count: 300)] {
        for suffix in ["", "b", "\u{FC}", String(repeating: "y", count: 40)] {
          let text = Data(prefix.utf8) + Data(hex: bytes) + Data(suffix.utf8)
          let item = try Self.header(text.count) + text
          try expectError(String.self, item, byte: 0)
          try expectError([String].self, Data([0x82, 0x60]) + item, path: "Index 1")
          try expectError([String: Int].self, Data([0xA1]) + item + [1], byte: 1)
          try expectError(URL.self, Data([0xD8, 0x20]) + item, kind: "dataCorrupted")
          try expectError(Date.self, Data([0xC0]) + item, kind: "dataCorrupted")
          try expectError(String.self, Data([0x7F]) + item + [0xFF], kind: "dataCorrupted")
          expectValueOrDecodingError(UUID.self, item)
          expectValueOrDecodingError(Tree.self, Data([0xA1]) + item + [1])
        }
      }
    }
  }

  /// Tests strings that are followed by more bytes, so that the decoder can read several bytes at once.
  @Test func checksEachByteOfTextOfAnyLength() throws {
    let next = try CBOREncoder().encode("the next one")
    for length in 0...40 {
      let header = try Data([0x82]) + Self.header(length)
      let ascii = Data(repeating: 0x7F, count: length)
      let read = try CBORDecoder().decode([String].self, from: header + ascii + next)
      #expect(read == [String(repeating: "\u{7F}", count: length), "the next one"])
      for place in 0..<length {
        var text = ascii
        text[place] = 0x80
        #expect(try decodingError([String].self, header + text + next).path == "Index 0")
        guard place > 0 else { continue }
        text[place - 1] = 0xC2
        let read = try CBORDecoder().decode([String].self, from: header + text + next)
        #expect(read.first?.utf8.elementsEqual(text) == true)
      }
    }
  }

  @Test func refusesCharactersSplitBetweenChunks() throws {
    try expectDecoding(["7f 61 61 62 c3bc 60 64 f0908591 ff": "a\u{FC}\u{10151}"])
    for hex in ["7f 61c3 61bc ff", "7f 62f090 628591 ff", "7f 6161 61c3 62bc61 ff", "7f 63e6b0b4 61e6 62b0b4 ff"] {
      try expectError(String.self, hex, kind: "dataCorrupted")
      try expectError([String: Int].self, "a1 \(hex) 01", kind: "dataCorrupted")
    }
    try expectError(String.self, "7f 4161 ff", "7f 7f6161ff ff", "7f c06161 ff", byte: 1)
    try expectError(Data.self, "5f 6161 ff", byte: 1)
  }

  private static func header(_ length: Int) throws -> Data {
    try Data(CBOREncoder().encode(String(repeating: "x", count: length)).dropLast(length))
  }
}
