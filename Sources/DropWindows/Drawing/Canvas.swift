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

/// A location in pixels and fractions of a pixel; the centre of the first pixel is at 0.5, 0.5.
package struct DrawingPoint: Sendable, Hashable {
  /// The horizontal position relative to the left edge.
  package let x: Double
  /// The vertical position relative to the upper edge.
  package let y: Double

  /// Creates a location.
  package init(_ x: Double, _ y: Double) {
    self.x = x
    self.y = y
  }
}

/// A rectangle with round corners, which measures the distance of a pixel from its edge: negative inside.
private struct RoundedShape {
  let centerX: Double
  let centerY: Double
  let halfWidth: Double
  let halfHeight: Double
  let radius: Double

  init(_ area: PixelRectangle, radius: Double) {
    halfWidth = Double(area.width) / 2
    halfHeight = Double(area.height) / 2
    centerX = Double(area.x) + halfWidth
    centerY = Double(area.y) + halfHeight
    self.radius = max(0, min(radius, halfWidth, halfHeight))
  }

  @inline(__always) func distance(_ column: Int, _ row: Int) -> Double {
    let x = abs(Double(column) + 0.5 - centerX) - halfWidth + radius
    let y = abs(Double(row) + 0.5 - centerY) - halfHeight + radius
    if x > 0, y > 0 { return (x * x + y * y).squareRoot() - radius }
    return max(x, y) - radius
  }

  /// Returns the approximate length of the edge from the middle of the nearest side to the edge point nearest to a
  /// pixel.
  func edgePosition(_ column: Int, _ row: Int) -> Double {
    let x = abs(Double(column) + 0.5 - centerX)
    let y = abs(Double(row) + 0.5 - centerY)
    let cornerX = halfWidth - radius
    let cornerY = halfHeight - radius
    // The diagonal of the corner divides the horizontal sides from the vertical sides.
    return x - cornerX < y - cornerY ? x : y
  }
}

@inline(__always) private func coverage(_ distance: Double) -> UInt32 {
  if distance <= -0.5 { return 255 }
  if distance >= 0.5 { return 0 }
  return UInt32((0.5 - distance) * 255 + 0.5)
}

extension Canvas {
  /// Fills a rectangle with round corners.
  ///
  /// A square with a radius of half its side becomes a disc.
  package mutating func fillRounded(_ area: PixelRectangle, radius: Double, _ color: Color) {
    guard radius > 0 else { return fill(area, color) }
    let shape = RoundedShape(area, radius: radius)
    let pixel = color.pixel
    let corner = Int(shape.radius.rounded(.up))
    // Only the rows with corners need distances.
    let middle = PixelRectangle(x: area.x, y: area.y + corner, width: area.width, height: area.height - 2 * corner)
    fill(middle, color)
    for y in [area.y, max(area.endY - corner, area.y + corner)] {
      let rows = PixelRectangle(x: area.x, y: y, width: area.width, height: min(corner, area.endY - y))
      blend(rows) { Pixel.scale(pixel, coverage(shape.distance($0, $1))) }
    }
  }

  /// Draws the edge of a rectangle with round corners, inside the rectangle.
  ///
  /// - Parameters:
  ///   - area: The rectangle.
  ///   - radius: The radius of the corners.
  ///   - thickness: The thickness of the edge.
  ///   - color: The colour.
  ///   - dash: The length of a dash and of a gap; 0 draws a solid edge.
  package mutating func strokeRounded(
    _ area: PixelRectangle, radius: Double, thickness: Double, _ color: Color, dash: Double = 0
  ) {
    let shape = RoundedShape(area, radius: radius)
    let pixel = color.pixel
    let depth = max(Int(shape.radius.rounded(.up)), Int(thickness.rounded(.up)))
    func draw(_ part: PixelRectangle) {
      blend(part) { x, y in
        let distance = shape.distance(x, y)
        var share = coverage(distance) - min(coverage(distance), coverage(distance + thickness))
        if dash > 0, share > 0 {
          let position = shape.edgePosition(x, y) + dash / 2
          let phase = position - (position / (2 * dash)).rounded(.down) * 2 * dash
          share = share * coverage(max(-phase, phase - dash)) / 255
        }
        return Pixel.scale(pixel, share)
      }
    }
    let inner = area.height - 2 * depth
    guard inner > 0, area.width > 2 * depth else { return draw(area) }
    draw(PixelRectangle(x: area.x, y: area.y, width: area.width, height: depth))
    draw(PixelRectangle(x: area.x, y: area.y + depth, width: depth, height: inner))
    draw(PixelRectangle(x: area.endX - depth, y: area.y + depth, width: depth, height: inner))
    draw(PixelRectangle(x: area.x, y: area.endY - depth, width: area.width, height: depth))
  }

  /// Draws a line with round ends.
  package mutating func line(from start: DrawingPoint, to end: DrawingPoint, thickness: Double, _ color: Color) {
    let reach = thickness / 2 + 1
    let pixel = color.pixel
    let (dx, dy) = (end.x - start.x, end.y - start.y)
    let square = dx * dx + dy * dy
    blend(Self.area(around: [start, end], reach: reach)) { x, y in
      let (px, py) = (Double(x) + 0.5 - start.x, Double(y) + 0.5 - start.y)
      let share = square == 0 ? 0 : max(0, min(1, (px * dx + py * dy) / square))
      let (ex, ey) = (px - share * dx, py - share * dy)
      return Pixel.scale(pixel, coverage((ex * ex + ey * ey).squareRoot() - thickness / 2))
    }
  }

  /// Fills a polygon by the even-odd rule, with 16 samples per pixel.
  package mutating func fillPolygon(_ points: [DrawingPoint], _ color: Color) {
    guard points.count > 2 else { return }
    let pixel = color.pixel
    func contains(_ x: Double, _ y: Double) -> Bool {
      var isInside = false
      var previous = points[points.count - 1]
      for point in points {
        if (point.y > y) != (previous.y > y),
          x < (previous.x - point.x) * (y - point.y) / (previous.y - point.y) + point.x
        {
          isInside.toggle()
        }
        previous = point
      }
      return isInside
    }
    blend(Self.area(around: points, reach: 0)) { x, y in
      var hits: UInt32 = 0
      for sample in 0..<16 {
        let sampleX = Double(x) + (Double(sample % 4) + 0.5) / 4
        let sampleY = Double(y) + (Double(sample / 4) + 0.5) / 4
        if contains(sampleX, sampleY) { hits += 1 }
      }
      return Pixel.scale(pixel, (hits * 255 + 8) / 16)
    }
  }

  private static func area(around points: [DrawingPoint], reach: Double) -> PixelRectangle {
    // A far location would overflow an integer.
    func bounded(_ value: Double) -> Int { Int(max(-1e6, min(1e6, value))) }
    let left = bounded(((points.map(\.x).min() ?? 0) - reach).rounded(.down))
    let top = bounded(((points.map(\.y).min() ?? 0) - reach).rounded(.down))
    let right = bounded(((points.map(\.x).max() ?? 0) + reach).rounded(.up))
    let bottom = bounded(((points.map(\.y).max() ?? 0) + reach).rounded(.up))
    return PixelRectangle(x: left, y: top, width: right - left, height: bottom - top)
  }
}
