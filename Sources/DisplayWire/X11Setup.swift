// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// The first message of a program to the server, with its byte order, its version of the protocol and its cookie.
package struct X11SetupRequest: Sendable, Hashable {
  /// The name of the authorization method; empty if there is no cookie.
  package let methodName: [UInt8]
  /// The cookie, or no bytes.
  package let cookie: [UInt8]

  /// Creates a message with a cookie, or without one.
  package init(cookie: [UInt8]?) {
    methodName = cookie == nil ? [] : DisplayAuthority.methodName
    self.cookie = cookie ?? []
  }

  /// The encoded message, for version 11.0 of the protocol and little-endian numbers.
  package var encoded: [UInt8] {
    var writer = X11Writer()
    writer.write8(UInt8(ascii: "l"))
    writer.write8(0)
    writer.write16(11)
    writer.write16(0)
    writer.write16(UInt16(clamping: methodName.count))
    writer.write16(UInt16(clamping: cookie.count))
    writer.write16(0)
    writer.write(methodName)
    writer.pad()
    writer.write(cookie)
    writer.pad()
    return writer.bytes
  }
}

/// The response of the server to the first message.
package enum X11SetupResponse: Sendable, Hashable {
  /// The server has accepted the connection.
  case success(X11Setup)
  /// The server has refused the connection, and has sent a reason.
  case failed(reason: String)
  /// The server requires another authorization method.
  case authenticate(reason: String)

  /// The length of the header in bytes.
  ///
  /// The header declares the length of the rest.
  static let headerSize = 8

  /// Returns the length of the response as its header declares it, at most 262,148 bytes.
  static func byteCount(header: ArraySlice<UInt8>) -> Int {
    let length = header.suffix(2)
    return headerSize + 4 * length.reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  /// Decodes a response.
  ///
  /// - Throws: `X11SyntaxError` for a malformed response.
  package init(_ bytes: [UInt8]) throws(X11SyntaxError) {
    var reader = X11Reader(bytes)
    let status = try reader.read8()
    let reasonLength = Int(try reader.read8())
    let major = try reader.read16()
    let minor = try reader.read16()
    let length = 4 * Int(try reader.read16())
    guard length == reader.remaining else {
      throw X11SyntaxError(6, "\(length) bytes are declared and \(reader.remaining) follow")
    }
    switch status {
    case 0:
      self = .failed(reason: X11Reader.text(try reader.read(reasonLength)))
    case 1:
      guard major == 11 else { throw X11SyntaxError(2, "the version is \(major).\(minor) instead of 11.0") }
      self = .success(try X11Setup(&reader))
    case 2:
      // The length of the reason is not declared; zeros pad it to a multiple of four bytes.
      let reason = try reader.read(length)
      self = .authenticate(reason: X11Reader.text(reason.prefix { $0 != 0 }))
    default:
      throw X11SyntaxError(0, "the status is \(status) instead of 0, 1 or 2")
    }
  }
}

/// The description of a server.
package struct X11Setup: Sendable, Hashable {
  /// The order of bytes in images.
  package enum ByteOrder: UInt8, Sendable, Hashable {
    /// The least significant byte comes first.
    case littleEndian
    /// The most significant byte comes first.
    case bigEndian
  }

  /// The vendor's name, which is untrusted text.
  package let vendor: String
  /// The vendor's release number.
  package let release: UInt32
  /// The bits of an identifier that the server chooses.
  ///
  /// All identifiers of this program share them.
  package let resourceBase: UInt32
  /// The bits of an identifier that this program chooses.
  package let resourceMask: UInt32
  /// The maximum length of a request without BIG-REQUESTS, in bytes.
  package let maximumRequestBytes: Int
  /// The order of bytes in images.
  package let imageByteOrder: ByteOrder
  /// The lowest key code of the keyboard.
  package let minimumKeyCode: UInt8
  /// The highest key code of the keyboard.
  package let maximumKeyCode: UInt8
  /// The formats of images, one for each depth.
  package let formats: [X11PixmapFormat]
  /// The screens, at least one.
  package let screens: [X11Screen]

  fileprivate init(_ reader: inout X11Reader) throws(X11SyntaxError) {
    release = try reader.read32()
    resourceBase = try reader.read32()
    resourceMask = try reader.read32()
    guard resourceMask != 0, resourceBase & resourceMask == 0 else {
      throw X11SyntaxError(16, "the resource mask has no bit, or shares one with the resource base")
    }
    try reader.skip(4)
    let vendorLength = Int(try reader.read16())
    maximumRequestBytes = 4 * Int(try reader.read16())
    let screenCount = Int(try reader.read8())
    let formatCount = Int(try reader.read8())
    let order = try reader.read8()
    guard let byteOrder = ByteOrder(rawValue: order) else {
      throw X11SyntaxError(30, "the byte order is \(order) instead of 0 or 1")
    }
    imageByteOrder = byteOrder
    try reader.skip(3)
    minimumKeyCode = try reader.read8()
    maximumKeyCode = try reader.read8()
    try reader.skip(4)
    vendor = X11Reader.text(try reader.read(vendorLength))
    try reader.skipPadding()
    guard maximumRequestBytes >= 4 * 4096 else {
      throw X11SyntaxError(26, "the maximum request length is \(maximumRequestBytes) bytes, less than 16384")
    }
    guard screenCount > 0 else { throw X11SyntaxError(28, "the server has no screen") }
    var formats: [X11PixmapFormat] = []
    for _ in 0..<formatCount { formats.append(try X11PixmapFormat(&reader)) }
    var screens: [X11Screen] = []
    for _ in 0..<screenCount { screens.append(try X11Screen(&reader)) }
    self.formats = formats
    self.screens = screens
  }
}

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
