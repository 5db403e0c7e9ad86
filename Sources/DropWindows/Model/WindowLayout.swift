// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The areas of a window's parts, in pixels.
package struct WindowLayout: Sendable, Hashable {
  /// The usual side of an icon, in points.
  package static let iconSide = 32
  static let margin = 16.0
  static let titleSize = 17.0
  package static let bodySize = 13.5
  static let captionSize = 12.0

  /// The number of pixels per point.
  package let scale: Double
  /// The area of the window.
  package let bounds: PixelRectangle
  /// The title.
  package private(set) var title = PixelRectangle.empty
  /// The explanation below the title.
  package private(set) var hint = PixelRectangle.empty
  /// The drop zones.
  package private(set) var zones: [PixelRectangle] = []
  /// The row that drags all items; empty without such a row.
  package private(set) var dragAll = PixelRectangle.empty
  /// The list; empty if the window has only drop zones.
  package private(set) var list = PixelRectangle.empty
  /// The field; empty without a field.
  package private(set) var field = PixelRectangle.empty
  /// The text at the lower edge.
  package private(set) var status = PixelRectangle.empty
  /// The buttons.
  package private(set) var buttons: [PixelRectangle] = []
  /// The distance of each row from the top of the first row, as if all rows were in one column, and the height of all
  /// rows, in pixels.
  let rowTops: [Int]
  /// The rows of each column.
  package let columns: [Range<Int>]

  /// Divides a window into the areas of its parts.
  ///
  /// - Parameters:
  ///   - model: The content.
  ///   - width: The width of the window in pixels.
  ///   - height: The height of the window in pixels.
  ///   - scale: The number of pixels per point.
  ///   - text: The font that measures the buttons.
  package init(_ model: WindowModel, width: Int, height: Int, scale: Double, text: any TextDrawing) {
    self.scale = scale
    bounds = PixelRectangle(x: 0, y: 0, width: width, height: height)
    var rowTops = [0]
    rowTops.reserveCapacity(model.rows.count + 1)
    for row in model.rows { rowTops.append(rowTops[rowTops.count - 1] + max(1, Int((row.height * scale).rounded()))) }
    self.rowTops = rowTops
    columns = Self.columns(model, isWide: Double(width) / scale - 2 * Self.margin)
    let margin = pixels(Self.margin)
    let inner = max(0, width - 2 * margin)
    var y = pixels(14)
    func take(_ points: Double, gap: Double) -> PixelRectangle {
      defer { y += pixels(points) + pixels(gap) }
      return PixelRectangle(x: margin, y: y, width: inner, height: pixels(points))
    }
    title = take(24, gap: model.hint.isEmpty ? 12 : 1)
    if !model.hint.isEmpty { hint = take(18, gap: 13) }

    var bottom = height - margin
    if !model.buttons.isEmpty || !model.status.isEmpty {
      let top = bottom - pixels(34)
      placeButtons(model, y: top, text: text)
      let end = (buttons.first?.x ?? width - margin + pixels(12)) - pixels(12)
      status = PixelRectangle(x: margin, y: top, width: max(0, end - margin), height: pixels(34))
      bottom = top - pixels(14)
    }
    if model.field != nil {
      field = PixelRectangle(x: margin, y: bottom - pixels(36), width: inner, height: pixels(36))
      bottom = field.y - pixels(12)
    }
    let hasList = !model.rows.isEmpty || model.zones.isEmpty
    if !model.zones.isEmpty {
      let free = Double(max(0, bottom - y)) / scale
      let height = Self.zoneHeight(model.zones.count)
      placeZones(model.zones.count, take(hasList ? min(height, free) : free, gap: 12))
    }
    if model.dragAllTitle != nil { dragAll = take(46, gap: 10) }
    if hasList { list = PixelRectangle(x: margin, y: y, width: inner, height: max(0, bottom - y)) }
  }

  /// Converts a length in points to pixels.
  func pixels(_ points: Double) -> Int { Int((points * scale).rounded()) }

  private mutating func placeButtons(_ model: WindowModel, y: Int, text: any TextDrawing) {
    let style = TextStyle(size: Self.bodySize * scale)
    let widths = model.buttons.map { max(pixels(84), text.size(of: $0.title, style).width + pixels(32)) }
    let gap = pixels(8)
    var x = bounds.width - pixels(Self.margin) - widths.reduce(0, +) - gap * max(0, widths.count - 1)
    for width in widths {
      buttons.append(PixelRectangle(x: x, y: y, width: width, height: pixels(34)))
      x += width + gap
    }
  }

  /// Returns the rows of each column, or one column if the columns would be narrower than 130 points.
  private static func columns(_ model: WindowModel, isWide width: Double) -> [Range<Int>] {
    let (starts, count) = (model.columnStarts, model.rows.count)
    guard starts.count > 1, starts.first == 0, width / Double(starts.count) >= 130,
      zip(starts, starts.dropFirst() + [count]).allSatisfy({ $0 <= $1 })
    else { return [0..<count] }
    return zip(starts, starts.dropFirst() + [count]).map { $0..<$1 }
  }

  private static func zoneColumns(_ count: Int) -> Int { count == 4 ? 2 : min(3, count) }

  /// Returns the number of lines of zones.
  static func zoneLines(_ count: Int) -> Int {
    let columns = max(1, zoneColumns(count))
    return (count + columns - 1) / columns
  }

  /// Returns the height of all zones above a list, in points.
  static func zoneHeight(_ count: Int) -> Double { 56 + 56 * Double(zoneLines(count)) }

  private mutating func placeZones(_ count: Int, _ area: PixelRectangle) {
    let gap = pixels(10)
    // Narrow zones would truncate their names, so they form rows of at most three.
    let columns = Self.zoneColumns(count)
    let lines = Self.zoneLines(count)
    for index in 0..<count {
      let (line, column) = (index / columns, index % columns)
      let left = column * (area.width + gap) / columns
      let right = (column + 1) * (area.width + gap) / columns - gap
      let top = line * (area.height + gap) / lines
      let lower = (line + 1) * (area.height + gap) / lines - gap
      zones.append(PixelRectangle(x: area.x + left, y: area.y + top, width: right - left, height: lower - top))
    }
  }
}
