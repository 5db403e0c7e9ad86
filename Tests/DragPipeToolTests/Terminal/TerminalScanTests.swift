// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DragPipeTool

@Suite(.serialized, .limited) struct TerminalScanTests {
  @Test(
    "what acts on a terminal is found, also between two pieces; other text is not",
    arguments: [
      ("Atalanta runs\t fast\r\n", false), ("水 é ñ", false), ("a\u{1B}[2J", true), ("\u{7F}", true), ("\0", true),
      ("\u{85}", true), ("\u{9F}", true), ("\u{A0}", false), ("\u{202E}", true), ("\u{2028}", true), ("\u{2066}", true),
      ("\u{2027}", false), ("\u{206A}", false),
      // A carriage return alone lets what follows overwrite the line.
      ("harmless\revil", true), ("a\r", true), ("\r\r\n", true), ("\r\n\r\n", false), ("\r", true), ("", false),
    ])
  func scan(_ text: String, _ isFound: Bool) {
    var whole = TerminalScan()
    whole.add(Array(text.utf8))
    #expect(whole.hasControl == isFound)
    var pieces = TerminalScan()
    for byte in text.utf8 { pieces.add([byte]) }
    #expect(pieces.hasControl == isFound)
  }
}
