// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The picture that follows the pointer during a drag: an icon, a name, and the effect of a drop.
package struct DragPicture: Sendable {
  /// The effect of a drop.
  package enum Effect: Sendable, Hashable, CaseIterable {
    /// No target accepts the items.
    case refused
    /// The items are copied.
    case copy
    /// The items are moved.
    case move
    /// A window opens for the items.
    case open
  }

  private static let maximumTextWidth = 220.0
  private static let radius = 9.0

  private static let maximumIconCount = 3
  private static let maximumSide = 96.0

  /// The icons, which overlap; the first is above the others.
  private let icons: [RowIcon]
  private let theme: Theme
  private let scale: Double
  /// The drawn name, and the width that is reserved for it.
  private let name: (picture: Picture?, width: Int)

  /// Creates the picture of items.
  ///
  /// - Parameters:
  ///   - rows: The items, at least one. The picture shows a single item's name, or the number of items and the icons of
  ///     the first three.
  ///   - theme: The colours.
  ///   - scale: The number of pixels per point.
  ///   - text: The font.
  package init(of rows: [WindowRow], theme: Theme, scale: Double, text: any TextDrawing) {
    let thumbnails = rows.map(\.icon).filter { if case .thumbnail = $0 { true } else { false } }
    let shown =
      rows.count == 1
      ? [rows[0].icon]
      : thumbnails.isEmpty ? [.symbol(.several)] : Array(thumbnails.prefix(Self.maximumIconCount))
    icons = shown.map { icon in
      guard case .thumbnail(let picture) = icon else { return icon }
      return .thumbnail(picture.reduced(toSide: Int(Self.maximumSide * scale)))
    }
    self.theme = theme
    self.scale = scale
    let title = rows.count == 1 ? rows[0].name : "\(rows.count) items"
    let style = TextStyle(size: WindowLayout.bodySize * scale, isBold: true)
    let width = min(Int((Self.maximumTextWidth * scale).rounded()), text.size(of: title, style).width)
    name = (text.picture(of: title, style, theme.text, maximumWidth: width), width)
  }

  private func pixels(_ points: Double) -> Int { Int((points * scale).rounded()) }

  /// The side of an icon's area in pixels; more than usual for a larger thumbnail.
  private var side: Int {
    let usual = pixels(Double(WindowLayout.iconSide))
    let sides = icons.map { icon in
      if case .thumbnail(let picture) = icon { max(picture.width, picture.height) } else { usual }
    }
    return max(usual, sides.max() ?? usual)
  }
  /// The distance between two icons that overlap.
  private var step: Int { side / 2 }
  private var iconsWidth: Int { side + (icons.count - 1) * step }
  private var margin: Int { pixels(8) }
  private var gap: Int { pixels(10) }
  private var sign: Int { pixels(20) }
  /// The width in pixels, which is the same for all effects.
  package var width: Int { margin + iconsWidth + gap + name.width + gap + sign + margin }
  /// The height in pixels.
  package var height: Int { side + pixels(14) }

  /// Draws the picture for an effect.
  package func canvas(_ effect: Effect) -> Canvas {
    var canvas = Canvas(width: width, height: height)
    let color = color(of: effect)
    canvas.fillRounded(canvas.bounds, radius: Self.radius * scale, theme.surface)
    canvas.strokeRounded(
      canvas.bounds, radius: Self.radius * scale, thickness: max(1, (1.5 * scale).rounded()), color)
    let middle = { (height: Int) in (canvas.height - height) / 2 }
    for (index, icon) in icons.enumerated().reversed() {
      let frame = PixelRectangle(x: margin + index * step, y: middle(side), width: side, height: side)
      switch icon {
      case .symbol(let symbol): canvas.draw(symbol, in: frame, theme: theme, color: theme.text)
      case .thumbnail(let picture):
        canvas.draw(
          picture, x: frame.x + (side - picture.width) / 2, y: frame.y + (side - picture.height) / 2)
      }
    }
    if let line = name.picture {
      canvas.draw(line, x: margin + iconsWidth + gap, y: middle(line.height))
    }
    draw(
      effect, color,
      in: PixelRectangle(x: canvas.width - margin - sign, y: middle(sign), width: sign, height: sign), on: &canvas)
    return canvas
  }

  private func color(of effect: Effect) -> Color {
    switch effect {
    case .refused: theme.secondaryText
    case .copy, .open: theme.success
    case .move: theme.accent
    }
  }

  /// Draws a disc with a plus for a copy, an arrow for a move, a window, or a bar if no target accepts the items.
  private func draw(_ effect: Effect, _ color: Color, in frame: PixelRectangle, on canvas: inout Canvas) {
    canvas.fillRounded(frame, radius: Double(frame.width) / 2, color)
    func point(_ x: Double, _ y: Double) -> DrawingPoint {
      DrawingPoint(Double(frame.x) + x * Double(frame.width) / 20, Double(frame.y) + y * Double(frame.height) / 20)
    }
    func line(_ start: DrawingPoint, _ end: DrawingPoint) {
      canvas.line(from: start, to: end, thickness: 2.2 * scale, theme.surface)
    }
    if effect == .open {
      let corners = [point(5.5, 6), point(14.5, 6), point(14.5, 14), point(5.5, 14)]
      for (start, end) in zip(corners, corners[1...] + corners[..<1]) { line(start, end) }
      return line(point(5.5, 8), point(14.5, 8))
    }
    line(point(5.5, 10), point(14.5, 10))
    switch effect {
    case .refused, .open: break
    case .copy: line(point(10, 5.5), point(10, 14.5))
    case .move:
      line(point(10.5, 6), point(14.5, 10))
      line(point(10.5, 14), point(14.5, 10))
    }
  }
}
