// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DropWindows

@Suite(.serialized, .limited, .timeLimit(.minutes(5)))
struct WindowStateTests {
  private func center(_ area: PixelRectangle) -> (x: Int, y: Int) {
    (area.x + area.width / 2, area.y + area.height / 2)
  }

  private func click(_ state: inout WindowState, _ area: PixelRectangle) -> [WindowAction] {
    let (x, y) = center(area)
    return state.handle(.pressed(x: x, y: y)) + state.handle(.released(x: x, y: y))
  }

  private func row(_ state: WindowState, _ index: Int) -> PixelRectangle {
    state.layout.row(index, scroll: state.scroll)
  }

  private func selection(_ state: WindowState) -> [Int] {
    state.model.rows.indices.filter { state.model.rows[$0].isSelected }
  }

  // MARK: Pointer

  @Test func aClickTogglesTheSelection() {
    var state = SampleContent.state(SampleContent.drag)
    #expect(click(&state, row(state, 1)) == [.changedSelection])
    #expect(click(&state, row(state, 3)) == [.changedSelection])
    #expect(selection(state) == [1, 3])
    #expect(click(&state, row(state, 1)) == [.changedSelection])
    #expect(selection(state) == [3])
  }

  @Test func twoClicksOrEnterOpenARowIfTheModelAllows() {
    var state = SampleContent.state(SampleContent.drag)
    let (x, y) = center(row(state, 2))
    let second: [WindowInput] = [.pressed(x: x, y: y), .released(x: x, y: y, isDouble: true)]
    #expect(second.flatMap { state.handle($0) } == [.changedSelection])
    state.model.rowsAreOpened = true
    #expect(second.flatMap { state.handle($0) } == [.openedRow(2)])
    #expect(state.handle(.key(.enter)) == [.openedRow(2)])
    #expect(state.handle(.key(.space)) == [.changedSelection])
  }

  @Test func aDragBeginsAfterFourPoints() {
    for scale in [1.0, 2.0] {
      var state = SampleContent.state(SampleContent.drag, width: 840, height: 1040, scale: scale)
      let (x, y) = center(row(state, 2))
      let distance = Int(4 * scale)
      #expect(state.handle(.pressed(x: x, y: y)) == [])
      #expect(state.handle(.moved(x: x + distance - 1, y: y, isButtonPressed: true)) == [])
      #expect(state.handle(.moved(x: x, y: y - distance, isButtonPressed: true)) == [.beganDrag(.rows([2]))])
      #expect(state.handle(.moved(x: x, y: y - 40, isButtonPressed: true)) == [])
      #expect(state.handle(.released(x: x, y: y)) == [])
      #expect(selection(state) == [])
    }
  }

  @Test func aDragOfASelectedRowTakesAllSelectedRows() {
    var state = SampleContent.state(SampleContent.drag)
    _ = click(&state, row(state, 3))
    _ = click(&state, row(state, 1))
    let (x, y) = center(row(state, 3))
    _ = state.handle(.pressed(x: x, y: y))
    #expect(state.handle(.moved(x: x + 9, y: y, isButtonPressed: true)) == [.beganDrag(.rows([1, 3]))])
    let (otherX, otherY) = center(row(state, 0))
    _ = state.handle(.pressed(x: otherX, y: otherY))
    #expect(state.handle(.moved(x: otherX + 9, y: otherY, isButtonPressed: true)) == [.beganDrag(.rows([0]))])
  }

  @Test func dragAllTakesAllItems() {
    var state = SampleContent.state(SampleContent.drag)
    let (x, y) = center(state.layout.dragAll)
    _ = state.handle(.pressed(x: x, y: y))
    #expect(state.handle(.moved(x: x, y: y + 20, isButtonPressed: true)) == [.beganDrag(.all)])
  }

