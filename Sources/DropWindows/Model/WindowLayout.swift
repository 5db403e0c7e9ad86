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
  /// A line of the list: one row, or tiles side by side.
  private struct Line: Sendable, Hashable {
    /// The index of the first row.
    let start: Int
    /// The distance from the top of the first line, as if all lines were in one column, in pixels.
    var top: Int
    /// The number of rows for which the line has room.
    let capacity: Int
  }

  /// The lines of all columns, and an empty line at the end.
  private var lines: [Line] = []
  /// The index of the row whose picture takes the part of the window that other rows leave; `nil` if there is none.
  private(set) var fillingRow: Int?
  /// The lines of each column.
  private var columnLines: [Range<Int>] = []
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
    placeRows(model.rows)
  }

  /// Divides the rows into lines.
  private mutating func placeRows(_ rows: [WindowRow]) {
    lines.reserveCapacity(rows.count + 1)
    var top = 0
    for (number, column) in columns.enumerated() {
      let (width, firstLine, firstTop) = (self.column(number).width, lines.count, top)
      var filling: Int?
      // A run of tiles, or another row.
      var (index, run, capacity) = (column.lowerBound, 0..<0, 1)
      while index < column.upperBound {
        if rows[index].shape == .filling, fillingRow == nil { (fillingRow, filling) = (index, lines.count) }
        if !run.contains(index) {
          let tileCount = rows[index..<column.upperBound].prefix { $0.shape == .tile }.count
          run = index..<index + max(1, tileCount)
          let tileWidth = rows[run].reduce(1) { max($0, pixels($1.tileWidth)) }
          capacity = run.count == 1 ? 1 : max(1, width / tileWidth)
        }
        let line = index..<min(index + capacity, run.upperBound)
        lines.append(Line(start: index, top: top, capacity: capacity))
        top += rows[line].reduce(1) { max($0, pixels($1.height)) }
        index = line.upperBound
      }
      if let filling {
        let free = max(0, listContent.height - (top - firstTop))
        for line in lines.indices where line > filling { lines[line].top += free }
        top += free
      }
      columnLines.append(firstLine..<lines.count)
    }
    lines.append(Line(start: rows.count, top: top, capacity: 1))
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
  /// The distance of a step of the wheel, in pixels.
  package var scrollStep: Int { max(1, pixels(Double(Self.iconSide + 22))) }

  /// The area of the list inside its border.
  package var listContent: PixelRectangle {
    list.isEmpty ? .empty : list.inset(pixels(1), pixels(4))
  }

  /// The height of the rows of a column, in pixels.
  private func rowsHeight(ofColumn column: Int) -> Int {
    lines[columnLines[column].upperBound].top - lines[columnLines[column].lowerBound].top
  }

  /// Returns the maximum scroll offset of a column, in pixels.
  package func maximumScroll(ofColumn column: Int = 0) -> Int {
    let overflow = rowsHeight(ofColumn: column) - max(0, listContent.height)
    // At a scale that is not a whole number, rounding adds up to half a pixel for each row and for some other parts.
    let rounding = scale == scale.rounded() ? 0 : min(8, columnLines[column].count) / 2 + 4
    return overflow <= rounding ? 0 : overflow
  }

  /// Returns the indices of the rows of a column that are at least partly visible.
  package func visibleRows(scroll: Int, column: Int = 0) -> Range<Int> {
    guard !listContent.isEmpty else { return 0..<0 }
    let first = firstLine(ofColumn: column, endingAfter: max(0, scroll))
    // A line that ends at the last visible pixel is the last visible line.
    let last = firstLine(ofColumn: column, endingAfter: scroll + listContent.height - 1)
    return lines[first].start..<lines[max(first, min(columnLines[column].upperBound, last + 1))].start
  }

  /// Returns the index of the first line of a column whose end is below an offset; the end of the column if there is
  /// none.
  private func firstLine(ofColumn column: Int, endingAfter offset: Int) -> Int {
    let (start, end) = (columnLines[column].lowerBound, columnLines[column].upperBound)
    return Self.first(in: start..<end) { lines[$0 + 1].top > offset + lines[start].top }
  }

  /// Returns the first number of a range for which a condition holds, which then holds for all greater ones.
  private static func first(in range: Range<Int>, where isTrue: (Int) -> Bool) -> Int {
    var (low, high) = (range.lowerBound, range.upperBound)
    while low < high {
      let middle = (low + high) / 2
      if isTrue(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }

  private func line(ofRow index: Int) -> Int {
    Self.first(in: lines.indices.dropLast()) { lines[$0 + 1].start > index }
  }

  /// Returns the column of a row.
  package func column(ofRow index: Int) -> Int { columns.firstIndex { index < $0.upperBound } ?? 0 }

  private var columnGap: Int { columns.count > 1 ? pixels(8) : 0 }

  /// The width of all columns with the gap after each.
  private var columnsWidth: Int { max(0, list.width - 2 * pixels(1)) + columnGap }

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
    let (column, number) = (column(ofRow: index), line(ofRow: index))
    let (area, line) = (self.column(column), lines[number])
    let place = index - line.start
    let start = area.width * place / line.capacity
    return PixelRectangle(
      x: area.x + start, y: area.y + line.top - lines[columnLines[column].lowerBound].top - scroll,
      width: area.width * (place + 1) / line.capacity - start, height: lines[number + 1].top - line.top)
  }

  /// Returns the index of the row at a location of a column, or of the nearest row of the same line; the end of the
  /// column's rows below them.
  func row(nearX x: Int, y: Int, column: Int, scroll: Int) -> Int {
    let number = firstLine(ofColumn: column, endingAfter: y - listContent.y + scroll)
    guard number < columnLines[column].upperBound else { return columns[column].upperBound }
    let (line, area) = (lines[number], self.column(column))
    let place = max(0, min(line.capacity - 1, (x - area.x) * line.capacity / max(1, area.width)))
    return min(line.start + place, lines[number + 1].start - 1)
  }

  /// Returns the index of the row at a location or above it in the same column, for a drop; `nil` outside of the list.
  package func row(forDropAtX x: Int, y: Int, scroll: Int) -> Int? {
    guard listContent.contains(x: x, y: y) else { return nil }
    let column = column(atX: x)
    return columns[column].isEmpty
      ? nil : min(row(nearX: x, y: y, column: column, scroll: scroll), columns[column].upperBound - 1)
  }

  /// Returns the index of the row below or above a row: of tiles, in the same column, or the row itself at the ends.
  func row(beside index: Int, step: Int) -> Int {
    let number = line(ofRow: index)
    let line = lines[number]
    guard line.capacity > 1 else { return index + step }
    guard columnLines[column(ofRow: index)].contains(number + step) else { return index }
    return min(lines[number + step].start + index - line.start, lines[number + step + 1].start - 1)
  }

  /// Returns whether two rows are side by side in a line.
  func areInOneLine(_ index: Int, _ other: Int) -> Bool {
    let line = line(ofRow: index)
    return (lines[line].start..<lines[line + 1].start).contains(other)
  }

  /// Returns the area of the picture of a row.
  func picture(of row: WindowRow, in frame: PixelRectangle) -> PixelRectangle {
    let (side, text) = (pixels(Double(row.pictureSide)), pixels(row.height) - pixels(Double(row.pictureSide)))
    var area = PixelRectangle(x: 0, y: 0, width: side, height: side)
    switch row.shape {
    case .line, .heading:
      (area.x, area.y) = (frame.x + pixels(14), frame.y + (frame.height - side) / 2)
      return area
    case .tile: area.y = frame.y + pixels(8)
    case .filling:
      area.width = max(0, min(frame.width - pixels(22), frame.height - text))
      area.height = area.width
      area.y = frame.y + pixels(8) + (frame.height - text - area.height) / 2
    }
    area.x = frame.x + (frame.width - area.width) / 2
    return area
  }

  /// Returns the distance from the left edge of a row to its text, in pixels.
  func textStart(_ row: WindowRow) -> Int { pixels(row.pictureSide == 0 ? 14 : Double(26 + row.pictureSide)) }

  /// Returns the area of a row's sign or cancel button, which is at the upper edge of a tile.
  package func accessory(of row: WindowRow, in frame: PixelRectangle) -> PixelRectangle {
    // The buttons of two low rows must not touch.
    let side = min(pixels(26), frame.height - pixels(4))
    let top = row.isPicture ? pixels(8) : (frame.height - side) / 2
    return PixelRectangle(x: frame.endX - pixels(12) - side, y: frame.y + top, width: side, height: side)
  }

  /// Returns the area of a row's star, beside the area of its sign.
  package func star(of row: WindowRow, in frame: PixelRectangle) -> PixelRectangle {
    var area = accessory(of: row, in: frame)
    area.x -= area.width + pixels(4)
    return area
  }

  /// Returns the area of the handle of a column's scroll bar; empty if all rows fit.
  package func scrollHandle(scroll: Int, column: Int = 0) -> PixelRectangle {
    let maximum = maximumScroll(ofColumn: column)
    guard maximum > 0 else { return .empty }
    let track = scrollTrack(ofColumn: column)
    let length = max(pixels(28), track.height * listContent.height / rowsHeight(ofColumn: column))
    return PixelRectangle(
      x: track.x, y: track.y + (track.height - length) * min(scroll, maximum) / maximum, width: track.width,
      height: length)
  }

  /// Returns the area in which the handle of a column's scroll bar moves, beside the cards of several columns.
  func scrollTrack(ofColumn column: Int = 0) -> PixelRectangle {
    let area = self.column(column)
    let (width, margin) = columns.count > 1 ? (pixels(4), pixels(1)) : (pixels(6), pixels(4))
    return PixelRectangle(x: area.endX - width - margin, y: area.y, width: width, height: area.height)
  }

  /// The area of the handle that changes the size of the window.
  var sizeHandle: PixelRectangle {
    let side = pixels(Self.margin)
    return PixelRectangle(x: bounds.endX - side, y: bounds.endY - side, width: side, height: side)
  }

  /// Returns the part of the window at a location; `nil` outside all parts.
  ///
  /// - Parameters:
  ///   - x: The horizontal position relative to the left edge of the window, in pixels.
  ///   - y: The vertical position relative to the upper edge of the window, in pixels.
  ///   - model: The content.
  ///   - scrolls: The scroll offset of each column, in pixels.
  /// - Returns: The part.
  package func target(x: Int, y: Int, model: WindowModel, scrolls: [Int]) -> WindowTarget? {
    if model.hasSizeHandle, sizeHandle.contains(x: x, y: y) { return .sizeHandle }
    if let index = buttons.firstIndex(where: { $0.contains(x: x, y: y) }) { return .button(index) }
    if dragAll.contains(x: x, y: y) { return .dragAll }
    if field.contains(x: x, y: y) { return .field }
    if let index = zones.firstIndex(where: { $0.contains(x: x, y: y) }) { return .zone(index) }
    guard listContent.contains(x: x, y: y) else { return nil }
    let column = column(atX: x)
    let end = self.column(column).endX - pixels(columns.count > 1 ? 6 : 14)
    if maximumScroll(ofColumn: column) > 0, x >= end { return .scrollBar(column) }
    let index = row(nearX: x, y: y, column: column, scroll: scrolls[column])
    guard columns[column].contains(index) else { return .list(column) }
    let (frame, row) = (row(index, scroll: scrolls[column]), model.rows[index])
    guard frame.contains(x: x, y: y) else { return .list(column) }
    if row.hasCross, accessory(of: row, in: frame).contains(x: x, y: y) { return .cancel(index) }
    if row.hasStar, star(of: row, in: frame).contains(x: x, y: y) { return .star(index) }
    return .row(index)
  }
}
