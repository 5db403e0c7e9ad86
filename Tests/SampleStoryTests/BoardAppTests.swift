// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
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
      :wait 2 open already
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
      :wait board moved: Buy
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
      :wait board moved: Ask
      drag + to desktop
      :wait 3 title
      Never
      :wait board [Never]
      :wait 3 closed
      :say end
      :show board
      :show 2
      """)
    #expect(column("Later", of: lines.after("end")).first?.contains("Ask Circe") == true)
    #expect(lines.all.last == "error: no window matches 2; the windows are 1 Board")
  }

  @Test(arguments: [
    ("<true/>", "<false/>", "the app allows one scene, which cannot show org.dragpipe.sample.open-card"),
    ("<string>Card</string>", "<string>Note</string>", "the manifest has no configuration named Card"),
    ("<string>org.dragpipe.sample.open-card</string>", "", "NSUserActivityTypes does not list"),
  ])
  func manifestDecidesWhichWindowsOpen(part: String, replacement: String, reason: String) async throws {
    let list = try String(contentsOf: samples.appending(path: "BoardApp/Info.plist"), encoding: .utf8)
    let file = try directory.write(Data(list.replacing(part, with: replacement).utf8), to: "Info.plist").path
    let program = SampleProgram(name: "BoardApp", arguments: ["--manifest", file])
    _ = try await program.run(":wait 1 To do\ndrag 2 to desktop\n:wait board ! \(reason)")
  }

  @Test func errorOfAManifestNamesTheFile() async throws {
    let file = try directory.write(Data("<plist>".utf8), to: "Info.plist").path
    let outcome = try await SampleProgram(name: "BoardApp", arguments: ["--manifest", file]).outcome("")
    #expect(outcome.exitCode == 1 && outcome.errors.hasPrefix("cannot read the manifest \(file): "), "\(outcome)")
  }

  @Test func commandErrorsNameWhatIsExpected() async throws {
    _ = try await program.run(
      """
      :wait 1 To do
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
    let message = "error: no window matches 4; the windows are 1 Board, 3 Card “Hide the Sun"
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

  // MARK: The file of cards

  private var cards: URL { directory.file("cards.json") }

  /// Runs the board while a closure sends it commands.
  private func run(_ body: (ScriptInput) async throws -> Void) async throws -> ProgramRun {
    let input = try ScriptInput()
    async let run = program.outcome(input: input.reader.raw)
    do {
      try input.send(":wait 1 To do")
      try await wait(for: "the saved cards") { FileManager.default.fileExists(atPath: cards.path) }
      try await body(input)
    } catch {
      Issue.record(error)
    }
    try input.send(":quit")
    return try await run
  }

  /// Makes the file of cards a directory, which cannot be replaced by a file.
  private func blockCards() throws {
    try FileManager.default.removeItem(at: cards)
    try FileManager.default.createDirectory(at: cards.appending(path: "full"), withIntermediateDirectories: true)
  }

  @Test func directoryIsUsedByOneProcessAtATime() async throws {
    let first = try await run { _ in
      let second = try await program.outcome(":wait 1 To do\n")
      let reason = "another process of the app uses \(directory.url.path); end it, or choose another directory\n"
      #expect((second.exitCode, second.errors) == (75, reason))
    }
    #expect(first.exitCode == 0, "\(first)")
    _ = try await program.run(":wait 1 To do\n")
  }

  @Test func cardsAreSavedAsSoonAsThatIsPossibleAgain() async throws {
    let run = try await run { input in
      try blockCards()
      try input.send("drag 2 to board at 3\n:wait board moved: Buy")
      // Each attempt creates a file beside the cards. The second attempt follows the failure of the first.
      var attempts: [Date] = []
      try await wait(for: "the second attempt to save the cards") {
        let date = try directory.url.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate
        if let date, date.timeIntervalSince(attempts.last ?? .distantPast) > 0.5 { attempts.append(date) }
        return attempts.count > 2
      }
      try FileManager.default.removeItem(at: cards)
      try await wait(for: "the cards") { ((try? Data(contentsOf: cards)) ?? Data()).count > 0 }
    }
    #expect(run.exitCode == 0 && run.outputLines.last == "the cards are saved again", "\(run)")
    #expect(run.outputLines.count { $0.hasPrefix("error: ") } == 1, "\(run)")
  }

  @Test func cardsThatAreNotSavedAtTheEndAreAnError() async throws {
    let run = try await run { input in
      try blockCards()
      try input.send("drag 2 to board at 3\n:wait board moved: Buy")
    }
    let reason = "the last changes of the cards are lost: cannot write \(cards.path): "
    #expect(run.exitCode == 74 && run.errors.hasPrefix(reason), "\(run)")
  }

  @Test func damagedCardsAreReportedAndStay() async throws {
    try Data("[{".utf8).write(to: cards)
    let run = try await program.outcome(":wait 1 To do\n")
    #expect(run.exitCode == 65 && run.errors.hasPrefix("cannot read the cards in \(cards.path): "), "\(run)")
    #expect(try Data(contentsOf: cards) == Data("[{".utf8))
  }
}
