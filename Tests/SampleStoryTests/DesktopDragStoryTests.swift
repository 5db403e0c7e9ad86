// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// Stories of cards and photos that a simulated pointer drags on a display.
@Suite(
  .serialized, .limited, .timeLimit(.minutes(30)), .enabled(if: VirtualDisplay.isInstalled, "Xvfb is not installed"))
struct DesktopDragStoryTests {
  private static let board = DesktopStory(name: "BoardApp", screen: (1280, 800))
  private static let gallery = DesktopStory(name: "PhotoGallery", screen: (1280, 800))
  /// A location on the first line of the first card, before and after its text is divided into lines.
  private static let firstCard: (Int16, Int16) = (80, 104)

  @Test func cardOutsideOfAllWindowsOpensItsWindow() async throws {
    let lines = try await Self.board.run { stage, input in
      _ = try await stage.window(named: "Board", x: 0)
      try await stage.drag(from: Self.firstCard, to: (1100, 600))
      _ = try await stage.window(named: "Card", x: 900)
      try input.send(":wait 2 in To do\n:show 2")
    }
    #expect(lines.contains { $0.hasPrefix("Ask Circe") }, "\(lines)")
  }

  @Test func cardIsMovedToAnotherColumn() async throws {
    let lines = try await Self.board.run { stage, input in
      _ = try await stage.window(named: "Board", x: 0)
      // The drop is in the second of five columns.
      try await stage.drag(from: Self.firstCard, to: (280, 400))
      try input.send(":wait board 6 Caulk\n:show board")
    }
    let column = lines.drop { $0 != "[In progress]" }.prefix { $0 != "[Review]" }
    #expect(column.last?.contains("Ask Circe") == true, "\(lines)")
    #expect(lines.filter { $0.contains("Ask Circe") }.count == 1, "\(lines)")
  }

  /// Runs the gallery at the right of the document, and drags the first photo.
  private func dragPhoto(
    to end: (Int16, Int16), _ body: @escaping @Sendable (WindowStage, ScriptInput) async throws -> Void
  ) async throws -> [String] {
    try await Self.gallery.run { stage, input in
      _ = try await stage.window(named: "Document", x: 0)
      _ = try await stage.window(named: "Gallery", x: 500)
      try await stage.drag(from: (650, 110), to: end)
      try await body(stage, input)
    }
  }

  @Test func photoIsDraggedIntoADocument() async throws {
    let lines = try await dragPhoto(to: (200, 300)) { _, input in
      try input.send(":wait Document 1 picture\n:show Document")
    }
    #expect(lines.contains { $0.hasPrefix("anansi.png: ") && $0.hasSuffix(" bytes of public.png") }, "\(lines)")
  }

  @Test func photoOutsideOfAllWindowsOpensItsWindow() async throws {
    _ = try await dragPhoto(to: (1200, 700)) { stage, input in
      _ = try await stage.window(named: "anansi", x: 0)
      try input.send(":wait 3 photo anansi, opened once")
    }
  }

  @Test(.enabled(if: DragPeer.Toolkit.gtk3.isInstalled, "GTK 3 is not installed"))
  func photoIsDraggedIntoATextFieldOfGTKAsAPicture() async throws {
    _ = try await Self.gallery.run { stage, _ in
      _ = try await stage.window(named: "Document", x: 800)
      _ = try await stage.window(named: "Gallery", x: 300)
      let field = try await DragPeer(.gtk3, ["target", "picture"], on: stage.display.address)
      try await stage.drag(from: (450, 110), to: (100, 100))
      #expect(await field.next() == "picture 240 240")
    }
  }
}
