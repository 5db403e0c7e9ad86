// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropSystem
internal import Synchronization

/// The arrow that shows the pointer over a window.
///
/// The compositor draws it if it can; otherwise, the window shows an arrow of its own.
final class WaylandCursor: Sendable {
  private struct Arrow {
    let surface: WaylandObject
    let buffer: WaylandBuffer
  }

  private let session: WaylandSession
  private let manager: WaylandObject?
  private let arrow = Lock<Arrow?>(nil)

  init(_ session: WaylandSession) throws(DisplayError) {
    self.session = session
    manager = try session.connection.bind(.cursorShapeManager)
  }

  /// Shows the arrow.
  ///
  /// - Parameter serial: The number of the event with which the pointer has entered the surface.
  /// - Throws: The errors of the connection, and of the memory for the arrow.
  func show(_ serial: UInt32) throws(DisplayError) {
    guard let pointer = session.pointer else { return }
    let connection = session.connection
    if let manager {
      let device = try connection.create(manager, "get_pointer", .object(pointer))
      // Shape 1 is the default.
      try connection.send(device, "set_shape", .uint(serial), .uint(1))
      try connection.send(device, "destroy")
      return
    }
    let known = arrow.withLock { $0 }
    let arrow = if let known { known } else { try makeArrow() }
    guard let arrow else { return }
    self.arrow.withLock { $0 = arrow }
    try connection.send(pointer, "set_cursor", .uint(serial), .object(arrow.surface), .int(0), .int(0))
  }

  private func makeArrow() throws(DisplayError) -> Arrow? {
    guard let compositor = session.compositor else { return nil }
    // A whole scale of at most 3 keeps the size of the picture small.
    let scale = Int(max(1, min(3, session.maximumScale)))
    let (width, height) = (12 * scale, 18 * scale)
    let outline = [(0.0, 0.0), (0, 15), (3.5, 12), (6, 17.5), (8.5, 16.4), (6.1, 11), (11, 11)]
    var canvas = Canvas(width: width, height: height)
    let points = outline.map { DrawingPoint($0.0 * Double(scale), $0.1 * Double(scale)) }
    canvas.fillPolygon(points, Color(0xFFFFFF))
    for (start, end) in zip(points, points.dropFirst() + points.prefix(1)) {
      canvas.line(from: start, to: end, thickness: Double(scale), Color(0x101010))
    }
    let buffer = try WaylandBuffer(session, width: width, height: height, isOpaque: false)
    buffer.fill(canvas.pixels, width: width)
    let connection = session.connection
    let surface = try connection.create(compositor, "create_surface")
    try connection.send(surface, "attach", .object(buffer.object), .int(0), .int(0))
    try connection.send(surface, "set_buffer_scale", .int(Int32(scale)))
    try connection.send(surface, "damage_buffer", .int(0), .int(0), .int(Int32(width)), .int(Int32(height)))
    try connection.send(surface, "commit")
    return Arrow(surface: surface, buffer: buffer)
  }

  /// Destroys the arrow, which must not be shown again.
  func close() {
    // An error means that the connection is closed.
    if let manager { try? session.connection.send(manager, "destroy") }
    if let arrow = arrow.withLock({ $0.take() }) { try? session.connection.send(arrow.surface, "destroy") }
  }
}
