// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The format of images of one depth.
package struct X11PixmapFormat: Sendable, Hashable {
  /// The number of significant bits of a pixel.
  package let depth: UInt8
  /// The number of bits that a pixel takes in an image.
  package let bitsPerPixel: UInt8
  /// The multiple to which each row is padded, in bits.
  package let rowPadding: UInt8

  init(_ reader: inout X11Reader) throws(X11SyntaxError) {
    depth = try reader.read8()
    bitsPerPixel = try reader.read8()
    rowPadding = try reader.read8()
    try reader.skip(5)
  }
}

/// A screen of the server.
package struct X11Screen: Sendable, Hashable {
  /// The root window.
  package let root: X11Identifier
  /// The colour map of the root window.
  package let colormap: X11Identifier
  /// The pixel value of white.
  package let whitePixel: UInt32
  /// The pixel value of black.
  package let blackPixel: UInt32
  /// The width in pixels.
  package let width: UInt16
  /// The height in pixels.
  package let height: UInt16
  /// The width in millimetres.
  package let widthInMillimetres: UInt16
  /// The height in millimetres.
  package let heightInMillimetres: UInt16
  /// The visual of the root window.
  package let rootVisual: X11Identifier
  /// The number of bits of a pixel of the root window.
  package let rootDepth: UInt8
  /// The visuals of all depths.
  package let visuals: [X11Visual]

  init(_ reader: inout X11Reader) throws(X11SyntaxError) {
    root = try reader.readIdentifier()
    colormap = try reader.readIdentifier()
    whitePixel = try reader.read32()
    blackPixel = try reader.read32()
    try reader.skip(4)
    width = try reader.read16()
    height = try reader.read16()
    widthInMillimetres = try reader.read16()
    heightInMillimetres = try reader.read16()
    try reader.skip(4)
    rootVisual = try reader.readIdentifier()
    try reader.skip(2)
    rootDepth = try reader.read8()
    let depthCount = Int(try reader.read8())
    var visuals: [X11Visual] = []
    for _ in 0..<depthCount {
      let depth = try reader.read8()
      try reader.skip(1)
      let count = Int(try reader.read16())
      try reader.skip(4)
      for _ in 0..<count { visuals.append(try X11Visual(depth: depth, &reader)) }
    }
    self.visuals = visuals
  }
}

/// A mapping from pixel values to colours.
package struct X11Visual: Sendable, Hashable {
  /// The identifier.
  package let identifier: X11Identifier
  /// The number of bits of a pixel.
  package let depth: UInt8
  /// Whether a pixel value contains the colour itself (`TrueColor`), rather than an index of a colour map.
  package let isTrueColor: Bool
  /// The bits of a pixel value that contain red.
  package let redMask: UInt32
  /// The bits of a pixel value that contain green.
  package let greenMask: UInt32
  /// The bits of a pixel value that contain blue.
  package let blueMask: UInt32

  init(depth: UInt8, _ reader: inout X11Reader) throws(X11SyntaxError) {
    self.depth = depth
    identifier = try reader.readIdentifier()
    isTrueColor = try reader.read8() == 4
    try reader.skip(3)
    redMask = try reader.read32()
    greenMask = try reader.read32()
    blueMask = try reader.read32()
    try reader.skip(4)
  }
}
