// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DropWindows

/// The field in which a user types, and the buttons in rows.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct WindowFieldTests {
  private static func state(_ text: String = "") -> WindowState {
    var model = WindowModel(title: "", rows: [WindowRow(name: "Circe")])
    model.field = WindowField(label: "name", text: text)
    return SampleContent.state(model, width: 400, height: 300)
  }

  private func type(_ keys: [WindowKey], in state: inout WindowState) -> [WindowAction] {
    keys.flatMap { state.handle(.key($0)) }
  }

  @Test func charactersGoToTheFieldFromEverywhere() {
    var state = Self.state()
    _ = state.handle(.key(.down))
    #expect(state.focused == .row(0))
    let actions = type([.character("O"), .space, .character("孫"), .enter], in: &state)
    #expect(actions == [.submittedField("O 孫")])
    #expect(state.focused == .field)
  }

  @Test func keysEditTheText() {
    var state = Self.state("Circe")
    _ = state.handle(.pressed(x: state.layout.field.x + 5, y: state.layout.field.y + 5))
    #expect(
      type([.home, .delete, .character("K"), .right, .end, .left, .backspace, .enter], in: &state) == [
        .submittedField("Kire")
      ])
    // The ends of the text stop the caret and removals.
    #expect(type([.home, .left, .backspace, .end, .right, .delete, .enter], in: &state) == [.submittedField("Kire")])
  }

  @Test func controlKeysAndRowsKeepTheirMeaning() {
    var state = Self.state()
    state.model.rowsAreDraggable = true
    #expect(state.handle(.key(.character("a"), isControl: true)) == [.changedSelection])
    #expect(state.model.field?.text == [])
    // Escape leaves the field, and then closes the window.
    _ = state.handle(.key(.character("x")))
    #expect(state.handle(.key(.escape)) == [])
    #expect(state.handle(.key(.escape)) == [.closed])
  }

  @Test func lengthIsLimited() {
    var state = Self.state(String(repeating: "a", count: WindowField.maximumLength - 1))
    _ = type([.character("b"), .character("c")], in: &state)
    #expect(state.model.field?.text.count == WindowField.maximumLength)
    #expect(state.model.field?.text.last == "b")
  }

  @Test func longTextIsMovedUntilTheCaretIsVisible() throws {
    var state = Self.state(String(repeating: "Polyphemus ", count: 20))
    _ = type([.character("!")], in: &state)
    let area = state.layout.field
    let bar = try #require(
      state.scene().commands.last { $0.frame.width <= 2 && area.contains(x: $0.frame.x, y: $0.frame.y) })
    #expect(bar.frame.endX <= area.endX)
  }

  @Test func crossRemovesARow() throws {
    var state = Self.state()
    let row = state.layout.row(0, scroll: 0)
    let cross = state.layout.accessory(inRow: row)
    #expect(state.target(x: cross.x + 5, y: cross.y + 5) == .row(0))
    state.model.rows[0].isRemovable = true
    #expect(state.target(x: cross.x + 5, y: cross.y + 5) == .cancel(0))
    _ = state.handle(.pressed(x: cross.x + 5, y: cross.y + 5))
    #expect(state.handle(.released(x: cross.x + 5, y: cross.y + 5)) == [.cancelledRow(0)])
  }
}
