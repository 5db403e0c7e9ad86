// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DropWindows

@Suite(.serialized, .limited, .timeLimit(minutes: 5))
struct WindowLayoutTests {
  @Test(arguments: [1, 1.25, 1.5, 1.75, 2, 2.5]) func thePreferredHeightNeedsNoScrollBar(scale: Double) {
    for count in 1...8 {
      var model = SampleContent.drag
      model.rows = Array(repeating: WindowRow(name: "Penelope"), count: count)
      for dragAllTitle in [nil, "All"] {
        model.dragAllTitle = dragAllTitle
        // Wayland knows only whole points.
        let points = WindowLayout.preferredHeight(model).rounded()
        let state = SampleContent.state(
          model, width: Int(420 * scale), height: Int((points * scale).rounded()), scale: scale)
        #expect(state.layout.maximumScroll() == 0, "\(count)")
      }
    }
  }

  @Test(arguments: [SampleContent.drag, SampleContent.drop])
  func partsAreInsideAndDoNotOverlap(model: WindowModel) {
    for scale in [1.0, 1.25, 1.5, 2, 3] {
      let height = Int(WindowLayout.preferredHeight(model) * scale)
      let layout = SampleContent.state(model, width: Int(420 * scale), height: height, scale: scale).layout
      let parts =
        ([layout.title, layout.hint, layout.dragAll, layout.list, layout.status] + layout.zones + layout.buttons)
        .filter { !$0.isEmpty }
      for (index, part) in parts.enumerated() {
        let others = parts[..<index].filter { part.intersects($0) }
        #expect(part.intersection(layout.bounds) == part && others.isEmpty, "\(part) and \(others) at \(scale)")
      }
    }
  }

  @Test func aWindowOfPicturesHasNoTextBesideItsButtons() {
    var model = SampleContent.drag
    model.showsOnlyPictures = true
    let height = Int(WindowLayout.preferredHeight(model))
    let state = SampleContent.state(model, width: 128, height: height)
    let texts = state.scene().commands.compactMap { command in
      if case .text(let text, _, _, _) = command.shape { text } else { nil }
    }
    #expect(texts == model.buttons.map(\.title) && state.layout.title.isEmpty)
    #expect(state.layout.maximumScroll() == 0 && height < Int(WindowLayout.preferredHeight(SampleContent.drag)))
  }

  @Test func thePreferredHeightShowsAllRowsUpToEightAndTheNamesOfZones() {
    for count in 1...8 {
      var model = SampleContent.drag
      model.rows = Array(repeating: WindowRow(name: "a"), count: count)
      func layout() -> WindowLayout {
        SampleContent.state(model, height: Int(WindowLayout.preferredHeight(model).rounded(.up))).layout
      }
      #expect(layout().maximumScroll() == 0)
      model = WindowModel(
        title: "Drop", zones: (0..<count).map { DropZone(name: "\($0)") }, rows: [WindowRow(name: "a")], status: "1")
      let hasRow = layout().listContent.height >= layout().scrollStep
      #expect(hasRow && layout().zones.allSatisfy { $0.height >= 44 }, "\(count)")
    }
  }

  @Test func zonesShareTheWindowWithoutRows() {
    for count in 1...9 {
      let model = WindowModel(title: "Drop", zones: Array(repeating: DropZone(name: "a"), count: count))
      let layout = SampleContent.state(model).layout
      #expect(layout.list.isEmpty && layout.zones.count == count)
      #expect(layout.zones.allSatisfy { $0.width > 100 && $0.height > 80 })
    }
  }

  @Test func eachPartIsFoundAtItsCentre() {
    let state = SampleContent.state(SampleContent.drop, height: 700)
    let layout = state.layout
    for (area, target) in [
      (layout.zones[0], .zone(0)), (layout.zones[1], .zone(1)), (layout.buttons[1], .button(1)),
      (layout.row(2, scroll: 0), .row(2)),
      (layout.accessory(of: state.model.rows[2], in: layout.row(2, scroll: 0)), .cancel(2)),
      (layout.title, nil), (PixelRectangle(x: -1, y: -1, width: 1, height: 1), nil),
      (PixelRectangle(x: layout.listContent.x + 5, y: layout.listContent.endY - 1, width: 1, height: 1), .list(0)),
    ] as [(PixelRectangle, WindowTarget?)] {
      #expect(state.target(x: area.x + area.width / 2, y: area.y + area.height / 2) == target, "\(area)")
    }
  }

  @Test func smallWindowsHaveNoNegativeParts() {
    for side in 0..<200 {
      for model in [SampleContent.drop, WindowModel(title: "Empty")] {
        let state = SampleContent.state(model, width: side, height: side)
        if state.layout.list.width < 0 || state.layout.list.height < 0 { Issue.record("\(side): \(state.layout.list)") }
        _ = SampleContent.picture(state)
      }
    }
  }

