// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import TestSupport
import Testing

/// The samples on a terminal.
@Suite(.limited, .timeLimit(minutes: 10), .serialized, .peers("tmux"))
struct TerminalStoryTests {
  private let heroes = SampleProgram(name: "HeroesApp")

  @Test(arguments: [(24, 6), (110, 30)])
  func boardHasStraightFrameAtAnySize(columns: Int, rows: Int) async throws {
    let terminal = try await SampleTerminal(SampleProgram(name: "BoardApp"), columns: columns, rows: rows)
    try await terminal.wait(for: "[To do]")
    for _ in 0..<20 where rows < 30 { try await terminal.press("NPage") }
    // This card has wide characters, and the last card is below it.
    let shown = try await terminal.wait(for: "21 Send")
    #expect(shown[0].hasPrefix("┌ 1 Board ●"))
    let frame = shown.prefix { !$0.hasPrefix("Board>") }.filter { !$0.isEmpty }
    #expect(frame.allSatisfy { $0.columnCount == columns - 1 }, "\(frame)")
    #expect(shown.contains { $0.hasPrefix("Board>") })
    if rows >= 30 { #expect(shown.contains { $0.contains("(孫悟空) own notes") && $0.hasSuffix(" │") }) }
  }

  @Test func sizeOfTerminalMayChange() async throws {
    let terminal = try await SampleTerminal(heroes)
    try await terminal.wait(for: "1–20 of 145 lines")
    try await terminal.resize(columns: 24, rows: 6)
    #expect(try await terminal.wait(for: "hidden windows: 1")[4].hasPrefix("Heroes>"))
    try await terminal.resize(columns: 200, rows: 50)
    let shown = try await terminal.wait(for: "1–46 of 73 lines")
    #expect(shown[0].columnCount == 199 && shown[48].hasPrefix("Heroes>"))
  }

  @Test func keysScrollSelectAndEdit() async throws {
    let terminal = try await SampleTerminal(heroes)
    try await terminal.wait(for: "1–20 of 145 lines")
    for (key, lines) in [("NPage", "21–40"), ("PPage", "1–20")] {
      try await terminal.press(key)
      try await terminal.wait(for: "\(lines) of 145 lines")
    }
    try await terminal.type("tar 3")
    for key in ["Home", "s", "End", "4", "BSpace", "Enter"] { try await terminal.press(key) }
    try await terminal.wait(for: "1 hero added")
    try await terminal.press("Up")
    try await terminal.wait(for: "Heroes> star 3")
    try await terminal.press("C-u")
    try await terminal.press("Tab")
    try await terminal.wait(for: "Favourites>")
    try await terminal.type("remove 1\r")
    try await terminal.wait(for: "Arjuna is removed")
  }

  @Test func aLoadIsCancelledWhileItsDragRuns() async throws {
    let terminal = try await SampleTerminal(SampleProgram(name: "HeroesApp", arguments: ["--slow", "50"]))
    try await terminal.wait(for: "1–20 of 145 lines")
    // The list waits until the favourites have the picture, but the user does not.
    try await terminal.type("star 1\r")
    try await terminal.wait(for: " %")
    try await terminal.press("Tab")
    try await terminal.type("cancel 1\r")
    try await terminal.wait(for: "1 hero added")
  }

  @Test(arguments: [":quit\r", ":close Board\r:quit\r"])
  func linesBeforeTheEndAreStillPerformed(end: String) async throws {
    let directory = try TemporaryDirectory()
    let program = SampleProgram(name: "BoardApp", arguments: ["--state", directory.url.path])
    let terminal = try await SampleTerminal(program)
    try await terminal.wait(for: "Board>")
    try await terminal.type((1...12).map { "card N\($0)\r" }.joined() + end)
    try await terminal.wait(for: "after")
    let cards = try String(contentsOf: directory.file("cards.json"), encoding: .utf8)
    #expect((1...12).allSatisfy { cards.contains("\"N\($0)\"") })
    directory.remove()
  }

  @Test func activitiesAreShownCompletely() async throws {
    let terminal = try await SampleTerminal(SampleProgram(name: "PhotoGallery"))
    try await terminal.wait(for: "71 photos")
    try await terminal.type("inspect 2\r")
    try await terminal.wait(for: "About antigone")
    try await terminal.type(":activities\r")
    let rows = try await terminal.wait(for: "┌ Activities ─")
    #expect(rows.contains { $0.hasPrefix("│  3 About antigone ") }, "\(rows)")
    #expect(rows.count { $0.hasPrefix("│org.dragpipe.sample.") } > 1, "\(rows)")
  }

  @Test func showAndHelpScroll() async throws {
    let terminal = try await SampleTerminal(heroes)
    try await terminal.wait(for: "72 heroes")
    try await terminal.type(":show heroes\r")
    #expect(try await terminal.wait(for: "Escape: close")[0].hasPrefix("┌ 2 Heroes ─"))
    try await terminal.press("NPage")
    try await terminal.wait(for: "21–40 of 145 lines")
    try await terminal.press("Escape")
    try await terminal.wait(for: "┌ 1 Favourites ")
    try await terminal.type("help\r")
    try await terminal.wait(for: "drag N… [to WINDOW] [at ROW]")
    for _ in 0..<3 { try await terminal.press("NPage") }
    try await terminal.wait(for: "Ctrl-D")
    try await terminal.type(":nonsense\r")
    try await terminal.wait(for: "error: unknown command :nonsense; type help for the commands")
    try await terminal.type(":key s\r")
    try await terminal.wait(for: "error: no window matches s; the windows are 1 Favourites, 2 Heroes")
  }

  @Test(arguments: ["C-c", "C-d", ":quit", "\(SIGINT)", "\(SIGTERM)", "\(SIGHUP)", "\(SIGQUIT)"])
  func terminalIsRestoredAtTheEnd(way: String) async throws {
    let terminal = try await SampleTerminal(SampleProgram(name: "ExtraWindows"))
    try await terminal.wait(for: "type here")
    // A line that waits for a minute does not delay an interrupt.
    if way != "C-d", way != ":quit" { try await terminal.type(":wait 1 nothing\r") }
    if let number = Int32(way) {
      try terminal.signal(number)
    } else if way == ":quit" {
      try await terminal.type(":quit\r")
    } else {
      try await terminal.press(way)
    }
    let shown = try await terminal.wait(for: "after")
    #expect(shown.first == "before")
    let modes = shown.joined(separator: " ").split { " ;".contains($0) }
    #expect(Set(modes).isSuperset(of: ["icanon", "echo", "isig", "iexten", "ixon", "icrnl"]), "\(modes)")
  }

  @Test(arguments: [("", true), ("1", false)])
  func coloursAreUsedIfWanted(variable: String, isUsed: Bool) async throws {
    let terminal = try await SampleTerminal(
      SampleProgram(name: "HeroesApp", environment: ["NO_COLOR": variable]))
    try await terminal.wait(for: "1–20 of 145 lines")
    try await terminal.type("nonsense\r")
    try await terminal.wait(for: "! unknown command nonsense")
    let rows = try await terminal.rows(withColours: true)
    // The frame of the key window, an error, and any other row.
    let areColoured = [
      rows[0].contains("36m┌ 2 Heroes ●"), rows[1].contains("[31m"), rows.contains { $0.contains("\u{1B}[") },
    ]
    #expect(areColoured == Array(repeating: isUsed, count: 3), "\(rows)")
  }

  @Test func simpleTerminalShowsLines() async throws {
    let terminal = try await SampleTerminal(SampleProgram(name: "ExtraWindows", environment: ["TERM": "dumb"]))
    try await terminal.wait(for: "before")
    try await terminal.type(":wait 1 not key\r:show 1\r:show 9\r")
    let rows = try await terminal.wait(for: "error: no window matches 9")
    #expect(rows.contains("not key") && !rows.contains { $0.contains("┌") })
    #expect(try await terminal.rows(withColours: true).allSatisfy { !$0.contains("\u{1B}") })
  }
}
