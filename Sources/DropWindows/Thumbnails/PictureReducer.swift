// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A reduction of a picture to fewer pixels, row by row: each new pixel is the mean of the old pixels that it covers.
struct PictureReducer {
  private let size: (width: Int, height: Int)
  private let original: (width: Int, height: Int)
  /// The sums of the premultiplied components and the number of pixels, for each pixel of the present row.
  private var sums: [SIMD8<UInt64>]
  private var pixels: [UInt32] = []
  private var rowCount = 0

  /// Creates a reduction to a size that does not exceed the original one.
  init(width: Int, height: Int, to size: (width: Int, height: Int)) {
    original = (width, height)
    self.size = size
    sums = Array(repeating: .zero, count: size.width)
    pixels.reserveCapacity(size.width * size.height)
  }

  /// Adds the next row of premultiplied pixels.
  mutating func add(_ row: [UInt32]) {
    for (x, pixel) in row.enumerated() {
      sums[x * size.width / original.width] &+= SIMD8(
        UInt64(pixel >> 24), UInt64(pixel >> 16 & 0xFF), UInt64(pixel >> 8 & 0xFF), UInt64(pixel & 0xFF), 1, 0, 0, 0)
    }
    rowCount += 1
    // The row is complete if the next row belongs to the next pixel.
    guard rowCount * size.height / original.height > pixels.count / size.width else { return }
    for x in sums.indices {
      let count = max(1, sums[x][4])
      func mean(_ component: Int) -> UInt32 { UInt32((sums[x][component] + count / 2) / count) }
      pixels.append(mean(0) << 24 | mean(1) << 16 | mean(2) << 8 | mean(3))
      sums[x] = .zero
    }
  }

  /// The picture, after all rows.
  var picture: Picture? {
    guard pixels.count == size.width * size.height else { return nil }
    return Picture(width: size.width, height: size.height, pixels: pixels)
  }
}
