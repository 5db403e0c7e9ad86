// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A buffer of premultiplied 32-bit pixels, and functions that draw on it.
///
/// Each function changes only pixels inside ``clip``.
package struct Canvas: Sendable, Hashable {
  /// The width in pixels.
  package let width: Int
  /// The height in pixels.
  package let height: Int
  /// The pixels in rows without padding; each is alpha, red, green and blue from the highest byte to the lowest.
  package internal(set) var pixels: [UInt32]
  /// The area that may change, inside the canvas.
  package internal(set) var clip: PixelRectangle

  /// Creates a canvas of one colour.
  ///
  /// - Precondition: The width and the height are not negative.
  package init(width: Int, height: Int, color: Color = Color(red: 0, green: 0, blue: 0, alpha: 0)) {
    precondition(width >= 0 && height >= 0, "a canvas cannot have a negative size")
    self.width = width
    self.height = height
    pixels = [UInt32](repeating: color.pixel, count: width * height)
    clip = PixelRectangle(x: 0, y: 0, width: width, height: height)
  }

  /// The area of all pixels.
  package var bounds: PixelRectangle { PixelRectangle(x: 0, y: 0, width: width, height: height) }

  /// The content as a picture.
  package var picture: Picture { Picture(width: width, height: height, pixels: pixels) }

  /// Returns the pixel at a location, which must be inside the canvas.
  package subscript(x: Int, y: Int) -> UInt32 { pixels[y * width + x] }

  /// Limits the drawing of a function to an area.
  package mutating func withClip(_ area: PixelRectangle, _ body: (inout Canvas) -> Void) {
    let former = clip
    clip = former.intersection(area)
    body(&self)
    clip = former
  }

  /// Replaces the content of an area, even if the colour is transparent.
  package mutating func clear(_ area: PixelRectangle, _ color: Color) {
    let area = area.intersection(clip)
    guard !area.isEmpty else { return }
    let pixel = color.pixel
    pixels.withUnsafeMutableBufferPointer { pixels in
      for y in area.y..<area.endY {
        UnsafeMutableBufferPointer(rebasing: pixels[y * width + area.x..<y * width + area.endX]).update(
          repeating: pixel)
      }
    }
  }

  /// Draws a filled rectangle over the content.
  package mutating func fill(_ area: PixelRectangle, _ color: Color) {
    if color.alpha == 255 { return clear(area, color) }
    let pixel = color.pixel
    blend(area) { _, _ in pixel }
  }

  /// Draws a picture with its upper left corner at a location.
  package mutating func draw(_ picture: Picture, x: Int, y: Int) {
    picture.pixels.withUnsafeBufferPointer { source in
      blend(PixelRectangle(x: x, y: y, width: picture.width, height: picture.height)) { column, row in
        source[(row - y) * picture.width + column - x]
      }
    }
  }

  /// Draws a mask in a colour, with its upper left corner at a location.
  package mutating func draw(_ mask: CoverageMask, x: Int, y: Int, _ color: Color) {
    let pixel = color.pixel
    mask.bytes.withUnsafeBufferPointer { source in
      blend(PixelRectangle(x: x, y: y, width: mask.width, height: mask.height)) { column, row in
        Pixel.scale(pixel, UInt32(source[(row - y) * mask.width + column - x]))
      }
    }
  }

  /// Draws a pixel over each pixel of an area.
  ///
  /// - Parameters:
  ///   - area: The area; the part outside ``clip`` is left out.
  ///   - source: Returns the premultiplied pixel for a location.
  @inline(__always)
  mutating func blend(_ area: PixelRectangle, _ source: (_ x: Int, _ y: Int) -> UInt32) {
    let area = area.intersection(clip)
    guard !area.isEmpty else { return }
    pixels.withUnsafeMutableBufferPointer { pixels in
      for y in area.y..<area.endY {
        var index = y * width + area.x
        for x in area.x..<area.endX {
          pixels[index] = Pixel.over(source(x, y), pixels[index])
          index += 1
        }
      }
    }
  }
}
