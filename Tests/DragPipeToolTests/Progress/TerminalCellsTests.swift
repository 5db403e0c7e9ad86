// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import DragPipeTool

@Suite("Cells of a terminal")
struct TerminalCellsTests {
  @Test(
    "East Asian characters take two cells, marks on other characters none",
    arguments: [
      ("", 0), ("Anansi", 6), ("Sc\u{E1}thach", 8), ("Sca\u{301}thach", 8), ("Ἀχιλλεύς", 8), ("אבג", 3),
      ("木蘭", 4), ("かぐや姫", 8), ("か\u{3099}", 2), ("ｶｸﾞﾔ", 4), ("주몽", 4), ("Ａ", 2), ("、", 2), ("🐉", 2), ("☕", 2),
      ("❤", 1), ("❤\u{FE0F}", 2), ("🇬🇷", 4), ("👍🏽", 4), ("𠀋", 2), ("हनुमान", 5), ("…", 1), ("\u{E000}", 2),
      ("\u{378}", 2),
    ])
  func counts(_ text: String, _ cells: Int) {
    #expect(TerminalCells.count(of: text) == cells)
  }

  @Test("a text that is too long is cut between characters, and says so")
  func truncation() {
    #expect(TerminalCells.truncate("Gilgamesh", to: 9) == "Gilgamesh")
    #expect(TerminalCells.truncate("Gilgamesh", to: 8) == "Gilgame…")
    #expect(TerminalCells.truncate("Gilgamesh", to: 1) == "…")
    #expect(TerminalCells.truncate("Gilgamesh", to: 0) == "")
    #expect(TerminalCells.truncate("", to: 0) == "")
    #expect(TerminalCells.truncate("かぐや姫", to: 7) == "かぐや…")
    #expect(TerminalCells.truncate("かぐや姫", to: 6) == "かぐ…")
    #expect(TerminalCells.truncate("Sca\u{301}thach", to: 4) == "Sca\u{301}…")
  }
}
