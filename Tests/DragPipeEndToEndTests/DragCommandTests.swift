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
    _ expected: String, screen size: (Int, Int) = (640, 480), sourceLocation: SourceLocation = #_sourceLocation,
    _ body: (WindowStage, Shell) async throws -> Void
  ) async throws {
    let stage = try await WindowStage(screen: size)
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

  /// Drops the only row of a drag window on a program that never reports the end.
  private func dropSilently(_ stage: WindowStage, on target: SilentTarget) async throws -> X11Identifier {
    let count = target.drops.values.count
    try await stage.drag(from: (150, 90), to: (950, 50))
    try await stage.wait(for: "the drop on the other program") { target.drops.values.count > count }
    return target.drops.values[count]
  }

  @Test func aProgramThatReportsNoEndBlocksNoOtherDrag() async throws {
    try await expect(
      #"""
      $ mkdir in; echo hail > a.txt; { "$TOOL" drop --once in; touch done; } &
      $ "$TOOL" drag a.txt; echo $?; cat in/a.txt
      dragpipe: the window was closed before silent\u{202e} has reported the end of the drop
      4
      hail
      """#, screen: (1000, 480)
    ) { stage, shell in
      let target = try await SilentTarget(stage.display.address, title: "silent\u{202E}", x: 900)
      _ = try await stage.window(named: "Drop", x: 430)
      let window = try await stage.window(named: "Drag 1 item", x: 0)
      let source = try await dropSilently(stage, on: target)
      try await stage.drag(from: (150, 90), to: (630, 140))
      let done = shell.directory.appendingPathComponent("done").path
      try await stage.wait(for: "the second drop") { FileManager.default.fileExists(atPath: done) }
      try await stage.close(window)
      try await stage.wait(for: "the end of the drag") { await !target.exists(source) }
    }
  }

  @Test func theCrossOfARowEndsTheWaitForAProgram() async throws {
    try await expect(#"$ echo hail > a.txt; "$TOOL" drag a.txt"#, screen: (1000, 480)) { stage, _ in
      let target = try await SilentTarget(stage.display.address, title: "silent", x: 900)
      let window = try await stage.window(named: "Drag 1 item", x: 0)
      let source = try await dropSilently(stage, on: target)
      // The row is drawn soon, and has a cross while it waits.
      try await stage.wait(for: "the end of the drag") {
        try await stage.click(at: (378, 101))
        return await !target.exists(source)
      }
      try await stage.close(window)
    }
  }

  @Test func aWindowEndsOnceAllItemsAreDropped() async throws {
    try await expect(
      #"""
      $ mkdir in; for name in a b; do echo $name > $name.txt; done; "$TOOL" drop in 2> errors & drop=$!
      $ "$TOOL" drag --exit-after-all a.txt b.txt; cat in/*
      a
      b
      $ kill $drop; wait $drop; true
      """#
    ) { stage, shell in
      _ = try await stage.window(named: "Drop", x: 430)
      _ = try await stage.window(named: "Drag 2 items", x: 0)
      for (y, name) in [(150, "a"), (210, "b")] as [(Int16, String)] {
        try await stage.drag(from: (150, y), to: (630, 140))
        let received = shell.directory.appendingPathComponent("in/\(name).txt").path
        try await stage.wait(for: "the drop of \(name)") { FileManager.default.fileExists(atPath: received) }
      }
    }
  }

  @Test func aNameThatReceiversRefuseIsLeftOut() async throws {
    try await expect(
      #"""
      $ mkdir in; echo hail > a.txt; cp a.txt $'b\nc.txt'; "$TOOL" drop --once in & drop=$!
      $ "$TOOL" drag --once a.txt $'b\nc.txt' 2> errors; echo $?; grep -c 'left out' errors; wait $drop; ls in
      2
      1
      a.txt
      """#, dragAll(1))
  }
}
