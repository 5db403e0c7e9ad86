// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport

@testable import DisplayWire

/// A client of the suite's server.
struct DisplayClient {
  let connection: X11Connection

  init() async throws {
    connection = try await X11Connection.open(VirtualDisplay.current.address, timeout: .seconds(60))
  }

  /// Creates a window of 200 by 100 pixels without a window manager.
  func window(events: X11EventMask = []) throws -> X11Identifier {
    let window = try connection.newIdentifier()
    try connection.send(
      .createWindow(
        window, parent: connection.screen.root, frame: X11Rectangle(x: 20, y: 10, width: 200, height: 100),
        attributes: X11WindowAttributes(backgroundPixel: 0, overridesRedirect: true, events: events)))
    return window
  }

  /// Waits for an event that satisfies the condition, and drops all earlier events.
  @discardableResult
  func event(_ condition: (X11Event.Kind) -> Bool) async throws -> X11Event {
    while let event = try await connection.nextEvent() {
      if condition(event.kind) { return event }
    }
    throw DisplayError.closed
  }
}
