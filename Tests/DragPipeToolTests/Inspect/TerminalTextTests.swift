// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import DragPipeTool

@Suite("Text in the columns of a terminal")
struct TerminalTextTests {
  @Test(
    "a character takes no column, one or two",
    arguments: [
      ("", 0), ("Atalanta", 8), ("水", 2), ("e\u{301}", 1), ("é", 1), ("ﾊ", 1), ("ハ", 2), ("한", 2),
      ("\u{1112}\u{1161}", 2),
      ("🏹", 2), ("├─", 2),
    ])
  func columns(_ text: String, _ count: Int) {
    #expect(text.columnCount == count)
  }

  @Test("a name that is too long is cut in its middle, and is never longer than it may be")
  func shortened() {
    #expect("Bellerophon".shortened(toColumns: 11) == "Bellerophon")
    #expect("Bellerophon".shortened(toColumns: 10) == "Belle…phon")
    #expect("Bellerophon".shortened(toColumns: 1) == "…")
    #expect("Bellerophon".shortened(toColumns: 0) == "")
    #expect("水水水水水".shortened(toColumns: 6) == "水…水")
    for name in ["Bellerophon", "水水水水水", "e\u{301}e\u{301}e\u{301}e\u{301}", "🏹a🏹b🏹", "a\u{1F3F3}\u{FE0F}b"] {
      for limit in 0...12 { #expect(name.shortened(toColumns: limit).columnCount <= limit) }
    }
  }

  @Test("blanks fill columns, not characters")
  func padded() {
    #expect("水".padded(toColumns: 4) == "水  ")
    #expect("12".padded(toColumns: 4, atStart: true) == "  12")
    #expect("Atalanta".padded(toColumns: 4) == "Atalanta")
  }
}
