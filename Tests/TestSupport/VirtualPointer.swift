// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import Testing

/// Simulated input of a pointer, which a Wayland compositor treats as the input of a user.
package final class VirtualPointer: Sendable {
  private let connection: WaylandConnection
  private let device: WaylandObject
  private let size: (Int, Int)

  /// Adds a pointer to the first seat of a desktop with a single output, and moves it to the lower right corner.
  ///
  /// - Parameters:
  ///   - desktop: The desktop.
  ///   - size: The size of the output.
  /// - Throws: The errors of the connection; the failure of a requirement without the protocol.
  package init(_ desktop: SwayDesktop, size: (Int, Int) = (1280, 720)) async throws {
    connection = try await desktop.connect()
    self.size = size
    let manager = try #require(try connection.bind(.virtualPointerManager))
    let seat = try #require(try connection.bind(.seat))
    device = try connection.create(manager, "create_virtual_pointer", .object(seat))
    try await move(to: size.0 - 1, size.1 - 1)
  }

  /// Moves the pointer to a location of the output.
  package func move(to x: Int, _ y: Int) async throws {
    try connection.send(
      device, "motion_absolute", .uint(0), .uint(UInt32(x)), .uint(UInt32(y)), .uint(UInt32(size.0)),
      .uint(UInt32(size.1)))
    try await end()
  }

  /// Moves the pointer in steps, and gives other programs time to react to each.
  package func carry(from start: (x: Int, y: Int), to end: (x: Int, y: Int)) async throws {
    for step in 1...10 {
      try await move(to: start.x + (end.x - start.x) * step / 10, start.y + (end.y - start.y) * step / 10)
      try await Task.sleep(for: .milliseconds(30))
    }
  }

  /// Presses the left button.
  package func press() async throws { try await button(1) }

  /// Releases the left button.
  package func release() async throws { try await button(0) }

  private func button(_ state: UInt32) async throws {
    try connection.send(device, "button", .uint(0), .uint(0x110), .uint(state))
    try await end()
  }

  /// Ends a group of events, and waits until the compositor has processed it.
  private func end() async throws {
    try connection.send(device, "frame")
    try await connection.synchronize()
  }
}
