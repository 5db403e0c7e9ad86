// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import TestSupport
import Testing

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct TerminalColumnsTests {
  @Test(arguments: [
    // East Asian characters take two columns, marks on other characters none.
    ("", 0), ("Anansi", 6), ("Sc\u{E1}thach", 8), ("Sca\u{301}thach", 8), ("Ἀχιλλεύς", 8), ("אבג", 3),
    ("木蘭", 4), ("かぐや姫", 8), ("か\u{3099}", 2), ("ｶｸﾞﾔ", 4), ("주몽", 4), ("\u{1112}\u{1161}\u{11AB}", 2), ("Ａ", 2),
    ("、", 2), ("𠀋", 2), ("हनुमान", 5), ("…", 1), ("├─", 2), ("a\u{20DD}", 1),
    // The result is the greater number if terminals differ.
    ("🐉", 2), ("☕", 2), ("❤", 1), ("❤\u{FE0F}", 2), ("🇬🇷", 4), ("👍🏽", 4), ("\u{200B}", 1), ("\u{AD}", 1),
    ("\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}", 8), ("\u{202E}", 1), ("\u{E000}", 2), ("\u{378}", 2),
    ("\u{D7B0}", 1),
  ])
  func countsColumns(_ text: String, _ count: Int) {
    #expect(text.columnCount == count)
  }

  @Test func escapedTextHasItsLengthInColumns() {
    for text in ["\u{1B}[2J", "\u{202E}a", "a\u{200D}b\r\n"] {
      let shown = text.escapedForDisplay()
      #expect(shown.columnCount == shown.count && shown.utf8.allSatisfy { $0 < 0x80 })
    }
  }

  @Test func scalarHasNotMoreColumnsThanBytesAndAtMostTwo() {
    for value in sampled(0..<0x110000, 52_000, #function) {
      guard let scalar = Unicode.Scalar(UInt32(value)) else { continue }
      let count = scalar.columnCount
      if !(0...min(2, UTF8.width(scalar))).contains(count) { Issue.record("U+\(String(value, radix: 16)): \(count)") }
    }
  }

  @Test(arguments: [
    ("Bellerophon", 11, "Bellerophon"), ("Bellerophon", 10, "Belle…phon"), ("Bellerophon", 1, "…"),
    ("Bellerophon", 0, ""), ("水水水水水", 6, "水…水"),
  ])
  func shorteningRemovesTheMiddle(_ name: String, _ limit: Int, _ shortened: String) {
    #expect(name.shortened(toColumns: limit) == shortened)
  }

  @Test(arguments: [
    ("Gilgamesh", 9, "Gilgamesh"), ("Gilgamesh", 8, "Gilgame…"), ("Gilgamesh", 1, "…"), ("Gilgamesh", 0, ""),
    ("", 0, ""), ("かぐや姫", 7, "かぐや…"), ("かぐや姫", 6, "かぐ…"), ("Sca\u{301}thach", 4, "Sca\u{301}…"),
    ("\u{1F468}\u{200D}\u{1F469}ab", 5, "…"),
  ])
  func truncationRemovesTheEndBetweenCharacters(_ text: String, _ limit: Int, _ truncated: String) {
    #expect(text.truncated(toColumns: limit) == truncated)
  }

  @Test(arguments: [
    "Bellerophon", "水水水水水", "e\u{301}e\u{301}e\u{301}e\u{301}", "🏹a🏹b🏹", "a\u{1F3F3}\u{FE0F}b",
    "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}",
  ])
  func neitherExceedsTheLimit(_ name: String) {
    for limit in 0...12 {
      let texts = [name.shortened(toColumns: limit), name.truncated(toColumns: limit)]
      #expect(texts.allSatisfy { $0.columnCount <= limit }, "\(texts)")
    }
  }

  @Test func blanksFillColumnsInsteadOfCharacters() {
    #expect(["水", "Atalanta"].map { $0.padded(toColumns: 4) } == ["水  ", "Atalanta"])
    #expect("12".padded(toColumns: 4, atStart: true) == "  12")
  }
}