  @Test func aMotionWithoutTheButtonBeginsNoDrag() {
    var state = SampleContent.state(SampleContent.drag)
    let (x, y) = center(row(state, 2))
    _ = state.handle(.pressed(x: x, y: y))
    #expect(state.handle(.moved(x: x + 30, y: y, isButtonPressed: false)) == [])
    #expect(state.handle(.moved(x: x + 60, y: y, isButtonPressed: true)) == [])
  }

  @Test func rowsOfADropWindowCannotBeDraggedOrSelected() {
    var state = SampleContent.state(SampleContent.drop, height: 700)
    let (x, y) = center(row(state, 0))
    _ = state.handle(.pressed(x: x, y: y))
    #expect(state.handle(.moved(x: x + 30, y: y, isButtonPressed: true)) == [])
    #expect(click(&state, row(state, 0)) == [])
    #expect(state.handle(.key(.character("a"), isControl: true)) == [])
    #expect(selection(state) == [])
  }

  @Test func theCancelButtonCancelsOnlyALoadingRow() {
    var state = SampleContent.state(SampleContent.drop, height: 700)
    #expect(click(&state, state.layout.accessory(inRow: row(state, 1))) == [.cancelledRow(1)])
    #expect(click(&state, state.layout.accessory(inRow: row(state, 3))) == [])
  }

  @Test func aReleaseElsewherePressesNothing() {
    var state = SampleContent.state(SampleContent.drop, height: 700)
    let (x, y) = center(state.layout.buttons[0])
    _ = state.handle(.pressed(x: x, y: y))
    #expect(state.handle(.released(x: 3, y: 3)) == [])
    #expect(click(&state, state.layout.buttons[1]) == [.pressedButton(1)])
  }

  @Test func aDisabledButtonCannotBePressed() {
    var model = SampleContent.drop
    model.buttons[0].isEnabled = false
    var state = SampleContent.state(model, height: 700)
    #expect(click(&state, state.layout.buttons[0]) == [])
    state.focused = nil
    #expect(state.handle(.key(.enter)) == [.pressedButton(1)])
  }

  @Test func aRowThatGoesWhileItIsPressedIsForgotten() {
    var state = SampleContent.state(SampleContent.drag)
    let (x, y) = center(row(state, 4))
    _ = state.handle(.pressed(x: x, y: y))
    state.model.rows.removeLast(3)
    #expect(state.pressed == nil)
    #expect(state.focused == nil)
    #expect(state.handle(.moved(x: x + 30, y: y, isButtonPressed: true)) == [])
  }

  // MARK: Keyboard

  @Test func tabVisitsEachPartInBothDirections() {
    var state = SampleContent.state(SampleContent.drag)
    var visited: [WindowTarget?] = []
    for _ in 0..<4 {
      #expect(state.handle(.key(.tab)) == [])
      visited.append(state.focused)
    }
    #expect(visited == [.dragAll, .row(0), .button(0), .dragAll])
    _ = state.handle(.key(.tab, isShifted: true))
    #expect(state.focused == .button(0))
    #expect(state.showsFocus)
  }

  @Test func keysSelectRowsAndPressButtons() {
    var state = SampleContent.state(SampleContent.drag)
    _ = state.handle(.key(.down))
    _ = state.handle(.key(.down))
    #expect(state.handle(.key(.space)) == [.changedSelection])
    #expect(selection(state) == [1])
    #expect(state.handle(.key(.character("a"))) == [])
    #expect(state.handle(.key(.character("a"), isControl: true)) == [.changedSelection])
    #expect(selection(state) == [0, 1, 2, 3, 4])
    #expect(state.handle(.key(.character("a"), isControl: true)) == [])
    _ = state.handle(.key(.tab))
    #expect(state.handle(.key(.enter)) == [.pressedButton(0)])
    #expect(state.handle(.key(.escape)) == [.closed])
  }

  @Test func deleteCancelsALoadingRow() {
    var state = SampleContent.state(SampleContent.drop, height: 700)
    _ = state.handle(.key(.down))
    #expect(state.handle(.key(.delete)) == [])
    _ = state.handle(.key(.down))
    #expect(state.handle(.key(.delete)) == [.cancelledRow(1)])
  }

