// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

extension X11Request {
  /// Creates a pixmap.
  ///
  /// - Parameters:
  ///   - pixmap: The identifier of the new pixmap.
  ///   - drawable: A window or pixmap on the same screen.
  ///   - width: The width in pixels, at least 1.
  ///   - height: The height in pixels, at least 1.
  ///   - depth: The number of bits of a pixel.
  /// - Returns: The request.
  package static func createPixmap(
    _ pixmap: X11Identifier, for drawable: X11Identifier, width: UInt16, height: UInt16, depth: UInt8
  ) -> X11Request {
    X11Request("CreatePixmap", 53, detail: depth) { writer in
      writer.write(pixmap)
      writer.write(drawable)
      writer.write16(width)
      writer.write16(height)
    }
  }

  /// Frees a pixmap.
  package static func freePixmap(_ pixmap: X11Identifier) -> X11Request {
    X11Request("FreePixmap", 54) { $0.write(pixmap) }
  }

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

  /// Copies an area between windows or pixmaps of the same depth.
  package static func copyArea(
    from source: X11Identifier, to destination: X11Identifier, context: X11Identifier, sourceX: Int16, sourceY: Int16,
    frame: X11Rectangle
  ) -> X11Request {
    X11Request("CopyArea", 62) { writer in
      writer.write(source)
      writer.write(destination)
      writer.write(context)
      writer.writeSigned16(sourceX)
      writer.writeSigned16(sourceY)
      writer.write(frame)
    }
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

  /// Opens a font of the server, such as `cursor`.
  ///
  /// - Parameters:
  ///   - font: The identifier of the new font.
  ///   - name: The name, at most 65,535 bytes long.
  /// - Returns: The request.
  package static func openFont(_ font: X11Identifier, name: String) -> X11Request {
    X11Request("OpenFont", 45) { writer in
      writer.write(font)
      writer.write16(UInt16(clamping: name.utf8.count))
      writer.skip(2)
      writer.write(Array(name.utf8.prefix(65_535)))
    }
  }

  /// Closes a font.
  package static func closeFont(_ font: X11Identifier) -> X11Request {
    X11Request("CloseFont", 46) { $0.write(font) }
  }

  /// Creates a black and white cursor from a glyph of a font.
  ///
  /// The glyph after it is the cursor's mask.
  package static func createGlyphCursor(
    _ cursor: X11Identifier, font: X11Identifier, glyph: UInt16
  ) -> X11Request {
    X11Request("CreateGlyphCursor", 94) { writer in
      writer.write(cursor)
      writer.write(font)
      writer.write(font)
      writer.write16(glyph)
      writer.write16(glyph &+ 1)
      for component: UInt16 in [0, 0, 0, .max, .max, .max] { writer.write16(component) }
    }
  }

  /// Frees a cursor.
  package static func freeCursor(_ cursor: X11Identifier) -> X11Request {
    X11Request("FreeCursor", 95) { $0.write(cursor) }
  }
}
