// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

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