  @Test func arrowsMoveBetweenButtons() {
    var state = SampleContent.state(SampleContent.drop, height: 700)
    _ = state.handle(.key(.tab, isShifted: true))
    #expect(state.focused == .button(1))
    _ = state.handle(.key(.left))
    #expect(state.focused == .button(0))
    _ = state.handle(.key(.left))
    #expect(state.focused == .button(0))
  }

  @Test func symbolsOfKeysAreCharacters() {
    #expect(WindowKey(symbol: 0x41) == .character("A"))
    #expect(WindowKey(symbol: 0xE9) == .character("é"))
    #expect(WindowKey(symbol: 0x0100_5B6B) == .character("孫"))
    // No symbol, a modifier, a surrogate, a character without a shape, and a number beyond Unicode.
    for symbol in [0, 0xFFE1, 0x0100_D800, 0x0100_202E, 0x0111_0000] as [UInt32] {
      #expect(WindowKey(symbol: symbol) == nil)
    }
  }

  @Test func anEmptyWindowAcceptsEachInput() {
    var state = SampleContent.state(WindowModel(title: ""), width: 1, height: 1)
    let keys: [WindowKey] = [
      .tab, .up, .down, .left, .right, .home, .end, .pageUp, .pageDown, .space, .enter, .delete, .character("a"),
    ]
    for key in keys {
      #expect(state.handle(.key(key, isControl: true)) == [])
    }
    #expect(state.handle(.scrolled(5)) == [])
    #expect(state.handle(.pressed(x: 0, y: 0)) + state.handle(.released(x: 0, y: 0)) == [])
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
    _ = state.handle(.key(.end))
    #expect(state.focused == .row(0))
    _ = state.handle(.key(.end))
    #expect(state.focused == .row(9999))
    #expect(state.scroll == state.layout.maximumScroll)
    #expect(state.scene().commands.count < 80)
    #expect(state.layout.visibleRows(scroll: state.scroll).last == 9999)
  }

  @Test func theWheelScrollsWithinTheList() {
    var state = longState()
    #expect(state.handle(.scrolled(-1)) == [])
    #expect(state.handle(.scrolled(2)) == [.scrolled])
    #expect(state.scroll == 2 * state.layout.scrollStep)
    let content = state.layout.listContent
    #expect(state.target(x: content.x + 80, y: content.y + 3) == .row(2))
    #expect(state.handle(.scrolled(1_000_000)) == [.scrolled])
    #expect(state.scroll == state.layout.maximumScroll)
    state.model.rows.removeLast(9_999)
    #expect(state.scroll == 0)
  }

  @Test func theHandleOfTheScrollBarFollowsThePointer() {
    var state = longState()
    let (x, y) = center(state.layout.scrollHandle(scroll: 0))
    _ = state.handle(.pressed(x: x, y: y))
    #expect(state.handle(.moved(x: x, y: y + 10_000, isButtonPressed: true)) == [.scrolled])
    #expect(state.scroll == state.layout.maximumScroll)
    #expect(state.handle(.moved(x: x, y: y, isButtonPressed: true)) == [.scrolled])
    #expect(state.scroll == 0)
    _ = state.handle(.released(x: x, y: y))
    let lower = state.layout.scrollTrack.endY - 1
    #expect(state.handle(.pressed(x: x, y: lower)) == [.scrolled])
    #expect(state.scroll > 0)
  }

  @Test func pageKeysKeepTheFocusVisible() {
    var state = longState()
    for _ in 0..<50 { _ = state.handle(.key(.pageDown)) }
    guard case .row(let index) = state.focused else {
      Issue.record("no row has the focus")
      return
    }
    let frame = row(state, index)
    #expect(frame.intersection(state.layout.listContent).height == frame.height)
  }
}
