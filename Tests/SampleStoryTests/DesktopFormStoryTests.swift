// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// Stories of fields, buttons and progress in windows of a display, with simulated keys and a simulated pointer.
@Suite(
  .serialized, .limited, .timeLimit(.minutes(30)), .enabled(if: VirtualDisplay.isInstalled, "Xvfb is not installed"))
struct DesktopFormStoryTests {
  /// A location on the right button at the lower edge of a window of 380 by 340 points.
  private static let rightButton: (Int16, Int16) = (322, 307)

  /// Runs a sample with a script, and repeats actions once some windows exist until the script ends.
  private func run(
    _ name: String, _ script: String, arguments: [String] = [], windows: [String],
    _ actions: @escaping @Sendable (WindowStage) async throws -> Void
  ) async throws -> [String] {
    try await DesktopStory(name: name, arguments: arguments).run(
      script, after: { stage in for window in windows { _ = try? await stage.window(named: window, x: 0) } },
      repeating: actions)
  }

  /// Types a word and Enter in the window under the pointer.
  private static func type(_ word: String, on stage: WindowStage) async throws {
    for scalar in word.unicodeScalars { try await stage.pointer.type(keySymbol: scalar.value) }
    try await stage.pointer.type(keySymbol: 0xFF0D)
  }

  @Test func typedTitleAddsAColumn() async throws {
    let script = "add column\n:wait board [oar]\n:wait 2 closed"
    _ = try await run("BoardApp", script, windows: ["Add Column"]) { stage in
      try await stage.point(at: (100, 100))
      try await Self.type("oar", on: stage)
    }
  }

  @Test func textTypedInACardIsOnTheBoard() async throws {
    let script = ":wait board Pack\ndrag 4 to desktop\n:wait board oar"
    _ = try await run("BoardApp", script, windows: ["Card"]) { stage in
      try await stage.point(at: (100, 100))
      try await Self.type("oar", on: stage)
    }
  }

  @Test func typedLineAppearsInItsWindow() async throws {
    let script = ":wait 1 not key\n:wait 2 type here\n:window 0 0 380 400\n:wait 3 380 by 400\n:wait 3 oar"
    _ = try await run("ExtraWindows", script, windows: []) { stage in
      // The newest window is above the others.
      try await stage.point(at: (100, 100))
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
