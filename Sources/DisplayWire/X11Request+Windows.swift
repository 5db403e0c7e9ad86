// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

extension X11Request {
  /// Creates a window.
  ///
  /// - Parameters:
  ///   - window: The identifier of the new window.
  ///   - parent: The parent of the window.
  ///   - frame: The location in the parent, and the size.
  ///   - attributes: The attributes of the window.
  ///   - isInputOnly: Whether the window is invisible and only receives input. Such a window has no depth and
  ///     background.
  ///   - depth: The number of bits of a pixel, or 0 for the depth of the parent.
  ///   - visual: The visual, or `none` for the visual of the parent.
  /// - Returns: The request.
  package static func createWindow(
    _ window: X11Identifier, parent: X11Identifier, frame: X11Rectangle, attributes: X11WindowAttributes = .init(),
    isInputOnly: Bool = false, depth: UInt8 = 0, visual: X11Identifier = .none
  ) -> X11Request {
    X11Request("CreateWindow", 1, detail: depth) { writer in
      writer.write(window)
      writer.write(parent)
      writer.write(frame)
      writer.write16(0)
      writer.write16(isInputOnly ? 2 : 0)
      writer.write(visual)
      attributes.write(to: &writer)
    }
  }

  /// Changes attributes of a window.
  package static func changeWindowAttributes(
    _ window: X11Identifier, _ attributes: X11WindowAttributes
  ) -> X11Request {
    X11Request("ChangeWindowAttributes", 2) { writer in
      writer.write(window)
      attributes.write(to: &writer)
    }
  }

  /// Destroys a window and its children.
  package static func destroyWindow(_ window: X11Identifier) -> X11Request {
    X11Request("DestroyWindow", 4) { $0.write(window) }
  }

  /// Maps a window.
  ///
  /// The window can be visible only if all its ancestors are mapped.
  package static func mapWindow(_ window: X11Identifier) -> X11Request {
    X11Request("MapWindow", 8) { $0.write(window) }
  }

  /// Moves, resizes or restacks a window.
  ///
  /// A value of `nil` leaves that property unchanged.
  package static func configureWindow(
    _ window: X11Identifier, x: Int16? = nil, y: Int16? = nil, width: UInt16? = nil, height: UInt16? = nil,
    stacking: X11Stacking? = nil
  ) -> X11Request {
    X11Request("ConfigureWindow", 12) { writer in
      let values: [(bit: UInt16, value: UInt32?)] = [
        (1 << 0, x.map { UInt32(bitPattern: Int32($0)) }), (1 << 1, y.map { UInt32(bitPattern: Int32($0)) }),
        (1 << 2, width.map { UInt32($0) }), (1 << 3, height.map { UInt32($0) }),
        (1 << 6, stacking.map { UInt32($0.rawValue) }),
      ]
      writer.write(window)
      writer.write16(values.reduce(0) { $1.value == nil ? $0 : $0 | $1.bit })
      writer.write16(0)
      for (_, value) in values {
        if let value { writer.write32(value) }
      }
    }
  }
}

extension X11Query<X11Geometry> {
  /// Queries the location and size of a window or pixmap.
  package static func getGeometry(_ drawable: X11Identifier) -> Self {
    Self("GetGeometry", 14) {
      $0.write(drawable)
    } response: { (depth, reader) throws(X11SyntaxError) in
      X11Geometry(depth: depth, root: try reader.readIdentifier(), frame: try reader.readRectangle())
    }
  }
}

extension X11Query<X11WindowTree> {
  /// Queries the parent and the children of a window.
  package static func queryTree(_ window: X11Identifier) -> Self {
    Self("QueryTree", 15, maximumExtraBytes: 4 * 65_535) {
      $0.write(window)
    } response: { (_, reader) throws(X11SyntaxError) in
      let root = try reader.readIdentifier()
      let parent = try reader.readIdentifier()
      let count = Int(try reader.read16())
      try reader.skip(14)
      return X11WindowTree(
        root: root, parent: parent, children: try reader.readWords(count).map { X11Identifier($0) })
    }
  }
}
