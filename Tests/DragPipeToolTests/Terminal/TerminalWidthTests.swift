// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import DropTransport
import Glibc
import TestSupport
import Testing

@testable import DragPipeTool

@Suite("The width of a terminal", .serialized, .limited)
struct TerminalWidthTests {
  @Test("the terminal itself knows best, then COLUMNS does, where that makes sense")
  func order() throws {
    let terminal = try PseudoTerminal(columns: 33)
    let descriptor = terminal.environment.errors
    #expect(TerminalWidth.columns(of: descriptor, columnsVariable: "120") == 33)
    try terminal.setColumns(0)
    #expect(TerminalWidth.columns(of: descriptor, columnsVariable: "120") == 120)
    for nonsense in [nil, "", "0", "-5", "10001", "wide", "99999999999999999999"] {
      #expect(TerminalWidth.columns(of: descriptor, columnsVariable: nonsense) == 80)
    }
  }

  @Test("what is no terminal has no width")
  func noTerminal() throws {
    let file = try OwnedDescriptor.open("/dev/null", O_RDWR)
    #expect(ToolEnvironment(output: file.raw).outputWidth == nil)
    #expect(TerminalWidth.columns(of: file.raw, columnsVariable: "40") == 40)
    let terminal = try PseudoTerminal(columns: 44)
    #expect(ToolEnvironment(output: terminal.environment.errors).outputWidth == 44)
  }
}
