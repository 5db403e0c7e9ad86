// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DisplayWire
import TestSupport
import Testing

/// Frames, transitions and screens of windows of a display.
@Suite(
  .serialized, .limited, .timeLimit(.minutes(30)), .enabled(if: VirtualDisplay.isInstalled, "Xvfb is not installed"))
struct DesktopFrameStoryTests {
  /// The first two windows have stated what they show before they have content.
  private static let start = ":wait 1 not key\n:wait 2 type here\n"

  private static func program(_ stage: WindowStage) -> SampleProgram {
    SampleProgram(
      name: "ExtraWindows", arguments: ["--desktop"], environment: ["DISPLAY=\(stage.display.address)"])
  }

  @Test func windowGrowsToItsFrameAndShrinksBeforeItCloses() async throws {
    let stage = try await WindowStage()
    let viewer = try await X11Connection.open(stage.display.address)
    try viewer.send(
      .changeWindowAttributes(viewer.screen.root, X11WindowAttributes(events: [.substructureNotify])))
    try await viewer.synchronize()
    let outcome = try await Self.program(stage).run(
      Self.start + ":window 40 60 300 400\n:wait 3 300 by 400\n:close 3\n")
    #expect(outcome.lines == ["window 3 is closed, its process gone"])
    var heights: [UInt16] = []
    while let event = try await viewer.nextEvent() {
      if case .configureNotify(let change) = event.kind, change.frame.x == 40, change.frame.y == 60 {
        heights.append(change.frame.height)
      }
      if heights.count > 1, heights.last == 160 { break }
    }
    let steps: [UInt16] = (0...10).map { 160 + 24 * $0 }
    #expect(heights == steps.dropFirst() + steps.dropLast().reversed())
    await stage.display.stop()
  }

  @Test func windowIsOnTheChosenScreen() async throws {
    let stage = try await WindowStage(screenCount: 2)
    let second = stage.connection.setup.screens[1].root
    async let outcome = Self.program(stage).run(Self.start + ":window 40 60 300 200 1\n:wait 3 closed\n")
    var window = X11Identifier.none
    try await stage.wait(for: "the window on the second screen") {
      for child in try await stage.connection.response(to: .queryTree(second)).children {
        // The connection of a desktop window has an invisible window too.
        guard let frame = try? await stage.connection.response(to: .getGeometry(child)).frame else { continue }
        if frame == X11Rectangle(x: 40, y: 60, width: 300, height: 200) { window = child }
      }
      return window != .none
    }
    try await stage.close(window)
    #expect(try await outcome.exitCode == 0)
    await stage.display.stop()
  }

  @Test func screenThatDoesNotExistIsReported() async throws {
    let stage = try await WindowStage()
    let outcome = try await Self.program(stage).run(
      Self.start + ":window 40 60 300 200 1\n:wait 3 screen 1 does not exist\n")
    #expect(outcome.exitCode == 0, "\(outcome.errors) \(outcome.lines)")
    await stage.display.stop()
  }
}
