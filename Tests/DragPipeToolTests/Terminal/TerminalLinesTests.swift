// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import DropWindows
import TestSupport
import Testing

@testable import DragPipeTool

@Suite(.limited, .timeLimit(minutes: 5)) struct TerminalLinesTests {
  private func model(_ names: [String]) -> WindowModel {
    WindowModel(title: "", hint: "Drop here.", zones: [DropZone(name: "Save")], rows: names.map { WindowRow(name: $0) })
  }

  @Test func eachLineHasItsMeaning() {
    let lines = TerminalLines(model(["Castor", "Pollux"]), columns: 80, rows: 24)
    #expect(lines.meaning(ofLine: 3) == .zone(0))
    #expect(lines.meaning(ofLine: 5) == .row(0))
    #expect(lines.meaning(ofLine: 6) == .row(1))
    for line in [-1, 0, 4, 7, 99] { #expect(lines.meaning(ofLine: line) == .text) }
  }

  @Test func namesCannotActOnTheTerminal() {
    let lines = TerminalLines(model(["\u{1B}]72;t=A\u{1B}\\\n"]), columns: 80, rows: 24)
    #expect(lines.lines.allSatisfy { $0.text.utf8.allSatisfy { $0 >= 0x20 } })
  }

  @Test(arguments: 1...12) func linesFitTheTerminal(size: Int) {
    let names = (1...20).map { "Hero \($0) with a long name" }
    let lines = TerminalLines(model(names), columns: size, rows: size)
    #expect(lines.lines.count <= size)
    #expect(lines.lines.allSatisfy { $0.text.columnCount <= size })
  }

  @Test func itemsWithoutRoomAreCounted() {
    let lines = TerminalLines(model((1...20).map { "Hero \($0)" }), columns: 80, rows: 10)
    #expect(lines.lines.contains { $0.text == "… and 17 more" })
  }
}
