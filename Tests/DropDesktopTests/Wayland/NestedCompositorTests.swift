// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DisplayWire
import DropSystem
import DropTransport
import Foundation
import Glibc
import ItemTransfer
import TestSupport
import Testing

@testable import DropDesktop

/// Drags on compositors that run in a window of an X server.
@Suite(.serialized, .limited, .timeLimit(minutes: 5), .peers("Xvfb", "dbus-run-session"))
struct NestedCompositorTests {
  enum Compositor: String, CaseIterable {
    case mutter, weston

    var arguments: [String] {
      switch self {
      case .mutter: ["mutter", "--wayland", "--nested", "--wayland-display", "nested"]
      case .weston: ["weston", "--backend=x11-backend.so", "--socket=nested", "--width=1000", "--height=600"]
      }
    }

    static var installed: [Self] { startsPeers ? allCases.filter { installedProgram($0.rawValue) != nil } : [] }
  }

  private let screen: VirtualDisplay
  private let pointer: TestPointer
  private let directory: TemporaryDirectory

  init() async throws {
    screen = try await VirtualDisplay(screen: (1280, 720))
    pointer = try await TestPointer(X11Connection.open(screen.address, timeout: .seconds(60)))
    directory = try TemporaryDirectory()
  }

  /// Passes a connection to a new compositor to `body`.
  private func withDisplay(_ compositor: Compositor, _ body: (DesktopDisplay) async throws -> Void) async throws {
    let path = directory.url.path
    let log = try OwnedDescriptor.open(directory.file("log").path, O_RDWR | O_CREAT | O_APPEND, 0o600)
    let process = try ChildProcess(
      "dbus-run-session", ["--"] + compositor.arguments, input: log.raw, output: log.raw, errors: log.raw,
      environment: [
        "DISPLAY": "\(screen.address)", "XDG_RUNTIME_DIR": path, "HOME": path, "LIBGL_ALWAYS_SOFTWARE": "1",
        "MUTTER_DEBUG_DUMMY_MODE_SPECS": "1000x600", "GSETTINGS_BACKEND": "memory",
      ], leadsGroup: true)
    let result: Result<Void, any Error>
    do {
      result = .success(try await use(body))
    } catch {
      result = .failure(error)
    }
    // Weston must end before the X server does.
    await process.stop()
    try result.get()
  }

  private func use(_ body: (DesktopDisplay) async throws -> Void) async throws {
    let address = try WaylandAddress.from(environment: [
      "XDG_RUNTIME_DIR": directory.url.path, "WAYLAND_DISPLAY": "nested",
    ])
    var connection: WaylandConnection?
    try await wait(for: "the compositor") {
      connection = try? await WaylandConnection.open(address, timeout: .seconds(60))
      return connection != nil
    }
    try await DesktopDisplay(WaylandDisplay(#require(connection), .patient)).whileRouting(body)
  }

  /// Moves the pointer until it is over a window, whose location the compositor chooses.
  private func find(_ surface: WaylandObject, _ session: WaylandSession) async throws -> (x: Int16, y: Int16) {
    var location: (x: Int16, y: Int16) = (40, 40)
    try await wait(for: "the pointer over the window") {
      location.x += 50
      if location.x > 960 { location = (40, location.y > 560 ? 40 : location.y + 50) }
      try await pointer.move(to: location.x, location.y)
      try await Task.sleep(for: .milliseconds(10))
      return session.input.pointerSurface == surface
    }
    // On a busy machine, the compositor follows late. The tests need a location near the left edge.
    while true {
      try await pointer.move(to: location.x - 50, location.y)
      let hasLeft = try await eventually(within: .seconds(1)) { session.input.pointerSurface != surface }
      try await pointer.move(to: location.x, location.y)
      guard !hasLeft else { break }
      location.x -= 50
    }
    try await wait(for: "the pointer over the edge") { session.input.pointerSurface == surface }
    return location
  }

  /// Returns the texts of the first drop.
  private func texts(of events: DesktopDrop.Events) async throws -> [String] {
    let session = try await events.nextDrop()
    var texts: [String] = []
    for item in try await session.items { texts.append(try await item.value(as: String.self)) }
    try await session.finish(.copy)
    return texts
  }

  /// The compositors differ in the order of their reports, and mutter ignores the start of a drag after the release.
  @Test(
    .enabled(if: !Compositor.installed.isEmpty, "mutter and weston are not installed"), arguments: Compositor.installed)
  func everyEndOfADragIsReported(compositor: Compositor) async throws {
    try await withDisplay(compositor) { display in
      let window = try await WaylandTestWindow(display, name: "left")
      let session = display.wayland.session
      let start = try await find(window.surface, session)
      let target = DesktopDrop(
        display, window: window.surface.id, responder: { $0.x < 100 ? .refuse : .accept(.copy) })
      try await target.withEvents { events in
        async let texts = texts(of: events)
        let ends: [(DesktopDrag.Outcome, x: Int16, y: Int16)] = [
          (.refused, start.x + 30, start.y + 30), (.open, 20, 580), (.refused, start.x + 40, start.y + 40),
          (.dropped(.copy), start.x + 120, start.y + 40),
        ]
        for (expected, x, y) in ends {
          try await wait(for: "the press of the button") {
            try await pointer.move(to: start.x + 5, start.y + 5)
            try await pointer.move(to: start.x + 4, start.y + 4)
            try await pointer.press()
            if try await eventually(within: .seconds(1), { session.input.press != nil }) { return true }
            try await pointer.release()
            return false
          }
          let drag = DesktopDrag(
            display, [DragItems.text("Hail")], allowsMove: false, icon: nil, opensWindow: true, mark: nil)
          let outcome = Task { try await drag.run() }
          try await wait(for: "the start of the drag") { session.input.pointerSurface == nil }
          for step: Int16 in 1...10 {
            try await pointer.move(to: start.x + (x - start.x) / 10 * step, start.y + (y - start.y) / 10 * step)
            try await Task.sleep(for: .milliseconds(30))
          }
          for _ in 0..<2 { try await display.wayland.roundTrip() }
          try await pointer.release()
          let end = try await finishing("the end of the drag") { try await outcome.value }
          #expect(end == expected)
        }
        #expect(try await texts == ["Hail"])
      }
      withExtendedLifetime(window) {}
    }
  }
}
