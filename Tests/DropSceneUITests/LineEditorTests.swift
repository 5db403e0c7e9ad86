// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import TestSupport
import Testing

@testable import DropSceneUI

/// The keys of a terminal, and the input line that they edit.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct LineEditorTests {
  private var editor = LineEditor()

  /// Types text, presses keys, and returns the line.
  private mutating func type(_ text: String, _ keys: TerminalKey...) -> String {
    for key in text.unicodeScalars.map(TerminalKey.text) + keys { _ = editor.handle(key) }
    return editor.text
  }

  @Test(
    arguments: [
      ("a", .text("a")), ("é", .text("é")), ("水", .text("水")), ("🐉", .text("🐉")), ("\r", .enter), ("\n", .enter),
      ("\t", .tab), ("\u{7F}", .backspace), ("\u{8}", .backspace), ("\u{3}", .controlC), ("\u{4}", .controlD),
      ("\u{15}", .controlU), ("\u{C}", .controlL), ("\u{1B}[A", .up), ("\u{1B}OB", .down), ("\u{1B}[C", .right),
      ("\u{1B}[D", .left), ("\u{1B}[H", .home), ("\u{1B}[1~", .home), ("\u{1B}[F", .end), ("\u{1B}[4~", .end),
      ("\u{1B}[3~", .delete), ("\u{1B}[5~", .pageUp), ("\u{1B}[6~", .pageDown), ("\u{1B}[Z", .backTab),
      ("\u{1B}[1;2A", .shiftUp), ("\u{1B}[1;2B", .shiftDown),
    ] as [(String, TerminalKey)])
  func keyArrivesInAnyPieces(_ text: String, _ key: TerminalKey) {
    var parser = TerminalKeyParser()
    #expect([parser.keys(text.utf8), text.utf8.flatMap { parser.keys([$0]) }] == [[key], [key]])
  }

  @Test func unknownKeysAndInvalidBytesAreIgnored() {
    var parser = TerminalKeyParser()
    let bytes = Array("\u{1B}[15~\u{1B}[200;1ua\u{1B}x\u{0}".utf8) + [0xFF, 0xC0, 0x80] + Array("\u{85}b".utf8)
    #expect([parser.keys(bytes), parser.keys([0x1B])] == [[.text("a"), .text("b")], []] && parser.hasLoneEscape)
    #expect([parser.flush(), parser.flush()] == [.escape, nil])
  }

  @Test mutating func keysEditTheLine() {
    let lines = [
      type("drag 3", .left, .left, .text("s"), .home, .delete, .text("D"), .right, .backspace),
      type("", .end, .text("!"), .left, .controlD), type("", .left, .controlU),
      type("", .home, .backspace, .left, .end, .right, .delete), type("", .controlC),
    ]
    #expect(lines == ["Dags 3", "Dags 3", "3", "3", ""])
  }

  @Test mutating func combiningMarkJoinsCharacterBeforeCursor() {
    let lines = [type("eu", .left, .text("\u{301}")), type("", .backspace)]
    #expect(lines == ["e\u{301}u", "u"])
  }

  @Test mutating func emptyLineEndsTheInput() {
    let ends = [editor.handle(.controlD), editor.handle(.controlC)]
    _ = type("a")
    let interrupts = [editor.handle(.controlC), editor.handle(.controlC)]
    #expect(ends + interrupts == [false, true].map { .ended(isInterrupt: $0) } + [.edited, .ended(isInterrupt: true)])
  }

  @Test mutating func arrowsRecallFormerLines() {
    #expect(editor.handle(.up) == .unused)
    _ = type("one")
    #expect(editor.handle(.enter) == .entered("one"))
    let lines = [
      type("two", .enter, .text("t"), .up), type("", .up, .up), type("", .down, .down, .down),
      type("", .backspace, .enter, .up),
    ]
    #expect(lines == ["two", "one", "t", "two"])
  }

  @Test mutating func visiblePartHasTheCursor() {
    _ = type("水水水水 abc")
    for width in 1...20 {
      _ = type("", .end)
      for _ in 0...8 {
        let (text, cursor) = editor.visible(in: width)
        if text.columnCount > width || !(0..<width).contains(cursor) { Issue.record("\(width): \(text), \(cursor)") }
        _ = type("", .left)
      }
    }
    _ = type("", .end)
    let visible = editor.visible(in: 6)
    #expect((visible.text, visible.cursor) == (" abc", 4))
  }
}
