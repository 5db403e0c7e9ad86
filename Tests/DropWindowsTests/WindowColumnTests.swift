// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DropWindows

/// Columns of rows side by side.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct WindowColumnTests {
  /// A window with three columns of 3, 0 and 40 rows.
  private static func state(width: Int = 800) -> WindowState {
    var model = WindowModel(title: "", rows: (0..<43).map { WindowRow(name: "\($0)", pictureSide: 0) })
    model.rowsAreDraggable = true
    model.columnStarts = [0, 3, 3]
    return SampleContent.state(model, width: width, height: 400)
  }

  @Test func columnsDivideTheWidth() {
    let state = Self.state()
    let (first, last) = (state.layout.row(0, scroll: 0), state.layout.row(3, scroll: 0))
    #expect(state.layout.columns == [0..<3, 3..<3, 3..<43])
    #expect(first.y == last.y)
    #expect(last.x > first.endX + first.width)
    #expect(state.target(x: last.x + 5, y: last.y + 5) == .row(3))
    #expect(state.target(x: first.x + 5, y: first.y + 4 * first.height) == .list)
  }

  @Test func scrollBarIsBesideTheLastColumn() {
    let layout = Self.state().layout
    #expect(layout.scrollTrack.x - layout.column(2).endX >= 8)
    #expect(layout.column(atX: layout.column(2).x + 1) == 2)
  }

  @Test func listWithoutHeightHasTheWidthOfItsColumns() {
    func column(height: Int) -> PixelRectangle {
      var model = WindowModel(title: "", rows: [WindowRow(name: "type here", pictureSide: 0)])
      model.buttons = [WindowButton("Close")]
      model.field = WindowField(label: "", text: "")
      return SampleContent.state(model, width: 460, height: height).layout.column(0)
    }
    #expect(column(height: 120).height <= 0)
    #expect(column(height: 520).height > 0)
    #expect(abs(column(height: 120).width - column(height: 520).width) <= 10)
  }

  @Test func highestColumnDeterminesTheScrollRange() {
    var state = Self.state()
    let row = state.layout.row(0, scroll: 0)
    #expect(state.layout.maximumScroll == 40 * row.height - state.layout.listContent.height)
    _ = state.handle(.scrolled(1000))
    #expect(state.layout.visibleRows(scroll: state.scroll, column: 2).last == 42)
    #expect(state.layout.visibleRows(scroll: state.scroll, column: 0).isEmpty)
    #expect(state.layout.visibleRows(scroll: state.scroll, column: 1).isEmpty)
  }

  @Test func dropBelowTheRowsIsInTheirColumn() {
    let layout = Self.state().layout
    let (row, content) = (layout.row(0, scroll: 0), layout.listContent)
    #expect(layout.row(forDropAtX: row.x + 5, y: content.endY - 5, scroll: 0) == 2)
    #expect(layout.row(forDropAtX: row.x + 5, y: row.y, scroll: 0) == 0)
    // An empty column has no row, and neither has the area outside.
    #expect(layout.row(forDropAtX: row.endX + row.width / 2, y: row.y, scroll: 0) == nil)
    #expect(layout.row(forDropAtX: row.x + 5, y: content.y - 1, scroll: 0) == nil)
  }

  @Test func hoverLeavesTheTextOfACardUnchanged() {
    var state = Self.state()
    let before = state.scene().commands.filter(\.isText)
    let row = state.layout.row(1, scroll: 0)
    _ = state.handle(.moved(x: row.x + 20, y: row.y + 10, isButtonPressed: false))
    #expect(state.hovered == .row(1))
    #expect(state.scene().commands.filter(\.isText) == before)
  }

  @Test func emptyListShowsItsPlaceholderAndATrayForDrops() {
    var model = WindowModel(title: "")
    model.placeholder = "drop here"
    #expect(SampleContent.state(model, width: 400, height: 400).scene().commands.filter(\.isText).count == 1)
    let lines = SampleContent.state(model, width: 400, height: 400).scene().commands.count
    model.acceptsDrops = true
    #expect(SampleContent.state(model, width: 400, height: 400).scene().commands.count == lines + 1)
    model.rows = [WindowRow(name: "Anansi")]
    #expect(SampleContent.state(model, width: 400, height: 400).scene().commands.filter(\.isText).count == 1)
  }

  @Test func arrowsMoveBetweenColumns() {
    var state = Self.state()
    for key in [.down, .down, .down, .right] as [WindowKey] { _ = state.handle(.key(key)) }
    // The second column is empty.
    #expect(state.focused == .row(2))
    state.model.columnStarts = [0, 3, 13]
    _ = state.handle(.key(.right))
    #expect(state.focused == .row(5))
    _ = state.handle(.key(.right))
    #expect(state.focused == .row(15))
    for _ in 0..<3 { _ = state.handle(.key(.left)) }
    #expect(state.focused == .row(2))
  }

  @Test(arguments: [(3 * 130 + 31, 1), (3 * 130 + 32, 3)])
  func narrowWindowHasOneColumn(width: Int, count: Int) {
    #expect(Self.state(width: width).layout.columns.count == count)
  }

  @Test(arguments: [[1, 2], [0, 5, 3], [0, 44], [3], [0, -1]])
  func startsThatDoNotDivideTheRowsAreIgnored(starts: [Int]) {
    var state = Self.state()
    state.model.columnStarts = starts
    #expect(state.layout.columns == [0..<43])
  }
}

extension DrawingCommand {
  fileprivate var isText: Bool {
    if case .text = shape { true } else { false }
  }
}
