// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import TestSupport
import Testing

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct EscapedTextTests {
  @Test(
    arguments: [
      ("", ""), ("plain text", "plain text"), ("é 日本 \u{1F4DC}", "é 日本 \u{1F4DC}"), ("a\\b", #"a\\b"#),
      ("\0", #"\u{0}"#), ("\n\r\t", #"\u{a}\u{d}\u{9}"#), ("\r\n", #"\u{d}\u{a}"#), ("\u{1B}[31m", #"\u{1b}[31m"#),
      ("\u{7F}\u{80}\u{9F}", #"\u{7f}\u{80}\u{9f}"#), ("\u{202E}\u{2066}\u{200F}", #"\u{202e}\u{2066}\u{200f}"#),
      ("\u{200B}\u{200D}\u{2060}\u{FEFF}\u{AD}", #"\u{200b}\u{200d}\u{2060}\u{feff}\u{ad}"#),
      ("\u{2028}\u{2029}", #"\u{2028}\u{2029}"#), ("\u{E0041}", #"\u{e0041}"#), ("\\u{a}", #"\\u{a}"#),
      ("e\u{301}", "e\u{301}"),
      // Blanks that follow no base.
      ("\u{3164}\u{2800}\u{115F}", #"\u{3164}\u{2800}\u{115f}"#), ("\u{1160}\u{FFA0}", #"\u{1160}\u{ffa0}"#),
      ("\u{FE0F}", #"\u{fe0f}"#), ("a\u{FE0F}b", #"a\u{fe0f}b"#), ("1\u{FE0F}x", #"1\u{fe0f}x"#),
      ("\u{2764}\u{FE0F}\u{FE0F}", "\u{2764}\u{FE0F}\\u{fe0f}"), ("a\u{34F}b", #"a\u{34f}b"#),
      // Visible text and its joiners.
      ("\u{2764}\u{FE0F}", "\u{2764}\u{FE0F}"), ("1\u{FE0F}\u{20E3}", "1\u{FE0F}\u{20E3}"),
      ("👨\u{200D}👩\u{200D}👧", "👨\u{200D}👩\u{200D}👧"), ("👩🏽\u{200D}🚀", "👩🏽\u{200D}🚀"),
      ("❤\u{FE0F}\u{200D}🔥", "❤\u{FE0F}\u{200D}🔥"), ("می\u{200C}خواهم", "می\u{200C}خواهم"),
      ("क्\u{200D}ष क्\u{200C}ष", "क्\u{200D}ष क्\u{200C}ष"), ("র\u{200D}্য", "র\u{200D}্য"),
      // Joiners that join nothing.
      ("👨\u{200D}", "👨\\u{200d}"), ("👨\u{200D}\u{200D}👩", "👨\\u{200d}\\u{200d}👩"),
      ("👨\u{200D}a", "👨\\u{200d}a"), ("1\u{200D}👧", "1\\u{200d}👧"), ("🇷\u{200D}❤", "🇷\\u{200d}❤"),
      ("а\u{200D}б", "а\\u{200d}б"),
      ("م\u{200D}خ", "م\\u{200d}خ"), ("م\u{200C} خ", "م\\u{200c} خ"), ("क\u{200D}ष", "क\\u{200d}ष"),
      ("क्\u{200D}", "क्\\u{200d}"), ("שׁ\u{200C}ל", "שׁ\\u{200c}ל"),
      ("\u{6F22}\u{E0100}", "\u{6F22}\u{E0100}"), ("\u{AC00}\u{1100}\u{2801}", "\u{AC00}\u{1100}\u{2801}"),
    ] as [(String, String)])
  func invisibleCharactersAreEscaped(_ text: String, _ escaped: String) {
    #expect(Array(text.escapedForDisplay().unicodeScalars) == Array(escaped.unicodeScalars))
  }

  @Test func noncharactersAreEscaped() throws {
    for value: UInt32 in [0xFFFE, 0xFFFF, 0x1FFFE, 0x10FFFF, 0xFDD0, 0xFDEF] {
      let scalar = try #require(Unicode.Scalar(value))
      #expect("a\(scalar)".escapedForDisplay() == "a\\u{\(String(value, radix: 16))}")
    }
    #expect("\u{FDCF}\u{FDF0}\u{FFFD}".escapedForDisplay() == "\u{FDCF}\u{FDF0}\u{FFFD}")
  }

  @Test(arguments: [false, true])
  func everyControlScalarIsEscaped(_ mayBeEscaped: Bool) {
    for value in sampled(0..<0x110000, 52_000, #function) {
      guard let scalar = Unicode.Scalar(UInt32(value)), scalar.isInvisibleControl else { continue }
      let escaped = String(scalar).escapedForDisplay(mayBeEscaped: mayBeEscaped)
      if escaped.unicodeScalars.contains(scalar) { Issue.record("U+\(value)") }
    }
  }

  @Test func escapedTextIsNotEscapedAgain() {
    let escaped = "a\\b\u{202E}\n".escapedForDisplay()
    #expect(escaped == #"a\\b\u{202e}\u{a}"#)
    #expect((escaped + "\n").escapedForDisplay(mayBeEscaped: true) == escaped + #"\u{a}"#)
    #expect(#"a\b"#.escapedForDisplay(limit: 2, mayBeEscaped: true) == #"a\…"#)
  }

  @Test(arguments: [
    (Array("b\\a".utf8), #"b\\a"#), ([0x61, 0xFF], #"a\xFF"#), ([0xC3, 0x28, 0x0A, 0x5C], #"\xC3(\x0A\x5C"#),
    (Array("é\u{200B}".utf8), #"é\u{200b}"#), ([], ""),
  ])
  func bytesThatAreNotUTF8AreWrittenOut(_ bytes: [UInt8], _ escaped: String) {
    #expect(String(escapingForDisplay: bytes) == escaped)
  }

  @Test func longTextEndsWithAnEllipsis() {
    for (text, limit, shown) in [
      ("abc", 3, "abc"), ("abcd", 3, "abc…"), ("\n\n\n", 2, #"\u{a}\u{a}…"#), ("ab", 0, "…"),
    ] {
      #expect(text.escapedForDisplay(limit: limit) == shown)
    }
    #expect(String(repeating: "a", count: 1000).escapedForDisplay().count == 201)
  }
}

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct TerminalColumnsTests {
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
