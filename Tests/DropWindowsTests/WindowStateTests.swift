// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DropWindows

@Suite(.serialized, .limited, .timeLimit(minutes: 5))
struct WindowStateTests {
  // MARK: Pointer

  @Test func aClickTogglesTheSelection() {
    var state = SampleContent.state(SampleContent.drag)
    for (index, selection) in [(1, [1]), (3, [1, 3]), (1, [3])] {
      #expect(state.click(state.row(index)) == [.changedSelection] && state.selection == selection)
    }
  }

  @Test func twoClicksOrEnterOpenARowIfTheModelAllows() {
    var state = SampleContent.state(SampleContent.drag)
    let (x, y) = state.row(2).center
    let second: [WindowInput] = [.pressed(x: x, y: y), .released(x: x, y: y, isDouble: true)]
    #expect(second.flatMap { state.handle($0) } == [.changedSelection])
    state.model.rowsAreOpened = true
    let opened = [second.flatMap { state.handle($0) }, state.type(.enter, .space)]
    #expect(opened == [[.openedRow(2)], [.openedRow(2), .changedSelection]])
  }

  @Test func aDragBeginsAfterFourPoints() {
    for scale in [1.0, 2.0] {
      var state = SampleContent.state(SampleContent.drag, width: 840, height: 1040, scale: scale)
      let (row, distance) = (state.row(2), Int(4 * scale))
      let actions = [
        state.press(row), state.carry(from: row, dx: distance - 1), state.carry(from: row, dy: -distance),
        state.carry(from: row, dy: -40), state.release(row),
      ]
      #expect(actions == [[], [], [.beganDrag(.rows([2]))], [], []] && state.selection == [])
    }
  }

  @Test func aDragOfASelectedRowTakesAllSelectedRows() {
    var state = SampleContent.state(SampleContent.drag)
    for index in [3, 1] { _ = state.click(state.row(index)) }
    for (area, drag) in [
      (state.row(3), .rows([1, 3])), (state.row(0), .rows([0])), (state.layout.dragAll, .all),
    ] as [(PixelRectangle, DraggedItems)] {
      _ = state.press(area)
      #expect(state.carry(from: area, dx: 9) == [.beganDrag(drag)])
    }
  }

  @Test func dragsAndTheWheelEndTheHover() {
    var state = SampleContent.state(SampleContent.drag, height: 300)
    let (row, center) = (state.row(0), state.row(0).center)
    _ = state.press(row)
    #expect(state.hovered == .row(0))
    _ = state.carry(from: row, dx: 9)
    #expect(state.hovered == nil)
    for (steps, hovered) in [(1, nil), (-1, nil), (-1, .row(0))] as [(Int, WindowTarget?)] {
      _ = state.handle(.moved(x: center.x, y: center.y, isButtonPressed: false))
      _ = state.handle(.scrolled(steps))
      #expect(state.hovered == hovered)
    }
  }

  @Test func aMotionWithoutTheButtonBeginsNoDrag() {
    var state = SampleContent.state(SampleContent.drag)
    let (x, y) = state.row(2).center
    _ = state.press(state.row(2))
    let motion = state.handle(.moved(x: x + 30, y: y, isButtonPressed: false))
    #expect(motion + state.carry(from: state.row(2), dx: 60) == [])
  }

  @Test func rowsOfADropWindowCannotBeDraggedOrSelected() {
    var state = SampleContent.state(SampleContent.drop, height: 700)
    let row = state.row(0)
    _ = state.press(row)
    let actions =
      state.carry(from: row, dx: 30) + state.click(row) + state.handle(.key(.character("a"), isControl: true))
    #expect(actions == [] && state.selection == [])
  }

  @Test func aLoadingRowIsCancelledByItsButtonOrByDelete() {
    var state = SampleContent.state(SampleContent.drop, height: 700)
    var actions = [1, 3].map { state.click(state.cross($0)) }
    state.focused = nil
    actions += (0..<2).map { _ in state.type(.down, .delete) }
    #expect(actions == [[.cancelledRow(1)], [], [], [.cancelledRow(1)]])
  }

  @Test func aButtonIsPressedInsideItsAreaIfItIsEnabled() {
    var state = SampleContent.state(SampleContent.drop, height: 700)
    _ = state.press(state.layout.buttons[0])
    var actions = [state.handle(.released(x: 3, y: 3)), state.click(state.layout.buttons[1])]
    state.model.buttons[0].isEnabled = false
    actions.append(state.click(state.layout.buttons[0]))
    state.focused = nil
    actions.append(state.type(.enter))
    #expect(actions == [[], [.pressedButton(1)], [], [.pressedButton(1)]])
  }

  @Test func aRowThatGoesWhileItIsPressedIsForgotten() {
    var state = SampleContent.state(SampleContent.drag)
    let row = state.row(4)
    _ = state.press(row)
    state.model.rows.removeLast(3)
    #expect(state.pressed == nil && state.focused == nil && state.carry(from: row, dx: 30) == [])
  }

