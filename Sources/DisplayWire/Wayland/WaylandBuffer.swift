// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The pixels of a surface, in memory that the compositor reads.
package final class WaylandBuffer: Sendable {
  package let object: WaylandObject
  package let width: Int
  package let height: Int
  private let memory: WaylandMemory
  private let connection: WaylandConnection

  /// Creates a buffer, whose pixels are zero.
  ///
  /// - Parameters:
  ///   - session: The session, whose compositor must offer shared memory.
  ///   - width: The width in pixels.
  ///   - height: The height in pixels.
  ///   - isOpaque: Whether the highest byte of a pixel has no meaning; otherwise it is the opacity, by which the
  ///     colours are multiplied.
  /// - Throws: `badAddress` without shared memory; `limitExceeded` for a size outside of 1 to 16,384; `systemCall`; the
  ///   errors of the connection.
  package init(_ session: WaylandSession, width: Int, height: Int, isOpaque: Bool) throws(DisplayError) {
    guard let shared = session.memory else {
      throw DisplayError(.badAddress, "the compositor has no shared memory, which windows need")
    }
    guard (1...16_384).contains(width), (1...16_384).contains(height) else {
      throw DisplayError(.limitExceeded, "a picture of \(width) x \(height) pixels exceeds the limit of 16384 pixels")
    }
    (self.width, self.height, connection) = (width, height, session.connection)
    memory = try WaylandMemory(byteCount: 4 * width * height)
    let pool = try connection.create(
      shared, "create_pool", .descriptor(try memory.descriptor()), .int(Int32(memory.byteCount)))
    // Format 0 is ARGB with 8 bits each, and 1 the same without opacity.
    object = try connection.createLast(
      pool, "create_buffer", .int(0), .int(Int32(width)), .int(Int32(height)), .int(Int32(4 * width)),
      .uint(isOpaque ? 1 : 0))
  }

  deinit {
    // An error means that the connection is closed, and the buffer with it.
    try? connection.send(object, "destroy")
  }

  /// Copies a picture to the upper left corner.
  ///
  /// - Parameters:
  ///   - pixels: The pixels in rows from the top, at most as many rows as the buffer has.
  ///   - width: The width of the picture, at most that of the buffer.
  package func fill(_ pixels: [UInt32], width: Int) {
    withPixels { target in
      for (index, pixel) in pixels.enumerated() { target[index / width * self.width + index % width] = pixel }
    }
  }

  /// Calls a closure with the pixels, each `0xAARRGGBB`, in rows from the top.
  package func withPixels<Failure: Error>(
    _ body: (UnsafeMutableBufferPointer<UInt32>) throws(Failure) -> Void
  ) throws(Failure) {
    try memory.withPixels(body)
  }
}
