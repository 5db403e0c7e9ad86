// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

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
    return .row(index)
  }
}
