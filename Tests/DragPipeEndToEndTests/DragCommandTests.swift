// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DisplayWire
import DropSystem
import Foundation
import TestSupport
import Testing

/// The windows of `drag` and `drop`, with a simulated pointer between them.
@Suite(
  .serialized, .limited, .timeLimit(.minutes(30)), .enabled(if: VirtualDisplay.isInstalled, "Xvfb is not installed"))
struct DragCommandTests {
  @Test func allItemsOfAWindowAreDroppedIntoADirectory() async throws {
    let stage = try await WindowStage()
    try await withShell { shell in
      async let result = shell.run(
        """
        export DISPLAY=\(stage.display.address)
        mkdir -p folder in; echo hail > notes.txt; echo deep > folder/d.txt
        "$TOOL" drop --once in & drop=$!
        "$TOOL" drag --once notes.txt folder; echo $?
        wait $drop; echo $?; cd in; ls; cat notes.txt folder/d.txt
        """)
      _ = try await stage.window(named: "Drop", x: 430)
      _ = try await stage.window(named: "Drag 2 items", x: 0)
      // Drags the row of all items to the middle of the drop area.
      try await stage.drag(from: (150, 90), to: (630, 140))
      #expect(try await result.output == "0\n0\nfolder\nnotes.txt\nhail\ndeep\n")
      #expect(try await result.errors.isEmpty)
    }
    await stage.display.stop()
  }

  @Test func aMovedFileIsRemovedOnlyIfTheTargetReportsAMove() async throws {
    let stage = try await WindowStage()
    try await withShell { shell in
      async let result = shell.run(
        """
        export DISPLAY=\(stage.display.address)
        echo hail > notes.txt
        "$TOOL" drop --once --target 'Count=cat > counted' & drop=$!
        "$TOOL" drag --once --move notes.txt; echo $?
        wait $drop; echo $?; cat counted notes.txt
        """)
      _ = try await stage.window(named: "Drop", x: 430)
      _ = try await stage.window(named: "Drag 1 item", x: 0)
      try await stage.drag(from: (150, 90), to: (630, 140))
      // The drop window copies, although the source allows a move.
      #expect(try await result.output == "0\n0\nhail\nhail\n")
    }
    await stage.display.stop()
  }

  @Test func closingAWindowEndsItsCommand() async throws {
    let stage = try await WindowStage()
    try await withShell { shell in
      async let result = shell.run(
        """
        export DISPLAY=\(stage.display.address)
        echo hail > notes.txt; "$TOOL" drag notes.txt; echo $?; "$TOOL" send --to desktop: --once notes.txt notes.txt; echo $?
        """)
      let window = try await stage.window(named: "Drag 1 item", x: 0)
      try await stage.close(window)
      try await stage.close(try await stage.window(named: "Drag 2 items", x: 0))
      let ended = try await result
      #expect(ended.output == "0\n4\n", "\(ended.errors)")
    }
    await stage.display.stop()
  }

  @Test func withoutADisplayTheExitCodeIs69() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        "unset DISPLAY; mkdir in; echo a > a; dragpipe drag a; echo $?; dragpipe drop in; echo $?; "
          + "dragpipe send --to desktop: a; echo $?; dragpipe receive --from desktop: in; echo $?")
      #expect(result.output == "69\n69\n69\n69\n")
      #expect(result.errorLines.count == 4)
    }
  }

  @Test func selectedRowsAreDraggedTogether() async throws {
    let stage = try await WindowStage()
    try await withShell { shell in
      async let result = shell.run(
        """
        export DISPLAY=\(stage.display.address)
        mkdir in; for name in a b c d; do echo $name > $name.txt; done
        "$TOOL" drop in & drop=$!
        "$TOOL" drag a.txt b.txt c.txt d.txt & drag=$!
        until [ -e in/c.txt ]; do sleep 0.02; done; ls in; rm in/*; touch next
        until [ -e in/d.txt ]; do sleep 0.02; done; ls in
        kill $drop $drag; wait $drop $drag
        """)
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
      #expect(try await result.output == "a.txt\nc.txt\na.txt\nb.txt\nc.txt\nd.txt\n")
    }
    await stage.display.stop()
  }

  @Test func describedRepresentationsAreDragged() async throws {
    let stage = try await WindowStage()
    try await withShell { shell in
      async let result = shell.run(
        """
        export DISPLAY=\(stage.display.address)
        echo hail > a.txt
        "$TOOL" drop --once > all.drop & drop=$!
        "$TOOL" drag --once --type .txt=a.txt --alias .md=.txt --lazy '.json=echo {}'; echo $?
        wait $drop; echo $?; dragpipe receive --from all.drop --list | cut -f 3
        """)
      _ = try await stage.window(named: "Drop", x: 430)
      _ = try await stage.window(named: "Drag 1 item", x: 0)
      try await stage.drag(from: (150, 90), to: (630, 140))
      #expect(try await result.output == "0\n0\npublic.plain-text\nnet.daringfireball.markdown\npublic.json\n")
    }
    await stage.display.stop()
  }

  @Test func sendersAndReceiversUseTheDesktopAsAnEndpoint() async throws {
    let stage = try await WindowStage()
    try await withShell { shell in
      async let result = shell.run(
        """
        export DISPLAY=\(stage.display.address)
        mkdir in; echo hail > a.txt; echo deep > b.txt
        "$TOOL" receive --from desktop: in & receive=$!
        "$TOOL" send --to desktop: --once a.txt b.txt; echo $?
        wait $receive; echo $?; cat in/a.txt in/b.txt
        """)
      _ = try await stage.window(named: "Drop", x: 430)
      _ = try await stage.window(named: "Drag 2 items", x: 0)
      try await stage.drag(from: (150, 90), to: (630, 140))
      #expect(try await result.output == "0\n0\nhail\ndeep\n")
      #expect(try await result.errors.isEmpty)
    }
    await stage.display.stop()
  }
}
