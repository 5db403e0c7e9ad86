// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import TestSupport
import Testing

@Suite("Text in the columns of a terminal", .serialized, .limited, .timeLimit(.minutes(5)))
struct TerminalColumnsTests {
  @Test(
    "East Asian characters take two columns, marks on other characters none",
    arguments: [
      ("", 0), ("Anansi", 6), ("Sc\u{E1}thach", 8), ("Sca\u{301}thach", 8), ("Ἀχιλλεύς", 8), ("אבג", 3),
      ("木蘭", 4), ("かぐや姫", 8), ("か\u{3099}", 2), ("ｶｸﾞﾔ", 4), ("주몽", 4), ("\u{1112}\u{1161}\u{11AB}", 2), ("Ａ", 2),
      ("、", 2), ("𠀋", 2), ("हनुमान", 5), ("…", 1), ("├─", 2), ("a\u{20DD}", 1),
    ])
  func countsColumns(_ text: String, _ count: Int) {
    #expect(text.columnCount == count)
  }

  @Test(
    "the result is the greater number if terminals differ",
    arguments: [
      ("🐉", 2), ("☕", 2), ("❤", 1), ("❤\u{FE0F}", 2), ("🇬🇷", 4), ("👍🏽", 4),
      ("\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}", 8), ("\u{200B}", 1), ("\u{AD}", 1), ("\u{202E}", 1),
      ("\u{E000}", 2),
      ("\u{378}", 2), ("\u{D7B0}", 1),
    ])
  func takesTheGreaterWidth(_ text: String, _ count: Int) {
    #expect(text.columnCount == count)
  }

  @Test(
    "escaped text has as many columns as letters", arguments: ["\u{1B}[2J", "\u{202E}a", "a\u{200D}b\r\n"])
  func escapedTextHasItsLengthInColumns(_ text: String) {
    let shown = text.escapedForDisplay()
    #expect(shown.utf8.allSatisfy { $0 < 0x80 })
    #expect(shown.columnCount == shown.count)
  }

  @Test("no scalar takes more columns than bytes, or more than two")
  func scalarHasAtMostTwoColumns() {
    for value in UInt32(0)...0x10FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let count = scalar.columnCount
      if !(0...min(2, UTF8.width(scalar))).contains(count) { Issue.record("U+\(String(value, radix: 16)): \(count)") }
    }
  }

  @Test("a long name loses its middle, and never exceeds the limit")
  func shortensInTheMiddle() {
    #expect("Bellerophon".shortened(toColumns: 11) == "Bellerophon")
    #expect("Bellerophon".shortened(toColumns: 10) == "Belle…phon")
    #expect("Bellerophon".shortened(toColumns: 1) == "…")
    #expect("Bellerophon".shortened(toColumns: 0) == "")
    #expect("水水水水水".shortened(toColumns: 6) == "水…水")
    for name in [
      "Bellerophon", "水水水水水", "e\u{301}e\u{301}e\u{301}e\u{301}", "🏹a🏹b🏹", "a\u{1F3F3}\u{FE0F}b",
      "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}",
    ] {
      for limit in 0...12 {
        #expect(name.shortened(toColumns: limit).columnCount <= limit)
        #expect(name.truncated(toColumns: limit).columnCount <= limit)
      }
    }
  }

  @Test("a long text loses its end between characters, and ends with an ellipsis")
  func truncatesBetweenCharacters() {
    #expect("Gilgamesh".truncated(toColumns: 9) == "Gilgamesh")
    #expect("Gilgamesh".truncated(toColumns: 8) == "Gilgame…")
    #expect("Gilgamesh".truncated(toColumns: 1) == "…")
    #expect("Gilgamesh".truncated(toColumns: 0) == "")
    #expect("".truncated(toColumns: 0) == "")
    #expect("かぐや姫".truncated(toColumns: 7) == "かぐや…")
    #expect("かぐや姫".truncated(toColumns: 6) == "かぐ…")
    #expect("Sca\u{301}thach".truncated(toColumns: 4) == "Sca\u{301}…")
    #expect("\u{1F468}\u{200D}\u{1F469}ab".truncated(toColumns: 5) == "…")
  }

  @Test("blanks fill columns, not characters")
  func padsByColumns() {
    #expect("水".padded(toColumns: 4) == "水  ")
    #expect("12".padded(toColumns: 4, atStart: true) == "  12")
    #expect("Atalanta".padded(toColumns: 4) == "Atalanta")
  }
}