  @Test func rowsAreAsHighAsTheirPictures() {
    let sides = [0, 32, 56, 0, 256]
    let model = WindowModel(
      title: "Heroes", rows: sides.map { WindowRow(name: "a", pictureSide: $0) }, rowsAreDraggable: true)
    for scale in [1.0, 2.0] {
      let layout = SampleContent.state(model, width: 840, height: 700, scale: scale).layout
      let rows = sides.indices.map { layout.row($0, scroll: 0) }
      #expect(rows.map(\.height) == [28, 54, 78, 28, 278].map { Int($0 * scale) })
      #expect(zip(rows, rows.dropFirst()).allSatisfy { $0.endY == $1.y })
      #expect(layout.maximumScroll() == max(0, Int(466 * scale) - layout.listContent.height))
      for (index, row) in rows.enumerated() where row.endY <= layout.listContent.endY {
        let targets = [row.y, row.endY - 1].map { layout.target(x: row.x + 9, y: $0, model: model, scrolls: [0]) }
        #expect(targets == [.row(index), .row(index)])
      }
      // The first row ends one pixel above the visible part.
      #expect([1, 0].map { layout.visibleRows(scroll: rows[0].height - $0).lowerBound } == [0, 1])
    }
  }

  // MARK: Changed areas

  @Test func onlyChangesAreDamage() {
    var state = SampleContent.state(SampleContent.drop, height: 700)
    let former = state.scene()
    #expect(state.scene().damage(since: former).isEmpty)
    state.model.rows[1].state = .loading(0.5)
    let damage = state.scene().damage(since: former)
    #expect(!damage.isEmpty && damage.intersection(state.layout.row(1, scroll: 0)) == damage)
  }

  @Test func drawingTheDamageGivesTheSamePictureAsDrawingAll() {
    var state = SampleContent.state(SampleContent.drop, height: 700)
    var canvas = SampleContent.picture(state)
    var scene = state.scene()
    var generator = SeededGenerator.announced("damage of windows")
    for _ in 0..<60 {
      let (x, y) = (Int.random(in: 0..<420, using: &generator), Int.random(in: 0..<700, using: &generator))
      switch Int.random(in: 0..<6, using: &generator) {
      case 0: _ = state.handle(.moved(x: x, y: y, isButtonPressed: false))
      case 1: _ = state.handle(.pressed(x: x, y: y))
      case 2: _ = state.handle(.released(x: x, y: y))
      case 3: _ = state.handle(.key(.tab))
      case 4: state.model.rows[x % 5].state = [.idle, .loading(nil), .loading(0.7), .done, .failed("x")][y % 5]
      default: state.model.zones[0].isTargeted.toggle()
      }
      let new = state.scene()
      new.draw(new.damage(since: scene), on: &canvas, text: BuiltInFont())
      scene = new
      let isEqual = canvas == SampleContent.picture(state)
      #expect(isEqual)
    }
  }

  @Test func onlyUnknownProgressIsAnimated() {
    var state = SampleContent.state(SampleContent.drop, height: 700)
    let former = state.scene()
    #expect(state.advanceAnimation() == true && !state.scene().damage(since: former).isEmpty)
    state.model.rows[2].state = .done
    #expect(state.advanceAnimation() == false)
  }

  @Test func progressIsAPercentageForEachNumber() {
    #expect([0.459, -3, 1e300, .nan].map { SceneBuilder.percentage($0) } == ["45 %", "0 %", "100 %", ""])
    var state = SampleContent.state(SampleContent.drop, height: 700)
    for fraction in [Double.nan, .infinity, -1, 7] {
      state.model.rows[0].state = .loading(fraction)
      _ = SampleContent.picture(state)
    }
  }

  // MARK: Columns

  /// A window with three columns of 3, 0 and 40 rows.
  private func columns(width: Int = 800) -> WindowState {
    var model = WindowModel(title: "", rows: (0..<43).map { WindowRow(name: "\($0)", pictureSide: 0) })
    model.rowsAreDraggable = true
    model.columnStarts = [0, 3, 3]
    return SampleContent.state(model, width: width, height: 400)
  }

  @Test func columnsDivideTheWidth() {
    let state = columns()
    let layout = state.layout
    let (first, last) = (layout.row(0, scroll: 0), layout.row(3, scroll: 0))
    #expect(layout.columns == [0..<3, 3..<3, 3..<43] && first.y == last.y && last.x > first.endX + first.width)
    let places = [(last.x, last.y + 5), (first.x, first.y + 4 * first.height)]
    #expect(places.map { state.target(x: $0 + 5, y: $1) } == [.row(3), .list(0)])
    // The scroll bar is in the margin of the last column.
    let (column, track) = (layout.column(2), layout.scrollTrack(ofColumn: 2))
    #expect(track.endX < column.endX && track.x >= column.endX - 6 && layout.column(atX: column.x + 1) == 2)
  }

