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

  /// Returns the picture reduced to fit into a square; each pixel has the average colour of the pixels that it stands for.
  package func reduced(toSide side: Int) -> Picture {
    let size = Self.fitting(width: width, height: height, side: side)
    guard size != (width, height) else { return self }
    var reduced: [UInt32] = []
    reduced.reserveCapacity(size.width * size.height)
    for y in 0..<size.height {
      let rows = y * height / size.height..<(y + 1) * height / size.height
      for x in 0..<size.width {
        let columns = x * width / size.width..<(x + 1) * width / size.width
        var sums: SIMD4<UInt32> = .zero
        for row in rows {
          for pixel in pixels[row * width + columns.lowerBound..<row * width + columns.upperBound] {
            sums &+= SIMD4(pixel >> 24, pixel >> 16 & 0xFF, pixel >> 8 & 0xFF, pixel & 0xFF)
          }
        }
        let mean = sums / UInt32(rows.count * columns.count)
        reduced.append(mean[0] << 24 | mean[1] << 16 | mean[2] << 8 | mean[3])
      }
    }
    return Picture(width: size.width, height: size.height, pixels: reduced)
  }

  /// Returns the largest size that has the same proportions, fits into a square, and does not exceed the original size
  /// unless it may be enlarged.
  package static func fitting(
    width: Int, height: Int, side: Int, enlarges: Bool = false
  ) -> (width: Int, height: Int) {
    guard width > 0, height > 0, side > 0 else { return (0, 0) }
    guard enlarges || max(width, height) > side else { return (width, height) }
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
