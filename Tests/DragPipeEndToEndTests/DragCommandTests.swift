// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DisplayWire
import DropSystem
import Foundation
import TestSupport
import Testing

/// The windows of `drag` and `drop`, with a simulated pointer between them.
@Suite(
  .serialized, .limited, .timeLimit(.minutes(5)), .enabled(if: VirtualDisplay.isInstalled, "Xvfb is not installed"))
struct DragCommandTests {
  /// A display that shows the windows of `drag` and `drop` beside each other.
  private final class Stage: Sendable {
    let display: VirtualDisplay
    private let pointer: TestPointer

    var connection: X11Connection { pointer.connection }

    init() async throws {
      display = try await VirtualDisplay()
      pointer = try await TestPointer(X11Connection.open(display.address))
    }

    /// Waits for the window of a command, and moves it to `x`.
    func window(named name: String, x: Int16) async throws -> X11Identifier {
      let end = ContinuousClock.now + .seconds(120)
      while ContinuousClock.now < end {
        for window in try await connection.response(to: .queryTree(connection.screen.root)).children {
          let property = try await connection.response(to: .getProperty(window, .wmName, limit: 99))
          guard case .bytes(let bytes) = property.data, String(decoding: bytes, as: UTF8.self) == name else { continue }
          // The drop window announces itself as a target only when it has begun to read events.
          let aware = try await connection.intern("XdndAware")
          let version = try await connection.response(to: .getProperty(window, aware, limit: 4))
          guard name != "Drop" || version.exists else { continue }
          try connection.send(.configureWindow(window, x: x, y: 0, stacking: .above))
          try await connection.synchronize()
          return window
        }
        try await Task.sleep(for: .milliseconds(10))
      }
      throw CancellationError()
    }

    private func move(_ x: Int16, _ y: Int16) async throws {
      try await pointer.move(to: x, y)
      try await Task.sleep(for: .milliseconds(30))
    }

    /// Drags from `start` to `end`, and pauses on the way.
    func drag(from start: (Int16, Int16), to end: (Int16, Int16)) async throws {
      try await move(start.0, start.1)
      try await pointer.press()
      for step in 1...8 as ClosedRange<Int16> {
        try await move(start.0 + (end.0 - start.0) / 8 * step, start.1 + (end.1 - start.1) / 8 * step)
      }
      try await pointer.release()
    }
  }

  @Test func allItemsOfAWindowAreDroppedIntoADirectory() async throws {
    let stage = try await Stage()
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
    let stage = try await Stage()
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
    let stage = try await Stage()
    try await withShell { shell in
      async let result = shell.run(
        """
        export DISPLAY=\(stage.display.address)
        echo hail > notes.txt; "$TOOL" drag notes.txt; echo $?
        """)
      let window = try await stage.window(named: "Drag 1 item", x: 0)
      let atoms = try await stage.connection.intern(["WM_PROTOCOLS", "WM_DELETE_WINDOW"])
      let message = X11ClientMessage(window: window, type: atoms[0], data: .words32([atoms[1].rawValue, 0]))
      try stage.connection.send(.sendEvent(message, to: window))
      try await stage.connection.synchronize()
      #expect(try await result.output == "0\n")
    }
    await stage.display.stop()
  }

  @Test func withoutADisplayTheExitCodeIs69() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        "unset DISPLAY; mkdir in; echo a > a; dragpipe drag a; echo $?; dragpipe drop in; echo $?")
      #expect(result.output == "69\n69\n")
      #expect(result.errorLines.count == 2)
    }
  }
}
