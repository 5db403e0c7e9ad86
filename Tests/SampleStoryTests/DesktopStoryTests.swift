// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DisplayWire
import TestSupport
import Testing

/// Stories of the heroes in windows of a display, with a simulated pointer.
@Suite(
  .serialized, .limited, .timeLimit(.minutes(30)), .enabled(if: VirtualDisplay.isInstalled, "Xvfb is not installed"))
struct DesktopStoryTests {
  /// A location on the first hero of the list.
  private static let firstHero: (Int16, Int16) = (150, 130)
  private static let outside: (Int16, Int16) = (465, 300)
  private static let favourites: (Int16, Int16) = (590, 300)

  /// Runs the heroes with the list beside the favourites, and returns the lines that the commands print.
  private func heroes(
    _ body:
      @escaping @Sendable (WindowStage, ScriptInput, (list: X11Identifier, favourites: X11Identifier))
      async throws -> Void
  ) async throws -> [String] {
    try await DesktopStory(name: "HeroesApp").run { stage, input in
      let favourites = try await stage.window(named: "Favourites", x: 470)
      let list = try await stage.window(named: "Heroes", x: 0)
      try await body(stage, input, (list, favourites))
    }
  }

  @Test func heroIsDraggedToTheFavouritesOfAnotherProcess() async throws {
    let lines = try await heroes { stage, input, _ in
      try await stage.drag(from: Self.firstHero, to: Self.favourites)
      try input.send(":wait Favourites 1 of 1 added\n:show Favourites")
    }
    #expect(lines.contains { $0.hasPrefix("1  Anansi") }, "\(lines)")
    // The picture was loaded by the drop.
    #expect(lines.contains { $0.hasPrefix("   picture of ") }, "\(lines)")
  }

  @Test func heroOutsideOfAllWindowsOpensAWindow() async throws {
    _ = try await heroes { stage, _, _ in
      try await stage.drag(from: Self.firstHero, to: Self.outside)
      _ = try await stage.window(named: "Anansi", x: 0)
    }
  }

  @Test func enterOpensASelectedHero() async throws {
    let story = DesktopStory(name: "HeroesApp")
    _ = try await story.run(":wait Heroes 72 heroes\n:wait Heroes Anansi is shown") { stage in
      _ = try await stage.window(named: "Heroes", x: 0)
      try await stage.click(at: Self.firstHero)
      try await stage.pointer.type(keySymbol: 0xFF0D)
    }
  }

  @Test func listGoesOnAfterTheFavouritesAreKilledDuringADrag() async throws {
    _ = try await heroes { stage, input, windows in
      try await stage.beginDrag(at: Self.firstHero)
      try await stage.carry(from: Self.firstHero, to: Self.favourites)
      try input.send(":kill Favourites\n:wait Favourites signal 9")
      try await stage.waitForEnd(of: windows.favourites)
      // The drag goes on: where the favourites were, it opens a window.
      try await stage.pointer.release()
      _ = try await stage.window(named: "Anansi", x: 0)
      try input.send(":wait Anansi comics")
    }
  }

  @Test func favouritesGoOnAfterTheListIsKilledDuringADrag() async throws {
    let lines = try await heroes { stage, input, windows in
      try await stage.beginDrag(at: Self.firstHero)
      try await stage.carry(from: Self.firstHero, to: Self.favourites)
      try input.send(":kill Heroes\n:wait Heroes signal 9\n:heroes")
      try await stage.waitForEnd(of: windows.list)
      try await stage.pointer.release()
      _ = try await stage.window(named: "Heroes", x: 0)
      try await stage.drag(from: Self.firstHero, to: Self.favourites)
      try input.send(":wait Favourites 1 of 1 added\n:show Favourites")
    }
    #expect(lines.contains { $0.hasPrefix("1  Anansi") }, "\(lines)")
  }
}
