// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

extension X11Request {
  /// Creates a graphics context.
  ///
  /// - Parameters:
  ///   - context: The identifier of the new graphics context.
  ///   - drawable: A window or pixmap on the same screen and with the same depth.
  ///   - foreground: The pixel value to draw with.
  ///   - background: The pixel value for the zeros of bitmaps.
  ///   - reportsExposures: Whether `CopyArea` reports parts of the source that were hidden.
  /// - Returns: The request.
  package static func createGC(
    _ context: X11Identifier, for drawable: X11Identifier, foreground: UInt32 = 0, background: UInt32 = 1,
    reportsExposures: Bool = false
  ) -> X11Request {
    X11Request("CreateGC", 55) { writer in
      writer.write(context)
      writer.write(drawable)
      writer.write32(1 << 2 | 1 << 3 | 1 << 16)
      writer.write32(foreground)
      writer.write32(background)
      writer.write32(reportsExposures ? 1 : 0)
    }
  }

  /// Frees a graphics context.
  package static func freeGC(_ context: X11Identifier) -> X11Request {
    X11Request("FreeGC", 60) { $0.write(context) }
  }

  /// Draws an image in the format `ZPixmap`.
  ///
  /// - Parameters:
  ///   - bytes: The rows in the byte order of the server, each padded as ``X11Setup/formats`` declares.
  ///   - drawable: The window or pixmap.
  ///   - context: A graphics context.
  ///   - frame: The location and the size of the image.
  ///   - depth: The number of bits of a pixel, which must be the depth of the drawable.
  /// - Returns: The request.
  package static func putImage(
    _ bytes: [UInt8], on drawable: X11Identifier, context: X11Identifier, frame: X11Rectangle, depth: UInt8
  ) -> X11Request {
    X11Request("PutImage", 72, detail: 2) { writer in
      writer.write(drawable)
      writer.write(context)
      writer.write16(frame.width)
      writer.write16(frame.height)
      writer.writeSigned16(frame.x)
      writer.writeSigned16(frame.y)
      writer.write8(0)
      writer.write8(depth)
      writer.skip(2)
      writer.write(bytes)
    }
  }
}
