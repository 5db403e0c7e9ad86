// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import TestSupport
import Testing

@testable import DropSceneUI

/// The screen of a sample: its focus, its scrolling and its texts.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct ScreenModelTests {
  private var model = ScreenModel()
  private var panes = ["Favourites", "Heroes"].enumerated().map { index, name in
    Pane(number: index + 1, name: name, lines: (1...50).map { Span(text: "\(name) \($0)") }, isKey: index == 1)
  }

  init() {
    model.show(panes)
  }

  private mutating func type(_ text: String) -> ScreenModel.Action {
    text.unicodeScalars.map { model.handle($0 == "\n" ? .enter : .text($0)) }.last ?? .none
  }

  private mutating func makeKey(_ index: Int) {
    for other in panes.indices { panes[other].isKey = other == index }
    model.show(panes)
  }

  private mutating func rows() -> [String] {
    model.frame().lines.map { $0.map(\.text).joined() }
  }

  private mutating func prompt() -> String { rows()[model.size.rows - 2] }

  @Test mutating func openedWindowDoesNotTakeStartedLine() {
    #expect(prompt() == "Heroes> ")
    _ = type("drag")
    panes.append(Pane(number: 3, name: "Hero", lines: []))
    makeKey(2)
    #expect(prompt() == "Heroes> drag" && rows()[0].contains("2 Heroes ●"))
    #expect(type(" 3\n") == .perform(InputLine(text: "drag 3", window: panes[1].id)) && prompt() == "Hero> ")
  }

  @Test mutating func deletedLineFollowsTheKeyWindow() {
    _ = type("d")
    makeKey(0)
    _ = model.handle(.backspace)
    #expect(prompt() == "Favourites> ")
    #expect(type("remove 1\n") == .perform(InputLine(text: "remove 1", window: panes[0].id)))
  }

  @Test mutating func lineAfterKeyCommandGoesToTheWindowOfTheCommand() {
    guard case .perform(let command) = type(":key 1\n") else { return #expect(Bool(false)) }
    _ = type("rem")
    makeKey(0)
    model.finish(command)
    makeKey(1)
    #expect(type("ove 1\n") == .perform(InputLine(text: "remove 1", window: panes[0].id)))
  }

  @Test mutating func tabMovesTheFocusAlsoOfStartedLine() {
    var actions = [model.handle(.tab), model.handle(.tab)]
    _ = type("a")
    actions.append(model.handle(.backTab))
    #expect(actions == [0, 1, 0].map { .makeKey(panes[$0].id) } && prompt() == "Favourites> a")
  }

  @Test mutating func promptNumbersWindowsOfOneTitle() {
    for index in panes.indices { panes[index].name = "Dates" }
    makeKey(1)
    #expect(prompt() == "Dates 2> ")
  }

  @Test mutating func keysScrollTheKeyWindowWithinItsLines() {
    for (keys, first) in [
      ([], 1), ([TerminalKey.pageDown], 21), ([.pageDown, .pageDown], 31), ([.shiftUp], 30), ([.up, .up, .down], 29),
      ([.pageUp], 9), ([.pageUp, .pageUp], 1),
    ] {
      for key in keys {
        _ = model.handle(key)
        _ = model.frame()
      }
      let row = rows()[1]
      #expect(row.contains("│Heroes \(first) ") && row.hasPrefix("│Favourites 1 "), "\(row)")
    }
  }

  @Test mutating func newErrorIsVisibleInAScrolledWindow() {
    _ = model.frame()
    _ = model.handle(.pageDown)
    #expect(rows()[1].contains("│Heroes 21 "))
    panes[1].lines.insert(Span(text: "! no hero 99", style: .error), at: 0)
    model.show(panes)
    #expect(rows()[1].contains("│! no hero 99 "))
    _ = model.handle(.pageDown)
    model.show(panes)
    #expect(!rows()[1].contains("! no hero 99"))
  }

  @Test mutating func textReplacesWindowsUntilItIsClosed() {
    model.show((1...60).map { "line \($0)" }, title: "Help")
    #expect(rows()[0].hasPrefix("┌ Help ─") && rows().last?.contains("PageDown: scroll") == true)
    for (key, index, start) in [
      (.pageDown, 1, "│line 21 "), (.up, 1, "│line 20 "), (.escape, 0, "┌ 1 Favourites "),
    ] as [(TerminalKey, Int, String)] {
      _ = model.handle(key)
      #expect(rows()[index].hasPrefix(start))
    }
    model.show(["line"], title: "Help")
    #expect(rows().last?.contains("scroll") == false)
    #expect(type("\n") == .perform(InputLine(text: "", window: nil)) && rows()[0].contains("1 Favourites"))
  }

  @Test(arguments: [(24, 6), (80, 24), (110, 30), (200, 50), (1, 1), (10, 3)])
  mutating func frameHasSizeOfTerminal(columns: Int, rows: Int) {
    model.size = (columns, rows)
    model.message = Span(text: String(repeating: "木", count: 200), style: .error)
    _ = type(String(repeating: "水", count: 200))
    for isText in [false, true] {
      if isText { model.show([String(repeating: "火", count: 200)], title: "Help") }
      let frame = model.frame()
      #expect(frame.lines.count == max(3, rows) && frame.cursor.column < max(4, columns))
      guard columns >= 24 else { continue }
      #expect(frame.lines.allSatisfy { $0.map(\.text).joined().columnCount <= columns })
    }
  }

  @Test mutating func smallTerminalCountsHiddenWindows() {
    model.size = (24, 6)
    #expect(rows()[0].contains("2 Heroes ●") && rows()[5] == "hidden windows: 1")
  }
}
