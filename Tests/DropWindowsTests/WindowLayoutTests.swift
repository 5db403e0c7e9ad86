// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DropWindows

@Suite(.serialized, .limited, .timeLimit(.minutes(5)))
struct WindowLayoutTests {
  @Test(arguments: [SampleContent.drag, SampleContent.drop])
  func partsAreInsideAndDoNotOverlap(model: WindowModel) {
    for scale in [1.0, 1.25, 1.5, 2, 3] {
      let height = Int(WindowLayout.preferredHeight(model) * scale)
      let layout = SampleContent.state(model, width: Int(420 * scale), height: height, scale: scale).layout
      let parts =
        ([layout.title, layout.hint, layout.dragAll, layout.list, layout.status] + layout.zones + layout.buttons)
        .filter { !$0.isEmpty }
      for (index, part) in parts.enumerated() {
        #expect(part.intersection(layout.bounds) == part)
        for other in parts[..<index] { #expect(!part.intersects(other), "\(part) and \(other) at \(scale)") }
      }
    }
  }

  @Test func thePreferredHeightShowsAllRowsUpToEight() {
    for count in 1...8 {
      var model = SampleContent.drag
      model.rows = Array(repeating: WindowRow(name: "a"), count: count)
      let height = Int(WindowLayout.preferredHeight(model).rounded(.up))
      #expect(SampleContent.state(model, height: height).layout.maximumScroll == 0)
    }
  }

  @Test func eachPartIsFoundAtItsCentre() {
    let state = SampleContent.state(SampleContent.drop, height: 700)
    func target(_ area: PixelRectangle) -> WindowTarget? {
      state.target(x: area.x + area.width / 2, y: area.y + area.height / 2)
    }
    #expect(target(state.layout.zones[0]) == .zone(0))
    #expect(target(state.layout.zones[1]) == .zone(1))
    #expect(target(state.layout.buttons[1]) == .button(1))
    #expect(target(state.layout.row(2, scroll: 0)) == .row(2))
    #expect(target(state.layout.accessory(inRow: state.layout.row(2, scroll: 0))) == .cancel(2))
    #expect(target(state.layout.title) == nil)
    #expect(state.target(x: -1, y: -1) == nil)
    #expect(state.target(x: state.layout.listContent.x + 5, y: state.layout.listContent.endY - 1) == .list)
  }

  @Test func zonesShareTheWindowWithoutRows() {
    for count in 1...9 {
      let model = WindowModel(title: "Drop", zones: Array(repeating: DropZone(name: "a"), count: count))
      let layout = SampleContent.state(model).layout
      #expect(layout.list.isEmpty)
      #expect(layout.zones.count == count)
      #expect(layout.zones.allSatisfy { $0.width > 100 && $0.height > 80 })
    }
  }

  @Test func smallWindowsHaveNoNegativeParts() {
    for side in 0..<200 {
      let state = SampleContent.state(SampleContent.drop, width: side, height: side)
      #expect(state.layout.list.width >= 0 && state.layout.list.height >= 0)
      _ = SampleContent.picture(state)
    }
  }

  // MARK: Changed areas

  @Test func equalScenesHaveNoDamage() {
    let state = SampleContent.state(SampleContent.drag)
    #expect(state.scene().damage(since: state.scene()).isEmpty)
  }

  @Test func aProgressDamagesOnlyItsRow() {
    var state = SampleContent.state(SampleContent.drop, height: 700)
    let former = state.scene()
    state.model.rows[1].state = .loading(0.5)
    let damage = state.scene().damage(since: former)
    #expect(!damage.isEmpty)
    #expect(damage.intersection(state.layout.row(1, scroll: 0)) == damage)
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
      let damage = new.damage(since: scene)
      new.draw(damage, on: &canvas, text: BuiltInFont())
      scene = new
      #expect(canvas == SampleContent.picture(state))
    }
  }

  @Test func onlyUnknownProgressIsAnimated() {
    var state = SampleContent.state(SampleContent.drop, height: 700)
    let former = state.scene()
    let isAnimated = state.advanceAnimation()
    #expect(isAnimated)
    #expect(!state.scene().damage(since: former).isEmpty)
    state.model.rows[2].state = .done
    let isStillAnimated = state.advanceAnimation()
    #expect(!isStillAnimated)
  }

  @Test func progressIsAPercentageForEachNumber() {
    #expect(SceneBuilder.percentage(0.459) == "45 %")
    #expect(SceneBuilder.percentage(-3) == "0 %")
    #expect(SceneBuilder.percentage(1e300) == "100 %")
    #expect(SceneBuilder.percentage(.nan) == "")
    var state = SampleContent.state(SampleContent.drop, height: 700)
    for fraction in [Double.nan, .infinity, -1, 7] {
      state.model.rows[0].state = .loading(fraction)
      _ = SampleContent.picture(state)
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
      #expect(layout.maximumScroll == max(0, Int(466 * scale) - layout.listContent.height))
      for (index, row) in rows.enumerated() where row.endY <= layout.listContent.endY {
        for y in [row.y, row.endY - 1] {
          #expect(layout.target(x: row.x + 9, y: y, model: model, scroll: 0) == .row(index))
        }
      }
      // The first row ends one pixel above the visible part.
      #expect(layout.visibleRows(scroll: rows[0].height).lowerBound == 1)
      #expect(layout.visibleRows(scroll: rows[0].height - 1).lowerBound == 0)
    }
  }

  @Test func zonesAboveAListHaveRoomForTheirNames() {
    for count in 1...8 {
      let model = WindowModel(
        title: "Drop", zones: (0..<count).map { DropZone(name: "\($0)") }, rows: [WindowRow(name: "a")], status: "1")
      let height = Int(WindowLayout.preferredHeight(model).rounded(.up))
      let layout = SampleContent.state(model, height: height).layout
      #expect(layout.zones.allSatisfy { $0.height >= 44 }, "\(count)")
      #expect(layout.listContent.height >= layout.scrollStep, "\(count)")
    }
  }
}
