// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
import TestSupport
internal import Testing

@testable internal import HeroCards

/// Strings that must be valid UTF-8, even in values that are skipped.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct JSONTextTests {
  /// Strings with invalid UTF-8 (RFC 3629), and the offset in the string at which the reader finds the fault.
  static let wrongTexts: [([UInt8], Int)] = [
    ([0x80], 0), ([0xE9], 1), ([0xC0, 0x80], 0), ([0xC1, 0xBF], 0), ([0xC3, 0x41], 1), ([0xE0, 0x9F, 0x80], 1),
    ([0xE2, 0x82, 0x22], 2), ([0xED, 0xA0, 0x80], 1), ([0xF0, 0x8F, 0x80, 0x80], 1), ([0xF4, 0x90, 0x80, 0x80], 1),
    ([0xF0, 0x9F, 0x90, 0xC3], 3), ([0xF5], 0), ([0xFF], 0),
  ]

  private func outcome(_ text: Data, cutAt cut: Int? = nil) -> Scan {
    .reading(cut.map { text.split(at: $0) } ?? [text], with: FoundReader())
  }

  @Test(arguments: wrongTexts)
  func refusesInvalidUTF8InSkippedStrings(wrong: [UInt8], offset: Int) {
    for (before, after) in [
      (#"{"data":{"x":""#, #"","results":[1]}}"#), (#"{"data":{"results":[1],"x":""#, #""}}"#),
      (#"{"data":{"results":[1],"x":[{""#, #"":1}]}}"#),
      (#"{"data":{"results":[1]},"padding before the text "#, #"":1}"#),
    ] {
      let text = Data(before.utf8) + wrong + Data(after.utf8)
      let found = outcome(text)
      #expect(found.error?.code == .invalidValue)
      for cut in 0...text.count { #expect(outcome(text, cutAt: cut) == found) }
      if before.contains("[1]") { #expect(found.error?.byteOffset == Int64(before.utf8.count + offset)) }
    }
  }

  @Test(arguments: wrongTexts)
  func refusesInvalidUTF8InFieldsThatAreNotRead(wrong: [UInt8], offset: Int) throws {
    let text = Data(#"[{"name":"A"},{"name":"B","other":""#.utf8) + wrong + Data(#""}]"#.utf8)
    let error = try #require(throws: HeroCardError.self) { try HeroReader.heroes(from: text) }
    #expect(error.code == .invalidValue)
    #expect(error.path == "[1].other")
    #expect(error.byteOffset == 14)
  }

  @Test func acceptsCharactersOfEveryLengthAtEveryAlignment() {
    for character in [
      "\u{7F}", "\u{80}", "\u{7FF}", "\u{800}", "\u{D7FF}", "\u{E000}", "\u{FFFF}", "\u{10000}", "\u{10FFFF}",
    ] {
      for length in 0..<10 {
        let string = String(repeating: "a", count: length) + character + "é" + character + "b"
        let text = Data(#"{"data":{"x":"\#(string)","results":["\#(string)"]},"\#(string)":"\#(string)"}"#.utf8)
        let found = outcome(text)
        #expect(found.error == nil)
        #expect(found.items.map(\.text) == ["\"\(string)\""])
        for cut in 0...text.count { #expect(outcome(text, cutAt: cut) == found) }
      }
    }
  }
}
