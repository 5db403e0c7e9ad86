// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Glibc
import TestSupport
import Testing

@testable import DragPipeTool

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct TerminalTextTests {
  @Test func controlCharactersAreFoundAlsoAcrossChunks() {
    for (text, isFound) in [
      ("Atalanta runs\t fast\r\n", false), ("水 é ñ", false), ("a\u{1B}[2J", true), ("\u{7F}", true), ("\0", true),
      ("\u{85}", true), ("\u{9F}", true), ("\u{A0}", false), ("\u{202E}", true), ("\u{2028}", true), ("\u{2066}", true),
      ("\u{2027}", false), ("\u{206A}", false),
      // After a carriage return alone, the following text overwrites the line.
      ("harmless\revil", true), ("a\r", true), ("\r\r\n", true), ("\r\n\r\n", false), ("\r", true), ("", false),
    ] {
      var (whole, pieces) = (TerminalScan(), TerminalScan())
      whole.add(Array(text.utf8))
      for byte in text.utf8 { pieces.add([byte]) }
      #expect([whole.hasControl, pieces.hasControl] == [isFound, isFound], "\(text.debugDescription)")
    }
  }

  @Test func widthOfTheTerminalPrecedesCOLUMNS() throws {
    let terminal = try PseudoTerminal(columns: 33)
    let descriptor = terminal.environment.errors
    let file = try OwnedDescriptor.open("/dev/null", O_RDWR)
    #expect([descriptor, file.raw].map { ToolEnvironment(output: $0).outputWidth } == [33, nil])
    #expect(TerminalWidth.columns(of: descriptor, columnsVariable: "120") == 33)
    #expect(TerminalWidth.columns(of: file.raw, columnsVariable: "40") == 40)
    try terminal.setColumns(0)
    let variables = ["120", nil, "", "0", "-5", "10001", "wide", "99999999999999999999"]
    let widths = variables.map { TerminalWidth.columns(of: descriptor, columnsVariable: $0) }
    #expect(widths == [120] + Array(repeating: 80, count: 7))
  }
}
