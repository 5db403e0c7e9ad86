// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A rectangle in pixels, with its origin in the upper left corner.
package struct PixelRectangle: Sendable, Hashable {
  /// The left edge.
  package var x: Int
  /// The upper edge.
  package var y: Int
  /// The width; a rectangle without a positive width is empty.
  package var width: Int
  /// The height; a rectangle without a positive height is empty.
  package var height: Int

  /// Creates a rectangle.
  package init(x: Int, y: Int, width: Int, height: Int) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// The empty rectangle at the origin.
  package static let empty = PixelRectangle(x: 0, y: 0, width: 0, height: 0)

  /// The first column after the rectangle.
  package var endX: Int { x + width }
  /// The first row after the rectangle.
  package var endY: Int { y + height }
  /// Whether the rectangle has no pixel.
  package var isEmpty: Bool { width <= 0 || height <= 0 }

  /// Returns whether the pixel at a location is in the rectangle.
  package func contains(x: Int, y: Int) -> Bool {
    x >= self.x && x < endX && y >= self.y && y < endY
  }

  /// Returns the intersection, which is empty if the rectangles do not overlap.
  package func intersection(_ other: PixelRectangle) -> PixelRectangle {
    let left = max(x, other.x)
    let top = max(y, other.y)
    let right = min(endX, other.endX)
    let bottom = min(endY, other.endY)
    guard left < right, top < bottom else { return PixelRectangle(x: left, y: top, width: 0, height: 0) }
    return PixelRectangle(x: left, y: top, width: right - left, height: bottom - top)
  }

  /// Returns whether the rectangles have a common pixel.
  package func intersects(_ other: PixelRectangle) -> Bool { !intersection(other).isEmpty }

  /// Returns the smallest rectangle around both rectangles; empty rectangles are ignored.
  package func union(_ other: PixelRectangle) -> PixelRectangle {
    if isEmpty { return other }
    if other.isEmpty { return self }
    let left = min(x, other.x)
    let top = min(y, other.y)
    return PixelRectangle(
      x: left, y: top, width: max(endX, other.endX) - left, height: max(endY, other.endY) - top)
  }

  /// Returns a rectangle whose edges are moved inward; negative distances move them outward.
  package func inset(_ horizontal: Int, _ vertical: Int) -> PixelRectangle {
    PixelRectangle(x: x + horizontal, y: y + vertical, width: width - 2 * horizontal, height: height - 2 * vertical)
  }

  /// Returns a rectangle whose edges are all moved inward by the same distance.
  package func inset(_ distance: Int) -> PixelRectangle { inset(distance, distance) }
}
