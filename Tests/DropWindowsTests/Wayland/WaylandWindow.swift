// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DisplayWire
import DropSystem
import Synchronization
import TestSupport
import Testing

@testable import DropWindows

/// A window on a fake compositor.
///
/// Nothing handles its events except ``settle()``.
struct WaylandWindow {
  let screen: WaylandScreen
  let connection: WaylandConnection
  let session: WaylandSession
  let window: DesktopWindow

  var compositor: FakeCompositor { screen.compositor }
  var contents: DesktopWindow.Contents { window.contents.withLock { $0 } }
  /// The number of the surface of the window's content.
  var surface: UInt32 { window.identifier }
  /// The number of frames of the window's content.
  var frameCount: Int { screen.frameCount(surface) }
  /// The size of the window's content in pixels.
  var size: [Int] { [contents.canvas.width, contents.canvas.height] }

  /// Handles events until neither side sends anything more.
  ///
  /// - Returns: The actions of the user.
  func settle() async throws -> [WindowAction] {
    var actions: [WindowAction] = []
    while let more = try await handleEvents() { actions += more }
    return actions
  }

  /// Handles the events that have arrived.
  ///
  /// - Returns: The actions of the user; `nil` without events.
  func handleEvents() async throws -> [WindowAction]? {
    let mark = try connection.mark()
    var actions: [WindowAction]?
    while let event = try await connection.next(until: mark) {
      try session.receive(event)
      actions = try (actions ?? []) + window.handle(.wayland(event))
    }
    return actions
  }

  /// Handles the events only after the session has received all of them, as when this process is slow.
  func settleLate() async throws -> [WindowAction] {
    var events: [WaylandEvent] = []
    let mark = try connection.mark()
    while let event = try await connection.next(until: mark) { events.append(event) }
    for event in events { try session.receive(event) }
    let actions = try events.flatMap { try window.handle(.wayland($0)) }
    return try await actions + settle()
  }

  /// Checks that the compositor shows the canvas, and that no request has violated the protocol.
  func expectShown(sourceLocation: SourceLocation = #_sourceLocation) {
    let canvas = contents.canvas
    #expect(screen.picture(surface) == canvas, sourceLocation: sourceLocation)
    #expect(canvas == SampleContent.picture(contents.state), sourceLocation: sourceLocation)
    #expect(screen.violations == [], sourceLocation: sourceLocation)
  }

  /// Returns the last request of an interface with a name.
  func last(_ interface: WaylandInterface, _ name: String) -> FakeWaylandRequest? {
    compositor.requests.last { $0.interface == interface && $0.name == name }
  }

  /// Returns the signed arguments of the last request of an interface with a name.
  func numbers(_ interface: WaylandInterface, _ name: String) -> [Int32] {
    last(interface, name).map { request in request.arguments.indices.map { request.int($0) } } ?? []
  }

  func count(_ interface: WaylandInterface, _ name: String) -> Int {
    compositor.requests.count { $0.interface == interface && $0.name == name }
  }

  // MARK: Input

  /// Moves the pointer to a surface, at a location in points.
  func enter(_ surface: UInt32, _ x: Double, _ y: Double) {
    send(.pointer, "enter", .uint(20), .uint(surface), .fixed(x), .fixed(y))
  }

  /// Moves the pointer to the middle of an area in pixels.
  func enter(_ area: PixelRectangle) {
    let scale = window.scale
    enter(surface, Double(area.x + area.width / 2) / scale, Double(area.y + area.height / 2) / scale)
  }

  func button(isPressed: Bool, time: UInt32 = 1000, code: UInt32 = 0x110) {
    send(.pointer, "button", .uint(isPressed ? 31 : 32), .uint(time), .uint(code), .uint(isPressed ? 1 : 0))
  }

  func click(time: UInt32 = 1000) {
    button(isPressed: true, time: time)
    button(isPressed: false, time: time + 1)
  }

  /// Passes the keyboard to the window.
  func focus() {
    send(.keyboard, "enter", .uint(40), .uint(surface), .array([]))
    modify()
  }

  func key(_ code: UInt32, isPressed: Bool = true) {
    send(.keyboard, "key", .uint(41), .uint(0), .uint(code), .uint(isPressed ? 1 : 0))
  }

  /// Presses modifiers, in the bits of the keymap.
  func modify(_ depressed: UInt32 = 0, locked: UInt32 = 0) {
    send(.keyboard, "modifiers", .uint(42), .uint(depressed), .uint(0), .uint(locked), .uint(0))
  }

  /// Sends an event of the only object of an interface.
  func send(_ interface: WaylandInterface, _ event: String, _ arguments: WaylandArgument...) {
    guard let object = compositor.object(interface) else {
      Issue.record("the window has no \(interface)")
      return
    }
    compositor.send(object, interface, event, arguments)
  }

  /// Closes the window and the connection.
  func close() {
    window.close()
    connection.close()
  }
}

extension WaylandWindow {
  /// Connects to a compositor, and opens a window, which is not drawn yet.
  init(
    _ model: WindowModel = SampleContent.drag, options: WindowOptions = WindowOptions(text: BuiltInFont()),
    on screen: WaylandScreen
  ) async throws {
    self.screen = screen
    connection = try await screen.compositor.connect()
    session = try WaylandSession(connection)
    // The scales of the outputs arrive before a window opens.
    let mark = try connection.mark()
    while let event = try await connection.next(until: mark) { try session.receive(event) }
    window = try await DesktopWindow.open(on: .wayland(session), model, options: options)
  }

  /// Opens a window, and waits until it is drawn.
  static func shown(
    _ model: WindowModel = SampleContent.drag, options: WindowOptions = WindowOptions(text: BuiltInFont()),
    on screen: WaylandScreen
  ) async throws -> WaylandWindow {
    let window = try await WaylandWindow(model, options: options, on: screen)
    _ = try await window.settle()
    return window
  }

  /// Opens another window on the same connection.
  func another() async throws -> WaylandWindow {
    WaylandWindow(
      screen: screen, connection: connection, session: session,
      window: try await DesktopWindow.open(
        on: .wayland(session), SampleContent.drag, options: WindowOptions(text: BuiltInFont())))
  }
}

extension WaylandConnection {
  /// Sends a request whose response marks the end of the events so far.
  fileprivate func mark() throws -> WaylandObject { try create(WaylandConnection.display, "sync") }

  /// Returns the next event; `nil` for the mark, or after the end of the connection.
  fileprivate func next(until mark: WaylandObject) async throws -> WaylandEvent? {
    let event = try await finishing("an event") { try await self.nextEvent() }
    return event?.object == mark ? nil : event
  }
}
