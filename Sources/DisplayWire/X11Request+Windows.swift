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

/// A rectangle in pixels, relative to an origin that its user defines.
package struct X11Rectangle: Sendable, Hashable {
  /// The horizontal position of the left edge, in pixels.
  package var x: Int16
  /// The vertical position of the upper edge, in pixels.
  package var y: Int16
  /// The width in pixels.
  package var width: UInt16
  /// The height in pixels.
  package var height: UInt16

  /// Creates a rectangle.
  package init(x: Int16, y: Int16, width: UInt16, height: UInt16) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }
}

extension X11Writer {
  /// Appends a rectangle.
  mutating func write(_ rectangle: X11Rectangle) {
    writeSigned16(rectangle.x)
    writeSigned16(rectangle.y)
    write16(rectangle.width)
    write16(rectangle.height)
  }
}

extension X11Reader {
  /// Reads a rectangle.
  mutating func readRectangle() throws(X11SyntaxError) -> X11Rectangle {
    X11Rectangle(
      x: try readSigned16(), y: try readSigned16(), width: try read16(), height: try read16())
  }
}

/// The position of a window in the stack of its siblings.
package enum X11Stacking: UInt8, Sendable, Hashable {
  /// In front of its siblings.
  case above
  /// Behind its siblings.
  case below
}

/// The attributes of a window.
///
/// A value of `nil` keeps the present value, or uses the default for a new window.
package struct X11WindowAttributes: Sendable, Hashable {
  /// The pixel value of cleared areas.
  package var backgroundPixel: UInt32?
  /// The point of the window to which the content sticks when the size changes.
  ///
  /// 1 is the upper left corner; 0 discards the content.
  package var bitGravity: UInt32?
  /// Whether window managers ignore the window, as they do for menus and drag icons.
  package var overridesRedirect: Bool?
  /// Whether the server saves the content that this window covers.
  package var savesUnder: Bool?
  /// The events that the window reports to this program.
  package var events: X11EventMask?

  /// Creates attributes.
  package init(
    backgroundPixel: UInt32? = nil, bitGravity: UInt32? = nil, overridesRedirect: Bool? = nil,
    savesUnder: Bool? = nil, events: X11EventMask? = nil
  ) {
    self.backgroundPixel = backgroundPixel
    self.bitGravity = bitGravity
    self.overridesRedirect = overridesRedirect
    self.savesUnder = savesUnder
    self.events = events
  }

  /// Appends the mask of the set attributes, and their values in the order of the bits.
  func write(to writer: inout X11Writer) {
    let values: [(bit: UInt32, value: UInt32?)] = [
      (1 << 1, backgroundPixel), (1 << 4, bitGravity), (1 << 9, overridesRedirect.map { $0 ? 1 : 0 }),
      (1 << 10, savesUnder.map { $0 ? 1 : 0 }), (1 << 11, events?.rawValue),
    ]
    writer.write32(values.reduce(0) { $1.value == nil ? $0 : $0 | $1.bit })
    for (_, value) in values {
      if let value { writer.write32(value) }
    }
  }
}

/// The response to `GetGeometry`.
package struct X11Geometry: Sendable, Hashable {
  /// The number of bits of a pixel.
  package let depth: UInt8
  /// The root window of the screen.
  package let root: X11Identifier
  /// The location in the parent, and the size.
  package let frame: X11Rectangle
}

/// The response to `QueryTree`.
package struct X11WindowTree: Sendable, Hashable {
  /// The root window of the screen.
  package let root: X11Identifier
  /// The parent; `none` for the root window.
  package let parent: X11Identifier
  /// The children, from the hindmost to the foremost.
  package let children: [X11Identifier]
}