  @Test func aTooltipStaysOnlyWhileThePointerIsOnItsRow() {
    var state = SampleContent.state(SampleContent.drag)
    let (x, y) = state.row(1).center
    let path = "/" + String(repeating: "long folder/", count: 20)
    state.model.rows[1].tooltip = path
    func shown(after input: WindowInput) -> String {
      _ = state.handle(.moved(x: x, y: y, isButtonPressed: false))
      state.showTooltip()
      let commands = state.scene().commands
      #expect(commands.allSatisfy { $0.frame.intersection(state.layout.bounds) == $0.frame })
      _ = state.handle(input)
      return state.tooltip
    }
    #expect(shown(after: .moved(x: x + 1, y: y, isButtonPressed: false)) == path)
    for input in [
      .moved(x: 0, y: 0, isButtonPressed: false), .left, .pressed(x: x, y: y), .scrolled(1), .key(.tab),
    ] as [WindowInput] { #expect(shown(after: input) == "") }
  }

  @Test func aWaitingRowShowsItsReasonAndHasACross() {
    var state = SampleContent.state(SampleContent.drag)
    state.model.rows[1].state = .waiting("waiting for Files")
    let captions = state.scene().commands.compactMap { command in
      if case .text(let text, let style, _, _) = command.shape, style.kind == .sentence { text } else { nil }
    }
    #expect(captions.contains("waiting for Files"))
    #expect(state.click(state.cross(1)) == [.cancelledRow(1)])
  }

  // MARK: Keyboard

  @Test func tabVisitsEachPartInBothDirections() {
    var state = SampleContent.state(SampleContent.drag)
    let visited = (0..<4).map { _ in state.type(.tab).isEmpty ? state.focused : nil }
    #expect(visited == [.dragAll, .row(0), .button(0), .dragAll])
    _ = state.handle(.key(.tab, isShifted: true))
    #expect(state.focused == .button(0) && state.showsFocus)
  }

  @Test func keysSelectRowsAndPressButtons() {
    var state = SampleContent.state(SampleContent.drag)
    let selectAll = WindowInput.key(.character("a"), isControl: true)
    #expect(state.type(.down, .down, .space) == [.changedSelection] && state.selection == [1])
    let actions = [state.type(.character("a")), state.handle(selectAll), state.handle(selectAll)]
    #expect(actions == [[], [.changedSelection], []] && state.selection == [0, 1, 2, 3, 4])
    #expect(state.type(.tab, .enter, .escape) == [.pressedButton(0), .closed])
  }

  @Test func arrowsMoveBetweenButtons() {
    var state = SampleContent.state(SampleContent.drop, height: 700)
    _ = state.handle(.key(.tab, isShifted: true))
    var focused = [state.focused]
    for _ in 0..<2 {
      _ = state.type(.left)
      focused.append(state.focused)
    }
    #expect(focused == [.button(1), .button(0), .button(0)])
  }

  @Test func symbolsOfKeysAreCharacters() {
    // The last five are no symbol, a modifier, a surrogate, a character without a shape, and a number beyond Unicode.
    for (symbol, key) in [
      (0x41, .character("A")), (0xE9, .character("é")), (0x0100_5B6B, .character("孫")), (0, nil), (0xFFE1, nil),
      (0x0100_D800, nil), (0x0100_202E, nil), (0x0111_0000, nil),
    ] as [(UInt32, WindowKey?)] {
      #expect(WindowKey(symbol: symbol) == key, "\(symbol)")
    }
  }

  @Test func anEmptyWindowAcceptsEachInput() {
    var state = SampleContent.state(WindowModel(title: ""), width: 1, height: 1)
    let keys: [WindowKey] = [
      .tab, .up, .down, .left, .right, .home, .end, .pageUp, .pageDown, .space, .enter, .delete, .character("a"),
    ]
    let inputs = keys.map { WindowInput.key($0, isControl: true) }
    #expect((inputs + [.scrolled(5), .pressed(x: 0, y: 0), .released(x: 0, y: 0)]).flatMap { state.handle($0) } == [])
    #expect(state.scene().commands.count < 10)
  }

  // MARK: Long lists

  private func longState() -> WindowState {
    var model = SampleContent.drag
    model.rows = (0..<10_000).map { WindowRow(name: "file \($0)") }
    return SampleContent.state(model)
  }

  @Test func aLongListDrawsOnlyVisibleRows() {
    var state = longState()
    let focused = (0..<2).map { _ in
      _ = state.type(.end)
      return state.focused
    }
    #expect(focused == [.row(0), .row(9999)] && state.scrolls[0] == state.layout.maximumScroll())
    #expect(state.scene().commands.count < 80 && state.layout.visibleRows(scroll: state.scrolls[0]).last == 9999)
  }

  @Test func theWheelScrollsWithinTheList() {
    var state = longState()
    let actions = [state.handle(.scrolled(-1)), state.handle(.scrolled(2))]
    #expect(actions == [[], [.scrolled]] && state.scrolls[0] == 2 * state.layout.scrollStep)
    let content = state.layout.listContent
    #expect(state.target(x: content.x + 80, y: content.y + 3) == .row(2))
    #expect(state.handle(.scrolled(1_000_000)) == [.scrolled] && state.scrolls[0] == state.layout.maximumScroll())
    state.model.rows.removeLast(9_999)
    #expect(state.scrolls[0] == 0)
  }

  @Test func theHandleOfTheScrollBarFollowsThePointer() {
    var state = longState()
    let handle = state.layout.scrollHandle(scroll: 0)
    _ = state.press(handle)
    #expect(state.carry(from: handle, dy: 10_000) == [.scrolled] && state.scrolls[0] == state.layout.maximumScroll())
    #expect(state.carry(from: handle) == [.scrolled] && state.scrolls[0] == 0)
    _ = state.release(handle)
    let below = WindowInput.pressed(x: handle.center.x, y: state.layout.scrollTrack().endY - 1)
    #expect(state.handle(below) == [.scrolled] && state.scrolls[0] > 0)
  }

  @Test func pageKeysKeepTheFocusVisible() {
    var state = longState()
    for _ in 0..<50 { _ = state.type(.pageDown) }
    guard case .row(let index) = state.focused else {
      Issue.record("no row has the focus")
      return
    }
    #expect(state.row(index).intersection(state.layout.listContent).height == state.row(index).height)
  }

  @Test func theSizeHandleChangesTheSizeDownToTheMinimum() {
    var state = SampleContent.state(WindowModel(title: "", buttons: [WindowButton("Close")]), width: 400, height: 300)
    let handle = state.layout.sizeHandle
    #expect(state.target(x: handle.x + 2, y: handle.y + 2) == nil)
    state.model.hasSizeHandle = true
    _ = state.press(handle)
    #expect(state.carry(from: handle, dy: 40) == [.resized(width: 400, height: 340)])
    // The size is that of the press, wherever the handle is now.
    state.resize(width: 400, height: 340)
    #expect(state.carry(from: handle, dy: -1000) == [.resized(width: 400, height: 160)])
  }

  @Test func focusStaysOnItsRowAndAPressOnAReplacedRowIsForgotten() {
    var model = WindowModel(title: "", rows: ["Circe", "Medea"].map { WindowRow(name: $0) })
    for index in 0...1 { model.rows[index].isRemovable = true }
    var state = SampleContent.state(model, width: 400, height: 300)
    _ = state.type(.tab) + state.type(.down) + state.press(state.cross(1))
    let inserted = WindowRow(name: "Aeetes")
    state.model.rows.insert(inserted, at: 2)
    #expect(state.focused == .row(1) && state.pressed == .cancel(1))
    state.model.rows.insert(inserted, at: 0)
    #expect(state.focused == .row(2) && state.release(state.cross(1)) == [])
    state.model.rows.remove(at: 2)
    #expect(state.focused == .row(2))
  }

  @Test func textOfARowIsTheSameHoweverItIsDivided() {
    var divided = WindowRow(name: "Ask Circe ")
    divided.moreLines = ["for herbs", "today"]
    #expect(divided.text == WindowRow(name: "Ask Circe for herbs\ntoday").text)
    #expect(divided.text != WindowRow(name: "Ask Circe").text)
  }

  @Test func crossRemovesARow() {
    var state = SampleContent.state(WindowModel(title: "", rows: [WindowRow(name: "Circe")]), width: 400, height: 300)
    let cross = state.cross(0)
    let targets = [false, true].map { isRemovable in
      state.model.rows[0].isRemovable = isRemovable
      return state.target(x: cross.x + 5, y: cross.y + 5)
    }
    #expect(targets == [.row(0), .cancel(0)] && state.click(cross) == [.cancelledRow(0)])
  }
}

extension PixelRectangle {
  fileprivate var center: (x: Int, y: Int) { (x + width / 2, y + height / 2) }
}

extension WindowState {
  fileprivate var selection: [Int] { model.rows.indices.filter { model.rows[$0].isSelected } }

  fileprivate func row(_ index: Int) -> PixelRectangle { frame(ofRow: index) }

  /// The area of a row's cross.
  fileprivate func cross(_ index: Int) -> PixelRectangle { layout.accessory(of: model.rows[index], in: row(index)) }

  mutating func press(_ area: PixelRectangle) -> [WindowAction] {
    handle(.pressed(x: area.center.x, y: area.center.y))
  }

  fileprivate mutating func release(_ area: PixelRectangle) -> [WindowAction] {
    handle(.released(x: area.center.x, y: area.center.y))
  }

  fileprivate mutating func click(_ area: PixelRectangle) -> [WindowAction] { press(area) + release(area) }

  /// Moves the pointer with its button pressed.
  fileprivate mutating func carry(from area: PixelRectangle, dx: Int = 0, dy: Int = 0) -> [WindowAction] {
    handle(.moved(x: area.center.x + dx, y: area.center.y + dy, isButtonPressed: true))
  }

  mutating func type(_ keys: WindowKey...) -> [WindowAction] { keys.flatMap { handle(.key($0)) } }
}
