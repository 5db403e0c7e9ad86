// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DisplayWire
import DropSystem
import TestSupport
import Testing

@testable import DropDesktop

/// A plain window of a connection, which is visible once it is created.
final class WaylandTestWindow: Sendable {
  let surface: WaylandObject
  private let task: Task<Void, any Error>

  /// Creates a window of 200 x 200 pixels.
  init(_ display: DesktopDisplay, name: String) async throws {
    let (events, session) = (display.windowEvents(), display.wayland.session)
    let (connection, base) = (session.connection, try #require(session.windowBase))
    let surface = try display.surface()
    self.surface = surface
    let role = try connection.create(base, "get_xdg_surface", .object(surface))
    let window = try connection.create(role, "get_toplevel")
    try connection.send(window, "set_app_id", .string(name))
    try connection.send(surface, "commit")
    let buffer = try WaylandBuffer(session, width: 200, height: 200, isOpaque: true)
    buffer.withPixels { $0.update(repeating: 0x0020_4060) }
    let isVisible = Gate()
    task = Task {
      while case .wayland(let event)? = await events.next() {
        if event.object == surface, event.name == "enter" { isVisible.open() }
        guard event.object == role, event.name == "configure" else { continue }
        try connection.send(role, "ack_configure", .uint(event.uint(0)))
        try connection.send(surface, "attach", .object(buffer.object), .int(0), .int(0))
        try connection.send(surface, "damage_buffer", .int(0), .int(0), .int(200), .int(200))
        try connection.send(surface, "commit")
      }
    }
    await isVisible.wait()
  }

  deinit {
    task.cancel()
  }
}

/// A desktop of sway with a pointer, whose windows have fixed locations.
///
/// The window `left` is at 300,100, and `right` at 600,100. Windows of other programs are at 0,0.
struct SwayStage: Sendable {
  let desktop: SwayDesktop
  let pointer: VirtualPointer
  /// The middle of the window `left`.
  static let left = (x: 400, y: 200)
  /// The middle of the window `right`.
  static let right = (x: 700, y: 200)
  /// A location in a window of another program.
  static let other = (x: 120, y: 120)
  /// A location without windows.
  static let nothing = (x: 1000, y: 600)

  init(xwayland: Bool = false) async throws {
    desktop = try await SwayDesktop(
      xwayland: xwayland,
      configuration: [
        "for_window [app_id=\".*\"] floating enable, move position 0 0",
        "for_window [class=\".*\"] floating enable, move position 0 0",
        "for_window [app_id=\"^left$\"] move position 300 100",
        "for_window [app_id=\"^right$\"] move position 600 100",
      ])
    pointer = try await VirtualPointer(desktop)
  }

  /// Passes a new connection to `body`.
  func withDisplay<Result>(
    _ options: DesktopOptions = .patient, isolation: isolated (any Actor)? = #isolation,
    _ body: (DesktopDisplay) async throws -> Result
  ) async throws -> Result {
    try await DesktopDisplay(WaylandDisplay.open(desktop.address, options)).whileRouting(body)
  }

  /// Presses the button in the window `left` of a connection, and starts a drag.
  func begin(_ drag: DesktopDrag) async throws -> Task<DesktopDrag.Outcome, any Error> {
    let session = drag.display.wayland.session
    try await pointer.move(to: Self.left.x, Self.left.y)
    try await pointer.press()
    try await wait(for: "the press of the button") { session.input.press != nil }
    let outcome = Task { try await drag.run() }
    // A drag takes the pointer from the window.
    try await wait(for: "the start of the drag") { session.input.pointerSurface == nil }
    return outcome
  }
}
