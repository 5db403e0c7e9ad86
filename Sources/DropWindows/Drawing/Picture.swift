// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// An immutable picture of premultiplied pixels.
package struct Picture: Sendable, Hashable {
  /// The width in pixels.
  package let width: Int
  /// The height in pixels.
  package let height: Int
  /// The pixels in rows without padding; each is alpha, red, green and blue from the highest byte to the lowest.
  package let pixels: [UInt32]

  /// Creates a picture.
  ///
  /// - Precondition: The number of pixels is `width * height`.
  package init(width: Int, height: Int, pixels: [UInt32]) {
    precondition(width >= 0 && height >= 0 && pixels.count == width * height, "the pixels must fill the picture")
    self.width = width
    self.height = height
    self.pixels = pixels
  }

  /// Creates a picture from rows of pixels whose bytes are red, green, blue and, with `hasAlpha`, alpha; not
  /// premultiplied.
  ///
  /// - Returns: `nil` if a size is not positive, or if `stride` or `bytes` is too short for the size.
  package init?(width: Int, height: Int, stride: Int, hasAlpha: Bool, bytes: UnsafeRawBufferPointer) {
    let size = hasAlpha ? 4 : 3
    guard width > 0, height > 0, stride >= width * size, bytes.count >= (height - 1) * stride + width * size else {
      return nil
    }
    var pixels: [UInt32] = []
    pixels.reserveCapacity(width * height)
    for y in 0..<height {
      var offset = y * stride
      for _ in 0..<width {
        let color = Color(
          red: bytes[offset], green: bytes[offset + 1], blue: bytes[offset + 2],
          alpha: hasAlpha ? bytes[offset + 3] : 255)
        pixels.append(color.pixel)
        offset += size
      }
    }
    self.init(width: width, height: height, pixels: pixels)
  }

  /// Returns the largest size that has the same proportions, fits into a square, and does not exceed the original size.
  package static func fitting(width: Int, height: Int, side: Int) -> (width: Int, height: Int) {
    guard width > 0, height > 0, side > 0 else { return (0, 0) }
    guard max(width, height) > side else { return (width, height) }
    if width >= height { return (side, max(1, (height * side + width / 2) / width)) }
    return (max(1, (width * side + height / 2) / height), side)
  }
}

/// The opacity of each pixel of a shape, which is drawn in one colour.
package struct CoverageMask: Sendable, Hashable {
  /// The width in pixels.
  package let width: Int
  /// The height in pixels.
  package let height: Int
  /// The opacities in rows without padding; 255 is opaque.
  package let bytes: [UInt8]

  /// Creates a mask.
  ///
  /// - Precondition: The number of bytes is `width * height`.
  package init(width: Int, height: Int, bytes: [UInt8]) {
    precondition(width >= 0 && height >= 0 && bytes.count == width * height, "the bytes must fill the mask")
    self.width = width
    self.height = height
    self.bytes = bytes
  }
}
