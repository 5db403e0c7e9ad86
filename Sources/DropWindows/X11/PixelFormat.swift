// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import DisplayWire

/// The pixel format of a screen, with 32 bits per pixel.
package struct PixelFormat: Sendable, Hashable {
  /// The number of significant bits of a pixel: 24 or 32.
  package let depth: UInt8
  private let redShift: UInt32
  private let greenShift: UInt32
  private let blueShift: UInt32
  /// The bits of the opacity, which are set in each pixel.
  private let opacity: UInt32
  private let isLittleEndian: Bool

  /// Creates the format of a screen's root window.
  ///
  /// - Throws: `DisplayError` with the code `badAddress` unless the format has 32 bits per pixel and true colours with
  ///   8 bits each.
  package init(_ screen: X11Screen, _ setup: X11Setup) throws(DisplayError) {
    depth = screen.rootDepth
    guard depth == 24 || depth == 32,
      let format = setup.formats.first(where: { $0.depth == screen.rootDepth }), format.bitsPerPixel == 32
    else {
      throw DisplayError(
        .badAddress, "the display has a colour depth of \(screen.rootDepth) bits; windows need 24 or 32 bits")
    }
    guard let visual = screen.visuals.first(where: { $0.identifier == screen.rootVisual }), visual.isTrueColor,
      [visual.redMask, visual.greenMask, visual.blueMask].allSatisfy({ Self.isByte($0) })
    else {
      throw DisplayError(.badAddress, "the display has no true colours with 8 bits each, which windows need")
    }
    redShift = UInt32(visual.redMask.trailingZeroBitCount)
    greenShift = UInt32(visual.greenMask.trailingZeroBitCount)
    blueShift = UInt32(visual.blueMask.trailingZeroBitCount)
    opacity = depth == 32 ? ~(visual.redMask | visual.greenMask | visual.blueMask) : 0
    isLittleEndian = setup.imageByteOrder == .littleEndian
  }

  private static func isByte(_ mask: UInt32) -> Bool {
    mask != 0 && mask >> UInt32(mask.trailingZeroBitCount) == 0xFF
  }

  /// Returns the pixel value of a colour.
  package func value(_ color: Color) -> UInt32 {
    UInt32(color.red) << redShift | UInt32(color.green) << greenShift | UInt32(color.blue) << blueShift | opacity
  }

  /// Returns the rows of an opaque canvas as bytes for the display.
  ///
  /// - Precondition: The area is inside the canvas.
  package func bytes(of area: PixelRectangle, on canvas: Canvas) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 4 * area.width * area.height) { buffer, count in
      canvas.pixels.withUnsafeBufferPointer { pixels in
        for y in area.y..<area.endY {
          for x in area.x..<area.endX {
            let pixel = pixels[y * canvas.width + x]
            let value =
              (pixel >> 16 & 0xFF) << redShift | (pixel >> 8 & 0xFF) << greenShift | (pixel & 0xFF) << blueShift
              | opacity
            UnsafeMutableRawBufferPointer(buffer).storeBytes(
              of: isLittleEndian ? value.littleEndian : value.bigEndian, toByteOffset: count, as: UInt32.self)
            count += 4
          }
        }
      }
    }
  }

  /// Divides an area into strips whose images fit into requests.
  ///
  /// - Parameters:
  ///   - area: The area.
  ///   - limit: The maximum length of a request in bytes.
  /// - Returns: The strips from the top to the bottom; for a very wide area, one column after the other.
  package static func strips(of area: PixelRectangle, limit: Int) -> [PixelRectangle] {
    guard !area.isEmpty else { return [] }
    let header = 28
    // A very wide area is divided into columns too.
    let width = min(area.width, max(1, (limit - header) / 4))
    let height = max(1, (limit - header) / (4 * width))
    var strips: [PixelRectangle] = []
    for x in stride(from: area.x, to: area.endX, by: width) {
      for y in stride(from: area.y, to: area.endY, by: height) {
        strips.append(
          PixelRectangle(x: x, y: y, width: min(width, area.endX - x), height: min(height, area.endY - y)))
      }
    }
    return strips
  }
}
