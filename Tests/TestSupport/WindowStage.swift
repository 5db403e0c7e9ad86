// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import DisplayWire
internal import DropSystem
internal import Synchronization

/// A display with the windows of several processes beside each other.
package final class WindowStage: Sendable {
  package let display: VirtualDisplay
  package let pointer: TestPointer

  package var connection: X11Connection { pointer.connection }

  /// The last step that began, in words.
  package var step: String { currentStep.withLock { $0 } }
  private let currentStep = Lock("the start")

  /// The error that a step of a story did not reach its state.
  package struct NotReached: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
      self.description = description
    }
  }

  package init(screenCount: Int = 1, screen size: (Int, Int) = (640, 480)) async throws {
    display = try await VirtualDisplay(screenCount: screenCount, screen: size)
    pointer = try await TestPointer(X11Connection.open(display.address))
  }

  /// Waits for the window whose title is `name`, or begins with `name` and a space, and moves it.
  package func window(named name: String, x: Int16) async throws -> X11Identifier {
    let root = connection.screen.root
    var found = X11Identifier.none
    try await wait(for: "the window \(name)") {
      found = try await windows(named: name).last ?? .none
      return found != .none
    }
    try connection.send(.configureWindow(found, x: x, y: 0, stacking: .above))
    // The window has its name before it is visible.
    try await wait(for: "the window \(name) on top at \(x), 0") {
      try await connection.response(to: .translateCoordinates(from: root, to: root, x: x + 5, y: 5)).child == found
    }
    return found
  }

  /// Returns the windows whose title is `name`, or begins with `name` and a space; the last is in front of the others.
  package func windows(named name: String) async throws -> [X11Identifier] {
    let aware = try await connection.intern("XdndAware")
    var found: [X11Identifier] = []
    for window in try await connection.response(to: .queryTree(connection.screen.root)).children {
      // The window of an earlier command may vanish meanwhile.
      let property = try? await connection.response(to: .getProperty(window, .wmName, limit: 99))
      guard case .bytes(let bytes) = property?.data,
        (String(decoding: bytes, as: UTF8.self) + " ").hasPrefix(name + " ")
      else { continue }
      // A window that accepts drops declares itself a target once it reads events.
      let version = try await connection.response(to: .getProperty(window, aware, limit: 4))
      if name.hasPrefix("Drag ") || version.exists { found.append(window) }
    }
    return found
  }

  /// Returns the number of pixels of a colour in each line of an area of the screen.
  package func counts(of color: UInt32, in area: X11Rectangle) async throws -> [Int] {
    let pixels = try await connection.response(to: .pixels(of: connection.screen.root, in: area))
    let width = Int(area.width)
    return stride(from: 0, to: pixels.count, by: width).map { start in
      pixels[start..<start + width].count { $0 == color }
    }
  }

  /// Waits until an area of the screen has more than a number of pixels of a colour.
  package func wait(forMoreThan count: Int, of color: UInt32, in area: X11Rectangle) async throws {
    try await wait(for: "\(count) pixels of the colour \(String(color, radix: 16))") {
      try await counts(of: color, in: area).reduce(0, +) > count
    }
  }

  /// Moves the pointer, and gives the windows some time to react.
  package func point(at location: (Int16, Int16)) async throws {
    try await pointer.move(to: location.0, location.1)
    try await Task.sleep(for: .milliseconds(30))
  }

  /// Drags from one location to the other, with stops on the way.
  package func drag(from start: (Int16, Int16), to end: (Int16, Int16)) async throws {
    try await beginDrag(at: start)
    try await carry(from: start, to: end)
    try await pointer.release()
  }

  /// Presses the first button and moves the pointer until a drag begins.
  ///
  /// Tries again if no drag begins, since the window may not show its rows yet.
  package func beginDrag(at start: (Int16, Int16)) async throws {
    try await wait(for: "a drag that begins at \(start)") {
      try await point(at: start)
      try await pointer.press()
      try await point(at: (start.0 + 8, start.1 + 8))
      if try await pointer.isGrabbed(within: .seconds(2)) { return true }
      try await pointer.release()
      return false
    }
  }

  /// Moves the pointer from one location to the other, with stops on the way.
  package func carry(from start: (Int16, Int16), to end: (Int16, Int16)) async throws {
    begin("the move from \(start) to \(end)")
    for step in 1...8 as ClosedRange<Int16> {
      try await point(at: (start.0 + (end.0 - start.0) / 8 * step, start.1 + (end.1 - start.1) / 8 * step))
    }
  }

  /// Presses and releases the first button.
  package func click(at location: (Int16, Int16)) async throws {
    begin("the click at \(location)")
    try await point(at: location)
    try await pointer.press()
    try await pointer.release()
  }

  /// Waits until a window does not exist any more.
  package func waitForEnd(of window: X11Identifier) async throws {
    try await wait(for: "the end of window \(window.rawValue)") {
      try await !connection.response(to: .queryTree(connection.screen.root)).children.contains(window)
    }
  }

  /// Closes a window as a window manager does.
  package func close(_ window: X11Identifier) async throws {
    let atoms = try await connection.intern(["WM_PROTOCOLS", "WM_DELETE_WINDOW"])
    let message = X11ClientMessage(window: window, type: atoms[0], data: .words32([atoms[1].rawValue, 0]))
    try connection.send(.sendEvent(message, to: window))
    try await connection.synchronize()
  }

  /// Waits until a condition holds; throws ``NotReached`` if it does not.
  package func wait(for state: String, until condition: () async throws -> Bool) async throws {
    begin("the wait for \(state)")
    guard try await eventually(condition) else { throw NotReached("\(step) timed out") }
  }

  private func begin(_ step: String) { currentStep.withLock { $0 = step } }
}