  @Test(arguments: [(3 * 130 + 31, 1), (3 * 130 + 32, 3)])
  func narrowWindowHasOneColumn(width: Int, count: Int) {
    #expect(columns(width: width).layout.columns.count == count)
  }

  @Test(arguments: [[1, 2], [0, 5, 3], [0, 44], [3], [0, -1]])
  func startsThatDoNotDivideTheRowsAreIgnored(starts: [Int]) {
    var state = columns()
    state.model.columnStarts = starts
    #expect(state.layout.columns == [0..<43])
  }

  @Test func listWithoutHeightHasTheWidthOfItsColumns() {
    func column(height: Int) -> PixelRectangle {
      var model = WindowModel(title: "", rows: [WindowRow(name: "type here", pictureSide: 0)])
      model.buttons = [WindowButton("Close")]
      model.field = WindowField(label: "", text: "")
      return SampleContent.state(model, width: 460, height: height).layout.column(0)
    }
    let (flat, tall) = (column(height: 120), column(height: 520))
    #expect(flat.height <= 0 && tall.height > 0 && abs(flat.width - tall.width) <= 10)
  }

  @Test func theWheelScrollsTheColumnUnderThePointer() {
    var state = columns()
    let height = 40 * state.layout.row(0, scroll: 0).height
    #expect((0...2).map(state.layout.maximumScroll) == [0, 0, height - state.layout.listContent.height])
    for column in [0, 2] {
      let x = state.layout.column(column).x + 9
      #expect(state.handle(.scrolled(1000, x: x)) == (column == 0 ? [] : [.scrolled]))
    }
    #expect(state.visibleRows.first == 0 && state.visibleRows.last == 42 && !state.visibleRows.contains(3))
  }

  @Test func columnWithNewContentScrollsToItsStart() {
    var state = columns()
    let x = state.layout.column(2).x + 9
    _ = state.handle(.scrolled(9, x: x))
    let scroll = state.scrolls[2]
    // Rows before the first one, or without it, leave the visible part as it is.
    state.model.rows.insert(WindowRow(name: "new", pictureSide: 0), at: 3)
    state.model.rows.remove(at: 3)
    state.model.rows.remove(at: 3)
    #expect(scroll > 0 && state.scrolls == [0, 0, scroll])
    state.model.rows[3].name = "another"
    #expect(state.scrolls == [0, 0, 0])
  }

  // MARK: Tiles

  /// A list with a heading, 7 tiles of 56 points and a row, whose window has room for three tiles side by side.
  private func tiles() -> WindowState {
    var rows = (0..<9).map { WindowRow(name: "\($0)", pictureSide: 56) }
    for index in 1...7 { rows[index].shape = .tile }
    rows[0].shape = .heading
    return SampleContent.state(WindowModel(title: "", rows: rows), width: 34 + 3 * 88 + 87, height: 600)
  }

