// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// An icon that ``Canvas`` draws from shapes.
package enum Symbol: String, Sendable, Hashable, CaseIterable {
  /// A file of any type.
  case file
  /// A folder.
  case folder
  /// A file with a picture.
  case picture
  /// A file with text.
  case text
  /// A link.
  case link
  /// Several items.
  case several
  /// A completed item.
  case checkmark
  /// A failed item.
  case warning
  /// A button that cancels.
  case cross
  /// A drop zone.
  case tray
  /// A button that marks a row.
  case star
}

extension Canvas {
  /// Draws an icon into a square.
  ///
  /// - Parameters:
  ///   - symbol: The icon.
  ///   - frame: The square.
  ///   - theme: The colours.
  ///   - color: The colour of a sign: a check mark, a warning, a cross, a tray or a star. The other icons ignore it.
  package mutating func draw(_ symbol: Symbol, in frame: PixelRectangle, theme: Theme, color: Color) {
    // The pen takes the pixels out of this canvas, because a second reference would cause a copy.
    var pen = SymbolPen(canvas: Canvas(width: 0, height: 0), frame: frame, theme: theme)
    swap(&pen.canvas, &self)
    defer { swap(&pen.canvas, &self) }
    switch symbol {
    case .file: pen.page()
    case .folder: pen.folder()
    case .picture: pen.picture()
    case .text: pen.text()
    case .link: pen.link()
    case .several: pen.several()
    case .checkmark: pen.lines([(7, 17), (13.5, 23.5), (25.5, 9.5)], thickness: 3.4, color)
    case .warning:
      pen.lines([(16, 6), (16, 18.5)], thickness: 3.6, color)
      pen.lines([(16, 25), (16, 25.2)], thickness: 4.2, color)
    case .cross:
      pen.lines([(9, 9), (23, 23)], thickness: 3.2, color)
      pen.lines([(23, 9), (9, 23)], thickness: 3.2, color)
    case .tray: pen.tray(color)
    case .star: pen.star(color)
    }
  }
}

/// A pen for icons, with coordinates from 0 to 32.
private struct SymbolPen {
  var canvas: Canvas
  let frame: PixelRectangle
  let theme: Theme

  private static let blue = Color(0x3D86F0)
  private static let amber = Color(0xF2B33D)
  private static let green = Color(0x4FA765)
  private static let sky = Color(0xCFE5FB)

  private func point(_ x: Double, _ y: Double) -> DrawingPoint {
    DrawingPoint(
      Double(frame.x) + x * Double(frame.width) / 32, Double(frame.y) + y * Double(frame.height) / 32)
  }

  private func length(_ value: Double) -> Double { value * Double(frame.width) / 32 }

  private func rectangle(_ x: Double, _ y: Double, _ endX: Double, _ endY: Double) -> PixelRectangle {
    let start = point(x, y)
    let end = point(endX, endY)
    let (left, top) = (Int(start.x.rounded()), Int(start.y.rounded()))
    return PixelRectangle(
      x: left, y: top, width: Int(end.x.rounded()) - left, height: Int(end.y.rounded()) - top)
  }

  mutating func lines(_ points: [(Double, Double)], thickness: Double, _ color: Color) {
    for (start, end) in zip(points, points.dropFirst()) {
      canvas.line(
        from: point(start.0, start.1), to: point(end.0, end.1), thickness: max(1, length(thickness)), color)
    }
  }

  private mutating func polygon(_ points: [(Double, Double)], _ color: Color) {
    canvas.fillPolygon(points.map { point($0.0, $0.1) }, color)
  }

  /// Draws a sheet of paper with a folded corner.
  mutating func page(x: Double = 0, y: Double = 0) {
    let outline = [(6, 2), (19, 2), (26, 9), (26, 30), (6, 30), (6, 2)].map { (Double($0.0) + x, Double($0.1) + y) }
    polygon(outline, theme.paper)
    lines(outline, thickness: 1.4, theme.ink)
    let fold = [(19.0 + x, 2.0 + y), (19.0 + x, 9.0 + y), (26.0 + x, 9.0 + y)]
    polygon(fold, theme.ink.opacity(0.35))
    lines(fold, thickness: 1.4, theme.ink)
  }

  mutating func text() {
    page()
    for (y, end) in [(13.5, 22.0), (17.5, 22.0), (21.5, 22.0), (25.5, 17.0)] {
      lines([(10, y), (end, y)], thickness: 1.6, theme.ink)
    }
  }

  mutating func folder() {
    let back = Color(0xD9972A)
    canvas.fillRounded(rectangle(2, 5, 15, 14), radius: length(2.5), back)
    canvas.fillRounded(rectangle(2, 8, 30, 27), radius: length(2.5), back)
    canvas.fillRounded(rectangle(2, 11, 30, 28), radius: length(2.5), Self.amber)
    canvas.fill(rectangle(4, 11, 28, 12), Color(0xFFFFFF).opacity(0.35))
  }

  mutating func picture() {
    let frame = rectangle(2, 5, 30, 27)
    canvas.fillRounded(frame, radius: length(3), Self.sky)
    canvas.fillRounded(rectangle(21, 8.5, 26, 13.5), radius: length(2.5), Self.amber)
    let former = canvas.clip
    canvas.clip = former.intersection(frame.inset(Int(length(1))))
    polygon([(2, 27), (12, 12), (22, 27)], Self.green)
    polygon([(14, 27), (22, 17.5), (31, 27)], Color(0x37894F))
    canvas.clip = former
    canvas.strokeRounded(frame, radius: length(3), thickness: max(1, length(1.4)), theme.ink)
  }

  mutating func link() {
    let blue = Self.blue
    canvas.fillRounded(rectangle(3, 3, 29, 29), radius: length(7), blue)
    let white = Color(0xFFFFFF)
    let thickness = max(1, length(2.2))
    canvas.strokeRounded(rectangle(6, 11.5, 18, 20.5), radius: length(4.5), thickness: thickness, white)
    canvas.strokeRounded(rectangle(14, 11.5, 26, 20.5), radius: length(4.5), thickness: thickness, white)
  }

  mutating func several() {
    page(x: 4, y: -1)
    page(x: -3, y: 1)
  }

  mutating func star(_ color: Color) {
    // Ten corners around the centre, alternately far and near.
    let corners: [(Double, Double)] = (0...10).map { corner in
      let angle = Double(corner) * .pi / 5
      let distance = corner % 2 == 0 ? 13.0 : 5.4
      return (16 + distance * sin(angle), 17 - distance * cos(angle))
    }
    lines(corners, thickness: 2.4, color)
  }

  mutating func tray(_ color: Color) {
    lines([(16, 4), (16, 19)], thickness: 2.6, color)
    lines([(10, 13.5), (16, 19.5), (22, 13.5)], thickness: 2.6, color)
    lines([(5, 20), (5, 27), (27, 27), (27, 20)], thickness: 2.6, color)
  }
}
