// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DisplayWire
@testable import DropWindows

/// A window on sway.
@Suite(.serialized, .limited, .timeLimit(minutes: 2), .peers("sway", "grim")) struct WaylandSwayTests {
  private static let size = (width: 1280, height: 720)

  /// Returns the colours of the output in rows.
  private func screenshot(_ desktop: SwayDesktop) async throws -> [[UInt32]] {
    let directory = try TemporaryDirectory()
    let path = directory.file("screen.ppm").path
    let process = try ChildProcess("grim", ["-t", "ppm", path], environment: desktop.environment)
    #expect(await process.waitForEnd().exitCode == 0)
    let bytes = try Data(contentsOf: directory.file("screen.ppm")).suffix(3 * Self.size.width * Self.size.height)
    let pixels = Array(bytes)
    return (0..<Self.size.height).map { y in
      (0..<Self.size.width).map { x in
        let start = 3 * (y * Self.size.width + x)
        return UInt32(pixels[start]) << 16 | UInt32(pixels[start + 1]) << 8 | UInt32(pixels[start + 2])
      }
    }
  }

  @Test(arguments: [1.0, 2]) func swayShowsTheCanvasAndSendsInput(scale: Double) async throws {
    let desktop = try await SwayDesktop(size: Self.size, scale: scale)
    // The cursor of sway is in the corner.
    let pointer = try await VirtualPointer(desktop, size: Self.size)
    let session = try WaylandSession(try await desktop.connect())
    let window = try await DesktopWindow.open(
      on: .wayland(session), SampleContent.drag, options: WindowOptions(text: BuiltInFont()))
    let actions = Lock<[WindowAction]>([])
    let loop = Task {
      while let event = try await session.connection.nextEvent() {
        try session.receive(event)
        let new = try window.handle(.wayland(event))
        actions.withLock { $0 += new }
      }
    }
    func contents() -> DesktopWindow.Contents { window.contents.withLock { $0 } }
    // Without other windows, the window fills the output.
    try await wait(for: "the size") { contents().canvas.bounds.width == Self.size.width && contents().frameCount > 0 }
    #expect((window.scale, contents().canvas.height) == (scale, Self.size.height))
    let expected = contents().canvas.rows.dropLast(32).map { $0.map { $0 & 0xFF_FFFF } }
    try await wait(for: "the picture") { try await screenshot(desktop).dropLast(32).elementsEqual(expected) }
    let button = window.layout.buttons[0]
    try await pointer.move(to: button.x + button.width / 2, button.y + button.height / 2)
    try await wait(for: "the hover") { contents().state.hovered == .button(0) }
    try await pointer.press()
    try await pointer.release()
    try await wait(for: "the click") { actions.withLock { $0.contains(.pressedButton(0)) } }
    window.close()
    try await session.connection.synchronize()
    session.connection.close()
    try await loop.value
    await desktop.stop()
  }
}
