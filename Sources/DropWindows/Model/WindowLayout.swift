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
    if !model.showsOnlyPictures {
      title = take(24, gap: model.hint.isEmpty ? 12 : 1)
      if !model.hint.isEmpty { hint = take(18, gap: 13) }
    }

    var bottom = height - margin
    if !model.buttons.isEmpty || !model.status.isEmpty {
      let top = bottom - pixels(34)
      placeButtons(model, y: top, text: text)
      let end = (buttons.first?.x ?? width - margin + pixels(12)) - pixels(12)
      status = PixelRectangle(x: margin, y: top, width: max(0, end - margin), height: pixels(34))
      bottom = top - pixels(14)
    }
    if let content = model.field {
      let isAlone = model.rows.isEmpty && model.zones.isEmpty
      let height = content.isMultiline ? isAlone ? max(pixels(36), bottom - y) : pixels(112) : pixels(36)
      field = PixelRectangle(x: margin, y: bottom - height, width: inner, height: height)
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

extension WindowLayout {
  /// The number of rows.
  package var rowCount: Int { rowTops.count - 1 }

  /// The height of the highest column, in pixels.
  var rowsHeight: Int { columns.map { rowTops[$0.upperBound] - rowTops[$0.lowerBound] }.max() ?? 0 }

  /// The distance of a step of the wheel, in pixels.
  package var scrollStep: Int { max(1, pixels(Double(Self.iconSide + 22))) }

  /// The area of the list inside its border.
  package var listContent: PixelRectangle {
    list.isEmpty ? .empty : list.inset(pixels(1), pixels(4))
  }

  /// The maximum scroll offset, in pixels.
  package var maximumScroll: Int { max(0, rowsHeight - listContent.height) }

  /// Returns the indices of the rows of a column that are at least partly visible.
  package func visibleRows(scroll: Int, column: Int = 0) -> Range<Int> {
    guard !listContent.isEmpty else { return 0..<0 }
    let first = firstRow(ofColumn: column, endingAfter: max(0, scroll))
    // A row that ends at the last visible pixel is the last visible row.
    let last = firstRow(ofColumn: column, endingAfter: scroll + listContent.height - 1)
    return first..<max(first, min(columns[column].upperBound, last + 1))
  }

  /// Returns the index of the first row of a column whose end is below an offset; the end of the column if there is none.
  func firstRow(ofColumn column: Int, endingAfter offset: Int) -> Int {
    var (low, high) = (columns[column].lowerBound, columns[column].upperBound)
    let offset = offset + rowTops[low]
    while low < high {
      let middle = (low + high) / 2
      if rowTops[middle + 1] > offset { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// Returns the distance of a row, and of its end, from the top of the list's content, in pixels.
  func extent(ofRow index: Int) -> Range<Int> {
    let start = rowTops[columns[column(ofRow: index)].lowerBound]
    return rowTops[index] - start..<rowTops[index + 1] - start
  }

  /// Returns the column of a row.
  package func column(ofRow index: Int) -> Int { columns.firstIndex { index < $0.upperBound } ?? 0 }

  private var columnGap: Int { columns.count > 1 ? pixels(8) : 0 }

  /// The width of all columns with the gap after each.
  private var columnsWidth: Int {
    let scrollBar = maximumScroll > 0 ? pixels(10) + columnGap : 0
    return max(0, list.width - 2 * pixels(1)) - scrollBar + columnGap
  }

  /// Returns the column at a horizontal position.
  package func column(atX x: Int) -> Int {
    max(0, min(columns.count - 1, (x - listContent.x) * columns.count / max(1, columnsWidth)))
  }

  /// Returns the area of a column; the area of the list's content if there is only one column.
  ///
  /// A list without height also has the width of its columns, since a window that grows divides its text before.
  package func column(_ index: Int) -> PixelRectangle {
    let (width, gap) = (columnsWidth, columnGap)
    let start = width * index / columns.count
    return PixelRectangle(
      x: listContent.x + start, y: listContent.y, width: width * (index + 1) / columns.count - start - gap,
      height: listContent.height)
  }

  /// Returns the area of a row, which is outside the list if the row is not visible.
  package func row(_ index: Int, scroll: Int) -> PixelRectangle {
    let extent = extent(ofRow: index)
    let column = column(column(ofRow: index))
    return PixelRectangle(
      x: column.x, y: column.y + extent.lowerBound - scroll, width: column.width, height: extent.count)
  }

  /// Returns the index of the row at a location or above it in the same column, for a drop; `nil` outside of the list.
  package func row(forDropAtX x: Int, y: Int, scroll: Int) -> Int? {
    guard listContent.contains(x: x, y: y), rowCount > 0 else { return nil }
    let column = column(atX: x)
    let row = firstRow(ofColumn: column, endingAfter: y - listContent.y + scroll)
    return columns[column].isEmpty ? nil : min(row, columns[column].upperBound - 1)
  }

  /// Returns the distance from the left edge of a row to its text, in pixels.
  func textStart(_ row: WindowRow) -> Int { pixels(row.pictureSide == 0 ? 14 : Double(26 + row.pictureSide)) }

  /// Returns the area of a row's sign or cancel button.
  package func accessory(inRow row: PixelRectangle) -> PixelRectangle {
    // The buttons of two low rows must not touch.
    let side = min(pixels(26), row.height - pixels(4))
    return PixelRectangle(
      x: row.endX - pixels(12) - side, y: row.y + (row.height - side) / 2, width: side, height: side)
  }

  /// Returns the area of a row's star, beside the area of its sign.
  package func star(inRow row: PixelRectangle) -> PixelRectangle {
    var area = accessory(inRow: row)
    area.x -= area.width + pixels(4)
    return area
  }

  /// Returns the area of the scroll bar's handle; empty if all rows fit.
  package func scrollHandle(scroll: Int) -> PixelRectangle {
    guard maximumScroll > 0 else { return .empty }
    let track = scrollTrack
    let length = max(pixels(28), track.height * listContent.height / rowsHeight)
    return PixelRectangle(
      x: track.x, y: track.y + (track.height - length) * min(scroll, maximumScroll) / maximumScroll,
      width: track.width, height: length)
  }

  /// The area in which the handle of the scroll bar moves.
  var scrollTrack: PixelRectangle {
    let width = pixels(6)
    return PixelRectangle(
      x: listContent.endX - width - pixels(4), y: listContent.y, width: width, height: listContent.height)
  }

  /// Returns the part of the window at a location; `nil` outside all parts.
  ///
  /// - Parameters:
  ///   - x: The horizontal position relative to the left edge of the window, in pixels.
  ///   - y: The vertical position relative to the upper edge of the window, in pixels.
  ///   - model: The content.
  ///   - scroll: The scroll offset of the list, in pixels.
  /// - Returns: The part.
  package func target(x: Int, y: Int, model: WindowModel, scroll: Int) -> WindowTarget? {
    if let index = buttons.firstIndex(where: { $0.contains(x: x, y: y) }) { return .button(index) }
    if dragAll.contains(x: x, y: y) { return .dragAll }
    if field.contains(x: x, y: y) { return .field }
    if let index = zones.firstIndex(where: { $0.contains(x: x, y: y) }) { return .zone(index) }
    guard listContent.contains(x: x, y: y) else { return nil }
    if maximumScroll > 0, x >= listContent.endX - pixels(14) { return .scrollBar }
    let column = column(atX: x)
    let index = firstRow(ofColumn: column, endingAfter: y - listContent.y + scroll)
    guard columns[column].contains(index), model.rows.indices.contains(index) else { return .list }
    let accessory = accessory(inRow: row(index, scroll: scroll))
    if model.rows[index].hasCross, accessory.contains(x: x, y: y) { return .cancel(index) }
    if model.rows[index].hasStar, star(inRow: row(index, scroll: scroll)).contains(x: x, y: y) { return .star(index) }
    return .row(index)
  }
}
