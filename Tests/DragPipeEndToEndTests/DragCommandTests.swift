// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DisplayWire
import DropSystem
import Foundation
import TestSupport
import Testing

/// The windows of `drag` and `drop`, with a simulated pointer between them.
@Suite(.serialized, .limited, .timeLimit(minutes: 10), .peers("Xvfb")) struct DragCommandTests {
  /// Expects a transcript, while the body acts on the windows.
  private func expect(
    _ expected: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: (WindowStage, Shell) async throws -> Void
  ) async throws {
    let stage = try await WindowStage()
    try await withShell(display: "\(stage.display.address)") { shell in
      async let end: Void = shell.expect(expected, sourceLocation)
      try await body(stage, shell)
      try await end
    }
    await stage.display.stop()
  }

  /// Drags the row of all items to the middle of the drop area.
  private func dragAll(_ count: Int) -> (WindowStage, Shell) async throws -> Void {
    { stage, _ in
      _ = try await stage.window(named: "Drop", x: 430)
      _ = try await stage.window(named: "Drag \(count) item\(count == 1 ? "" : "s")", x: 0)
      try await stage.drag(from: (150, 90), to: (630, 140))
    }
  }

  @Test func allItemsOfAWindowAreDroppedIntoADirectory() async throws {
    try await expect(
      #"""
      $ mkdir -p folder in; echo hail > notes.txt; echo deep > folder/d.txt; "$TOOL" drop --once in & drop=$!
      $ "$TOOL" drag --once notes.txt folder || echo $?; wait $drop || echo $?; ls in; cat in/notes.txt in/folder/d.txt
      folder
      notes.txt
      hail
      deep
      """#, dragAll(2))
  }

  /// The drop window copies, although the source allows a move.
  @Test func aFileIsRemovedOnlyIfTheTargetReportsAMove() async throws {
    try await expect(
      #"""
      $ echo hail > notes.txt; "$TOOL" drop --once --target 'Count=cat > counted' & drop=$!
      $ "$TOOL" drag --once --move notes.txt || echo $?; wait $drop || echo $?; cat counted notes.txt
      hail
      hail
      """#, dragAll(1))
  }

  @Test func describedRepresentationsAreDragged() async throws {
    try await expect(
      #"""
      $ echo hail > a.txt; "$TOOL" drop --once > all.drop & drop=$!
      $ "$TOOL" drag --once --type .txt=a.txt --alias .md=.txt --lazy '.json=echo {}'
      $ wait $drop || echo $?; dragpipe receive --from all.drop --list | cut -f 3
      public.plain-text
      net.daringfireball.markdown
      public.json
      """#, dragAll(1))
  }

  @Test func sendersAndReceiversUseTheDesktopAsAnEndpoint() async throws {
    try await expect(
      #"""
      $ mkdir in; echo hail > a.txt; echo deep > b.txt; "$TOOL" receive --from desktop: in & receive=$!
      $ "$TOOL" send --to desktop: --once a.txt b.txt || echo $?; wait $receive || echo $?; cat in/a.txt in/b.txt
      hail
      deep
      """#, dragAll(2))
  }

  @Test func closingAWindowEndsItsCommand() async throws {
    try await expect(
      #"""
      $ echo hail > notes.txt; "$TOOL" drag notes.txt
      $ "$TOOL" send --to desktop: --once notes.txt notes.txt 2> errors
      [4]
      """#
    ) { stage, _ in
      for name in ["Drag 1 item", "Drag 2 items"] { try await stage.close(try await stage.window(named: name, x: 0)) }
    }
  }

  @Test func selectedRowsAreDraggedTogether() async throws {
    try await expect(
      #"""
      $ mkdir in; for name in a b c d; do echo $name > $name.txt; done; "$TOOL" drop in 2> errors & drop=$!
      $ "$TOOL" drag a.txt b.txt c.txt d.txt 2> errors & drag=$!
      $ await '[ -e in/c.txt ]'; ls in; rm in/*; touch next; await '[ -e in/d.txt ]'; ls in
      a.txt
      c.txt
      a.txt
      b.txt
      c.txt
      d.txt
      $ kill $drop $drag; wait $drop $drag; true
      """#
    ) { stage, shell in
      _ = try await stage.window(named: "Drop", x: 430)
      _ = try await stage.window(named: "Drag 4 items", x: 0)
      // The arrows move the focus from the first to the third row; the space key selects.
      try await stage.point(at: (150, 175))
      for symbol: UInt32 in [0xFF52, 0x20, 0xFF54, 0xFF54, 0x20] { try await stage.pointer.type(keySymbol: symbol) }
      try await stage.drag(from: (150, 175), to: (630, 140))
      let next = shell.directory.appendingPathComponent("next").path
      try await stage.wait(for: "the next file") { FileManager.default.fileExists(atPath: next) }
      // The keys Control and A select all rows.
      try await stage.point(at: (150, 230))
      try await stage.pointer.type(keySymbol: 0x61, holding: 0xFFE3)
      try await stage.drag(from: (150, 230), to: (630, 140))
    }
  }
}
