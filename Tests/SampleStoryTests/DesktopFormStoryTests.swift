// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// Stories of fields, buttons and progress in windows of a display, with simulated keys and a simulated pointer.
@Suite(
  .serialized, .limited, .timeLimit(.minutes(5)), .enabled(if: VirtualDisplay.isInstalled, "Xvfb is not installed"))
struct DesktopFormStoryTests {
  /// A location on the right button at the lower edge of a window of 380 by 480 points, which is the height of the screen.
  private static let rightButton: (Int16, Int16) = (322, 447)

  /// Runs a sample on a display with a script, and repeats actions in the last of some windows until the script ends.
  ///
  /// The script waits for the effect. The actions are repeated, because the window may not show its rows yet.
  private func run(
    _ name: String, _ script: String, arguments: [String] = [], windows: [String],
    _ body: @escaping @Sendable (WindowStage) async throws -> Void
  ) async throws -> [String] {
    let stage = try await WindowStage()
    let program = SampleProgram(
      name: name, arguments: ["--desktop"] + arguments, environment: ["DISPLAY=\(stage.display.address)"])
    let ended = try await withThrowingTaskGroup(of: SampleProgram.Outcome?.self) { group in
      group.addTask { try await program.run(script) }
      group.addTask {
        for window in windows { _ = try? await stage.window(named: window, x: 0) }
        while !Task.isCancelled {
          try? await body(stage)
          try? await Task.sleep(for: .milliseconds(200))
        }
        return nil
      }
      defer { group.cancelAll() }
      return try #require(try await group.next() ?? nil)
    }
    #expect(ended.exitCode == 0, "\(ended.errors) \(ended.lines)")
    await stage.display.stop()
    return ended.lines
  }

  /// Types a word and Enter in the window under the pointer.
  private static func type(_ word: String, on stage: WindowStage) async throws {
    for scalar in word.unicodeScalars { try await stage.pointer.type(keySymbol: scalar.value) }
    try await stage.pointer.type(keySymbol: 0xFF0D)
  }

  @Test func typedTitleAddsAColumn() async throws {
    let script = "add column\n:wait board [oar]\n:wait 2 closed"
    _ = try await run("BoardApp", script, windows: ["Add Column"]) { stage in
      try await stage.point(at: (100, 300))
      try await Self.type("oar", on: stage)
    }
  }

  @Test func textTypedInACardIsOnTheBoard() async throws {
    let script = ":wait board Pack\ndrag 4 to desktop\n:wait board oar"
    _ = try await run("BoardApp", script, windows: ["Card"]) { stage in
      try await stage.point(at: (100, 300))
      try await Self.type("oar", on: stage)
    }
  }

  @Test func buttonClosesACard() async throws {
    let script = ":wait board Pack\ndrag 4 to desktop\n:wait 2 closed\n:show 2"
    let lines = try await run("BoardApp", script, windows: ["Card"]) { stage in
      try await stage.click(at: Self.rightButton)
    }
    #expect(lines.last?.hasPrefix("error: no window matches 2") == true, "\(lines)")
  }

  @Test func crossDeletesADateInEditMode() async throws {
    let script = """
      insert alpha
      :key 1
      edit
      :key 2
      edit
      :wait 1 0 dates, revision 2
      :wait 2 0 dates, revision 2
      """
    _ = try await run("SharedDates", script, windows: ["Dates"]) { stage in
      try await stage.click(at: (418, 88))
    }
  }

  @Test func crossCancelsThePictureOfAFavourite() async throws {
    let script = ":wait Heroes 72 heroes\ndrag 1 to Favourites\n:wait Favourites 1 of 1 added\n:show Favourites"
    let lines = try await run("HeroesApp", script, arguments: ["--slow", "50"], windows: ["Heroes", "Favourites"]) {
      stage in
      // The row of the first favourite is below the title and above the result of the drop.
      for y in [90, 110] as [Int16] { try await stage.click(at: (418, y)) }
    }
    #expect(lines.contains { $0.hasPrefix("1  Anansi") }, "\(lines)")
    #expect(!lines.contains { $0.contains("picture of") }, "\(lines)")
  }
}
