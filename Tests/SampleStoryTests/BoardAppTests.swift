// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// A board whose cards are dragged between columns, and to the desktop.
@Suite(.limited, .timeLimit(minutes: 5), .serialized) struct BoardAppTests {
  private let directory: TemporaryDirectory
  private let program: SampleProgram

  init() throws {
    directory = try TemporaryDirectory()
    program = SampleProgram(name: "BoardApp", arguments: ["--state", directory.url.path])
  }

  private func column(_ title: String, of lines: [String]) -> [String] {
    Array(lines.drop { $0 != "[\(title)]" }.dropFirst().prefix { !$0.hasPrefix("[") && !$0.hasPrefix("+") })
  }

  @Test func draggedCardOpensWindowThatIsReused() async throws {
    let lines = try await program.run(
      """
      :wait 1 To do
      drag 2 to desktop
      :wait 2 Buy beeswax
      :key board
      drag 2 to desktop
      :wait 2 (here already)
      :key board
      drag 3 to desktop
      :wait 3 Hide the Sun
      :key 2
      text Buy more beeswax
      :wait board 2 Buy more beeswax
      """)
    #expect(!lines.all.contains { $0.hasPrefix("error") })
  }

  @Test func movedCardLeavesItsColumnAfterwards() async throws {
    let lines = try await program.run(
      """
      :wait 1 To do
      drag 2 to desktop
      :wait 2 in To do
      :key board
      drag 2 to board at 4
      :wait 2 in Done
      :wait board move: Buy
      :say end
      :show board
      """)
    let shown = lines.after("end")
    let count = shown.dropFirst().count { $0.contains("Buy beeswax") }
    #expect(count == 1 && column("Done", of: shown).last?.contains("Buy beeswax") == true)
  }

  @Test func addColumnWindowAddsAndCloses() async throws {
    let lines = try await program.run(
      """
      :wait 1 To do
      add column
      :wait 2 title
      Later
      :wait board [Later]
      :key board
      drag 1 to board at 5
      :wait board move: Ask
      :say end
      :show board
      :show 2
      """)
    #expect(column("Later", of: lines.after("end")).first?.contains("Ask Circe") == true)
    #expect(lines.all.last == "error: no window matches 2; the windows are 1 Board")
  }

  @Test func rejectsUnlistedActivity() async throws {
    _ = try await program.run(
      """
      :wait 1 To do
      bogus
      :wait board ! NSUserActivityTypes does not list org.example.bogus
      drag 2 board
      :wait board ! expected drag N to WINDOW [at COLUMN]
      drag 99 to board
      :wait board ! expected the number of a card from 1 to 21, found 99
      dragg
      :wait board ! unknown command dragg; type help for the commands
      """)
  }

  @Test func restoresOpenAndKilledWindowsOnly() async throws {
    _ = try await program.run(
      """
      :wait 1 To do
      drag 2 to desktop
      :wait 2 Buy beeswax
      :key board
      drag 3 to desktop
      :wait 3 Hide the Sun
      :key board
      drag 4 to desktop
      :wait 4 Pack for Ithaca
      :kill 3
      :wait 3 signal 9
      :key 2
      text Buy honey
      :wait board Buy honey
      :close 4
      :quit
      """)
    let second = try await program.run(
      """
      :wait 1 To do
      :wait 2 Buy honey
      :wait 3 Hide the Sun
      :close 2
      :show 4
      """)
    let message = "error: no window matches 4; the windows are 1 Board, 3 Card "
    #expect(second.all.map { $0.hasPrefix(message) } == [true], "\(second)")
    _ = try await program.run(":wait 1 To do\n:wait 2 Hide the Sun\n")
  }

  @Test func reportsTruncatedRestorationFileAndOpens() async throws {
    _ = try await program.run(":wait 1 To do\ndrag 2 to desktop\n:wait 2 Buy\n")
    let file = directory.file("scenes.drop")
    let whole = try Data(contentsOf: file)
    try whole.prefix(whole.count / 2).write(to: file)
    let lines = try await program.run(":wait 1 To do\n:show 2\n")
    #expect(lines.all.first?.contains("scenes.drop: the stream is truncated") == true)
    #expect(lines.all.last == "error: no window matches 2; the windows are 1 Board")
    #expect(try Data(contentsOf: file) == whole.prefix(whole.count / 2))
  }
}