  @Test func tilesShareALineAndARowBelowHasItsOwn() {
    let state = tiles()
    let frames = (0...8).map(state.frame)
    #expect([1, 2, 3, 5].map { frames[$0].y == frames[1].y } == [true, true, true, false])
    #expect(frames[2].x == frames[1].endX && frames[7].x == frames[1].x && frames[7].y == frames[5].endY)
    #expect(frames[8].y == frames[7].endY && frames[8].width == state.layout.listContent.width)
    for index in 1...8 { #expect(state.target(x: frames[index].x + 9, y: frames[index].y + 9) == .row(index)) }
    // The last line has empty places.
    #expect(state.target(x: frames[6].x + 9, y: frames[7].y + 9) == .list(0))
  }

  @Test func keysMoveTheFocusThroughTiles() {
    var state = tiles()
    let keys: [WindowKey] = [.tab, .down, .down, .right, .down, .left, .up, .up, .up]
    let focused = keys.map { key in
      _ = state.type(key)
      return state.focused
    }
    #expect(focused == [0, 1, 4, 5, 7, 7, 4, 1, 0].map { .row($0) })
  }

  @Test func keysLeaveALineOfTilesForTheNextColumn() {
    var rows = (0..<3).map { WindowRow(name: "\($0)", pictureSide: 56) }
    for index in 0...1 { rows[index].shape = .tile }
    var model = WindowModel(title: "", rows: rows)
    model.columnStarts = [0, 2]
    var state = SampleContent.state(model, width: 800, height: 400)
    let focused = [.tab, .right, .right, .left, .left].map { (key: WindowKey) in
      _ = state.type(key)
      return state.focused
    }
    #expect(focused == [0, 1, 2, 0, 0].map { .row($0) })
  }

  @Test func tilesOfDifferentSizesHaveRoomAndASingleOneIsInTheMiddle() {
    var state = tiles()
    state.model.rows[5].pictureSide = 120
    #expect((1...7).allSatisfy { state.frame(ofRow: $0).width >= 152 })
    state.model.rows.removeSubrange(2...7)
    let (frame, content) = (state.frame(ofRow: 1), state.layout.listContent)
    #expect(frame.width == content.width)
    #expect(state.layout.picture(of: state.model.rows[1], in: frame).x == content.x + (content.width - 56) / 2)
  }

  @Test func dropIsInsertedBesideTheNearerEdgeOfATile() {
    let state = tiles()
    let frame = state.frame(ofRow: 2)
    #expect([frame.x + 1, frame.endX - 1].map { state.insertion(forDropAtX: $0, y: frame.y + 50)?.index } == [2, 3])
  }

  @Test func pictureFillsThePartOfTheWindowThatOtherRowsLeave() {
    var rows = [WindowRow(name: "title"), WindowRow(name: "Circe", pictureSide: 64), WindowRow(name: "end")]
    rows[1].shape = .filling
    let states = [(300, 500), (900, 500), (900, 120)].map { width, height in
      SampleContent.state(WindowModel(title: "", rows: rows), width: width, height: height)
    }
    #expect(states[0].fillingSide == states[0].layout.listContent.width - 22)
    let content = states[1].layout.listContent
    #expect(states[1].layout.maximumScroll() == 0 && states[1].frame(ofRow: 2).endY == content.endY)
    #expect(states[1].fillingSide == states[1].frame(ofRow: 1).height - 38)
    // A window without room for it scrolls.
    #expect(states[2].fillingSide == 64 && states[2].layout.maximumScroll() > 0)
    rows[2] = rows[1]
    #expect(SampleContent.state(WindowModel(title: "", rows: rows), width: 900, height: 500).layout.fillingRow == 1)
  }

  @Test func dropIsInsertedAtTheNearerEdgeOfARowAndBelowHeadings() {
    var state = columns()
    let (row, content) = (state.layout.row(0, scroll: 0), state.layout.listContent)
    let places = [row.y + 1, row.endY - 1, content.endY - 5].map {
      state.insertion(forDropAtX: row.x + 5, y: $0)?.index
    }
    #expect(places == [0, 1, 3])
    #expect(state.insertion(forDropAtX: row.x + 5, y: content.y - 1) == nil)
    state.model.rows[0].shape = .heading
    #expect(state.insertion(forDropAtX: row.x + 5, y: row.y + 1)?.index == 1)
  }

  @Test func dropBelowTheRowsIsInTheirColumn() {
    let layout = columns().layout
    let (row, content) = (layout.row(0, scroll: 0), layout.listContent)
    // An empty column has no row, and neither has the area outside.
    for (x, y, index) in [
      (row.x + 5, content.endY - 5, 2), (row.x + 5, row.y, 0), (row.endX + row.width / 2, row.y, nil),
      (row.x + 5, content.y - 1, nil),
    ] {
      #expect(layout.row(forDropAtX: x, y: y, scroll: 0) == index)
    }
  }

  @Test func hoverLeavesTheTextOfACardUnchanged() {
    var state = columns()
    let before = state.scene().commands.filter(\.isText)
    let row = state.layout.row(1, scroll: 0)
    _ = state.handle(.moved(x: row.x + 20, y: row.y + 10, isButtonPressed: false))
    #expect(state.hovered == .row(1) && state.scene().commands.filter(\.isText) == before)
  }

  @Test func emptyListShowsItsPlaceholderAndATrayForDrops() {
    var model = WindowModel(title: "")
    func commands() -> [DrawingCommand] { SampleContent.state(model, width: 400, height: 400).scene().commands }
    model.placeholder = "drop here"
    let before = commands()
    model.acceptsDrops = true
    #expect(commands().count == before.count + 1)
    model.rows = [WindowRow(name: "Anansi")]
    #expect([before, commands()].map { $0.filter(\.isText).count } == [1, 1])
  }

  @Test func arrowsMoveBetweenColumns() {
    var state = columns()
    func type(_ keys: WindowKey...) -> WindowTarget? {
      for key in keys { _ = state.handle(.key(key)) }
      return state.focused
    }
    // The second column is empty.
    #expect(type(.down, .down, .down, .right) == .row(2))
    state.model.columnStarts = [0, 3, 13]
    let focused = [type(.right), type(.right), type(.left, .left, .left)]
    #expect(focused == [.row(5), .row(15), .row(2)])
  }
}

extension DrawingCommand {
  fileprivate var isText: Bool {
    if case .text = shape { true } else { false }
  }
}
