// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// Stories of the heroes in windows of a display, with a simulated pointer.
@Suite(
  .serialized, .limited, .timeLimit(.minutes(5)), .enabled(if: VirtualDisplay.isInstalled, "Xvfb is not installed"))
struct DesktopStoryTests {
  /// A location on the first hero of the list.
  private static let firstHero: (Int16, Int16) = (150, 130)

  /// Runs the heroes on a display, and returns the lines that the script prints.
  private func heroes(_ script: String, _ body: (WindowStage) async throws -> Void) async throws -> [String] {
    let stage = try await WindowStage()
    let program = SampleProgram(
      name: "HeroesApp", arguments: ["--desktop"], environment: ["DISPLAY=\(stage.display.address)"])
    async let outcome = program.run(script)
    _ = try await stage.window(named: "Favourites", x: 470)
    _ = try await stage.window(named: "Heroes", x: 0)
    try await body(stage)
    let ended = try await outcome
    #expect(ended.exitCode == 0, "\(ended.errors) \(ended.lines)")
    await stage.display.stop()
    return ended.lines
  }

  @Test func heroIsDraggedToTheFavouritesOfAnotherProcess() async throws {
    let lines = try await heroes(
      """
      :wait Heroes 72 heroes
      :wait Favourites 1 of 1 added
      :show Favourites
      """
    ) { stage in
      try await stage.drag(from: Self.firstHero, to: (590, 300))
    }
    #expect(lines.contains { $0.hasPrefix("1  Anansi") }, "\(lines)")
    // The picture was loaded by the drop.
    #expect(lines.contains { $0.hasPrefix("   picture of ") }, "\(lines)")
  }

  @Test func heroOutsideOfAllWindowsOpensAWindow() async throws {
    _ = try await heroes(":wait Heroes 72 heroes\n:wait Favourites closed") { stage in
      try await stage.drag(from: Self.firstHero, to: (465, 300))
      _ = try await stage.window(named: "Anansi", x: 0)
      try await stage.close(try await stage.window(named: "Favourites", x: 470))
    }
  }

  @Test func enterOpensASelectedHero() async throws {
    _ = try await heroes(":wait Heroes 72 heroes\n:wait Heroes Anansi is shown") { stage in
      try await stage.click(at: Self.firstHero)
      try await stage.pointer.type(keySymbol: 0xFF0D)
    }
  }
}
