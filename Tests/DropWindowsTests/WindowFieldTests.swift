// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DropWindows

@Suite(.serialized, .limited, .timeLimit(minutes: 5))
struct WindowFieldTests {
  private func fieldState(_ text: String = "") -> WindowState {
    var model = WindowModel(title: "", rows: [WindowRow(name: "Circe")])
    model.field = WindowField(label: "name", text: text)
    return SampleContent.state(model, width: 400, height: 300)
  }

  @Test func charactersGoToTheFieldFromEverywhere() {
    var state = fieldState()
    _ = state.type(.down)
    let before = state.focused
    #expect(state.type(.character("O"), .space, .character("孫"), .enter) == [.submittedField("O 孫")])
    #expect([before, state.focused] == [.row(0), .field])
  }

  @Test func keysEditTheText() {
    var state = fieldState("Circe")
    _ = state.press(state.layout.field)
    #expect(
      state.type(.home, .delete, .character("K"), .right, .end, .left, .backspace, .enter)
        == [.submittedField("Kire")])
    // The ends of the text stop the caret and removals.
    #expect(state.type(.home, .left, .backspace, .end, .right, .delete, .enter) == [.submittedField("Kire")])
  }

  @Test func controlKeysAndRowsKeepTheirMeaning() {
    var state = fieldState()
    state.model.rowsAreDraggable = true
    #expect(state.handle(.key(.character("a"), isControl: true)) == [.changedSelection])
    #expect(state.model.field?.text == [])
    // Escape leaves the field, and then closes the window.
    let actions = [state.type(.character("x"), .escape), state.type(.escape)]
    #expect(actions == [[], [.closed]])
  }

  @Test func lengthOfTheTextIsLimited() {
    let text = String(repeating: "a", count: WindowField.maximumLength(isMultiline: false) - 1)
    var state = fieldState(text)
    _ = state.type(.character("b"), .character("c"))
    #expect(state.model.field.map { String($0.text) } == text + "b")
  }

  @Test func longTextIsMovedUntilTheCaretIsVisible() throws {
    var state = fieldState(String(repeating: "Polyphemus ", count: 20))
    _ = state.type(.character("!"))
    let area = state.layout.field
    let bar = try #require(
      state.scene().commands.last { $0.frame.width <= 2 && area.contains(x: $0.frame.x, y: $0.frame.y) })
    #expect(bar.frame.endX <= area.endX)
  }

  // MARK: Selection

  /// Performs keys with Shift, Control or both.
  private func type(_ state: inout WindowState, _ keys: [WindowKey], _ modifiers: String) -> [WindowAction] {
    keys.flatMap {
      state.handle(.key($0, isShifted: modifiers.contains("S"), isControl: modifiers.contains("C")))
    }
  }

  private func text(of state: WindowState) -> String { state.model.field.map { String($0.text) } ?? "" }

  @Test func shiftExtendsTheSelectionAndTypingReplacesIt() {
    var state = fieldState("Circe of Aeaea")
    _ = state.press(state.layout.field)
    _ = state.type(.home)
    _ = type(&state, [.right, .right], "S") + type(&state, [.right], "SC")
    #expect(state.model.field?.selection == 0..<5)
    _ = state.type(.character("M"), .character("e"))
    #expect(text(of: state) == "Me of Aeaea" && state.model.field?.caret == 2)
    // An arrow without Shift goes to the end of the selection.
    _ = type(&state, [.end], "S") + state.type(.left)
    #expect(state.model.field?.selection == 2..<2)
  }

  @Test func controlSelectsCopiesCutsAndPastes() {
    var state = fieldState("Circe")
    _ = state.press(state.layout.field)
    _ = type(&state, [.character("a")], "C")
    #expect(type(&state, [.character("c")], "C") == [.copiedText("Circe")] && text(of: state) == "Circe")
    #expect(type(&state, [.character("x")], "C") == [.copiedText("Circe")] && text(of: state) == "")
    // Nothing is selected any more.
    #expect(type(&state, [.character("c"), .character("x")], "C") == [])
    #expect(type(&state, [.character("v")], "C") == [.requestedPaste])
    state.insert("Kirke\r\nof\u{7}\nAeaea")
    #expect(text(of: state) == "Kirke of Aeaea")
  }

  @Test func undoRestoresTheTextOnceAndThenTheChange() {
    var state = fieldState("Circe")
    _ = state.press(state.layout.field)
    _ = type(&state, [.character("a")], "C") + state.type(.backspace)
    let undo = { (state: inout WindowState) in
      _ = type(&state, [.character("z")], "C")
      return text(of: state)
    }
    #expect([text(of: state), undo(&state), undo(&state), undo(&state)] == ["", "Circe", "", "Circe"])
    // Typed characters are one change.
    _ = state.type(.end, .character("!"), .character("?"))
    #expect([text(of: state), undo(&state)] == ["Circe!?", "Circe"])
    // A submitted text can be restored too.
    state.model.field?.insert("?")
    state.model.field?.reset()
    #expect([text(of: state), undo(&state)] == ["Circe", "Circe?"])
  }

  @Test func pointerSetsTheCaretAndSelects() {
    var state = fieldState("Circe of Aeaea")
    let area = state.layout.field
    let y = area.y + area.height / 2
    let width = state.text.size(of: "Circe", TextStyle(size: WindowLayout.bodySize)).width
    let start = area.x + 12
    _ = state.handle(.pressed(x: start, y: y)) + state.handle(.moved(x: start + width, y: y, isButtonPressed: true))
    #expect(state.model.field?.selection == 0..<5)
    _ = state.handle(.released(x: start + width, y: y)) + state.handle(.pressed(x: area.endX - 2, y: y))
    #expect(state.model.field?.selection == 14..<14)
    _ = state.handle(.released(x: area.endX - 2, y: y, isDouble: true))
    #expect(state.model.field?.selection == 9..<14)
  }

  // MARK: Lines

  private func linesState(_ text: String, height: Int = 300) -> WindowState {
    var model = WindowModel(title: "")
    model.field = WindowField(label: "text", text: text, isMultiline: true)
    var state = SampleContent.state(model, width: 400, height: height)
    _ = state.press(state.layout.field)
    return state
  }

  @Test func enterBeginsALineAndControlEnterSubmits() {
    var state = linesState("Circe")
    #expect(state.type(.enter, .character("x")) == [])
    #expect(type(&state, [.enter], "C") == [.submittedField("Circe\nx")])
    var empty = linesState("")
    // Enter in an empty field submits nothing.
    #expect(empty.type(.enter) == [] && text(of: empty) == "\n")
  }

  @Test func arrowsMoveBetweenLines() {
    var state = linesState("Circe\nof\nAeaea")
    func carets(_ keys: WindowKey..., modifiers: String = "") -> [Int?] {
      keys.map { key in
        _ = type(&state, [key], modifiers)
        return state.model.field?.caret
      }
    }
    _ = state.type(.end)
    #expect(carets(.up, .up, .up, .down, .home, .end) == [8, 2, 0, 6, 6, 8])
    #expect(carets(.home, .end, modifiers: "C") == [0, 14])
  }

  @Test func longTextOfTheAppStaysWhole() {
    let long = String(repeating: "a", count: 5000)
    var state = linesState(long)
    _ = state.type(.character("b"))
    #expect(text(of: state) == long)
    _ = state.type(.backspace)
    #expect(text(of: state).count == 4999)
  }

  @Test func caretIsScrolledIntoView() throws {
    var state = linesState((1...40).map { "line \($0)" }.joined(separator: "\n"), height: 200)
    func visibleLines() -> ClosedRange<Int>? {
      guard let lines = state.fieldLayout else { return nil }
      return state.fieldScroll / lines.lineHeight...(state.fieldScroll + lines.area.height - 1) / lines.lineHeight
    }
    _ = type(&state, [.end], "C")
    #expect(visibleLines()?.upperBound == 39)
    _ = type(&state, [.home], "C")
    #expect(visibleLines()?.lowerBound == 0)
    // The wheel scrolls without the caret, at most to the ends.
    let area = state.layout.field
    _ = state.handle(.moved(x: area.x + 20, y: area.y + 20, isButtonPressed: false)) + state.handle(.scrolled(99))
    #expect(visibleLines()?.upperBound == 39 && state.model.field?.caret == 0)
  }

  // MARK: The app's text

  @Test func typedTextStaysWhenTheAppChangesItsOwn() {
    var field = WindowField(label: "text", text: "Circe")
    field.insert("!")
    #expect(
      String(WindowField(label: "text", text: "Circe").updated(to: WindowField(label: "text", text: "Medea")).text)
        == "Medea")
    // The field keeps what the user has changed.
    var changed = field.updated(to: WindowField(label: "text", text: "Medea"))
    #expect(String(changed.text) == "Circe!" && changed.original == "Medea")
    changed.reset()
    #expect(String(changed.text) == "Medea")
    // The app's new text is what the user has submitted: the caret and the undo stay.
    field.move(to: 2, isExtending: false)
    var same = field.updated(to: WindowField(label: "text", text: "Circe!"))
    #expect(same.original == "Circe!" && same.caret == 2)
    same.undo()
    #expect(String(same.text) == "Circe")
  }
}
