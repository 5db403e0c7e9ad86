// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import DisplayWire
internal import Glibc
internal import Testing

/// Simulated input, which the server treats as the input of a user.
package final class TestPointer: Sendable {
  /// The connection that simulates the input.
  package let connection: X11Connection
  private let xtest: X11Extension

  /// Uses the pointer of a display by the extension XTEST, and moves it to a location without windows.
  package init(_ connection: X11Connection) async throws {
    self.connection = connection
    xtest = try #require(try await connection.serverExtension(X11Extension.xtestName))
    _ = try await connection.response(to: .xtestGetVersion(xtest))
    try await move(to: 50, 50)
  }

  /// Moves the pointer.
  package func move(to x: Int16, _ y: Int16) async throws {
    try await input(.motion(root: connection.screen.root, x: x, y: y))
  }

  /// Presses a button.
  package func press(_ button: UInt8 = 1) async throws {
    try await input(.button(button, isPressed: true))
  }

  /// Releases a button.
  package func release(_ button: UInt8 = 1) async throws {
    try await input(.button(button, isPressed: false))
  }

  /// Presses and releases the key with a symbol, while another key is held.
  package func type(keySymbol: UInt32, holding modifier: UInt32? = nil) async throws {
    let code = try await code(of: keySymbol)
    let held = if let modifier { try await self.code(of: modifier) as UInt8? } else { nil as UInt8? }
    if let held { try await input(.key(code: held, isPressed: true)) }
    try await input(.key(code: code, isPressed: true))
    try await input(.key(code: code, isPressed: false))
    if let held { try await input(.key(code: held, isPressed: false)) }
  }

  private func code(of symbol: UInt32) async throws -> UInt8 {
    let setup = connection.setup
    let mapping = try await connection.response(to: .getKeyboardMapping(of: setup))
    return try #require((setup.minimumKeyCode...setup.maximumKeyCode).first { mapping.symbol($0) == symbol })
  }

  private func input(_ input: X11FakeInput) async throws {
    try connection.send(.xtestFakeInput(xtest, input))
    try await connection.synchronize()
  }

  /// Waits until a drag has grabbed the keyboard, which it does after the pointer.
  package func waitForGrab() async throws {
    if try await !isGrabbed(within: .seconds(60)) { Issue.record("no drag has begun") }
  }

  /// Returns whether a drag grabs the keyboard within a time.
  package func isGrabbed(within limit: Duration) async throws -> Bool {
    let root = connection.screen.root
    let end = ContinuousClock.now + limit
    while ContinuousClock.now < end {
      // With a time in the future, the grab never succeeds. The server checks the time after the grabs of other
      // programs.
      let status = try await connection.response(to: .grabKeyboard(root, time: Self.future))
      if status == .alreadyGrabbed { return true }
      try await Task.sleep(for: .milliseconds(5))
    }
    return false
  }

  /// A time some days after that of the server, whose clock counts the milliseconds since the start of the machine.
  private static var future: X11Time {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return X11Time(UInt32(truncatingIfNeeded: now.tv_sec * 1000 + (1 << 30)))
  }
}
