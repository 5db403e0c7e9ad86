// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// A field at the lower edge in which the user types a text.
package struct WindowField: Sendable, Hashable {
  /// The text and the selection at one time.
  private struct Content: Sendable, Hashable {
    var text: [Character]
    var anchor: Int
    var caret: Int
  }

  /// The text that an empty field shows.
  package var label: String
  /// Whether the Enter key starts a new line.
  ///
  /// Control-Enter then submits the text.
  package let isMultiline: Bool
  /// The text before the user changed it.
  package private(set) var original: String
  private var content: Content
  /// The content before the last change.
  private var former: Content?
  /// Whether the last change was a typed character, which an undo removes together with the next ones.
  private var isTyping = false

  /// Creates a field with the caret at the end of a text, which may be longer than what a user can type.
  package init(label: String, text: String = "", isMultiline: Bool = false) {
    self.label = label
    self.isMultiline = isMultiline
    original = text
    let text = Array(text)
    content = Content(text: text, anchor: text.count, caret: text.count)
  }

  /// Returns the maximum length of typed text, in characters.
  static func maximumLength(isMultiline: Bool) -> Int { isMultiline ? 4000 : 500 }

  /// The text.
  package var text: [Character] { content.text }

  /// The number of characters before the caret.
  package var caret: Int { content.caret }

  /// The selected characters, from the caret or to it.
  package var selection: Range<Int> {
    min(content.anchor, content.caret)..<max(content.anchor, content.caret)
  }

  /// The selected text.
  var selectedText: String { String(text[selection]) }

  // MARK: Changes

  /// Replaces the selection.
  ///
  /// Characters that do not fit into the field are left out. In a field with one line, a space stands for each line end.
  package mutating func insert(_ string: String) {
    replaceSelection(with: string, isTyping: false)
  }

  /// Replaces the selection with a typed character.
  mutating func type(_ character: Character) {
    replaceSelection(with: String(character), isTyping: true)
  }

  /// Removes the selection, or else the character before or after the caret.
  mutating func remove(before isBefore: Bool) {
    if selection.isEmpty { move(to: caret + (isBefore ? -1 : 1), isExtending: true) }
    replaceSelection(with: "", isTyping: false)
  }

  /// Returns to the content before the last change; a second call returns to the content after it.
  mutating func undo() {
    guard let former else { return }
    (self.former, content) = (content, former)
    isTyping = false
  }

  /// Restores the text before the user changed it.
  package mutating func reset() {
    former = content
    isTyping = false
    content = WindowField(label: label, text: original, isMultiline: isMultiline).content
  }

  /// Returns the field after the app has set new content: text that the user has changed stays.
  ///
  /// ``reset()`` then returns to the app's text.
  package func updated(to new: WindowField) -> WindowField {
    guard label == new.label, isMultiline == new.isMultiline else { return new }
    var field = self
    field.original = new.original
    if String(text) == original, new.text != text {
      (field.former, field.content, field.isTyping) = (nil, new.content, false)
    }
    return field
  }

  private mutating func replaceSelection(with string: String, isTyping: Bool) {
    let room = Self.maximumLength(isMultiline: isMultiline) - text.count + selection.count
    let inserted = String(string.filter(isAllowed).map { isMultiline || !$0.isLineEnd ? $0 : " " }.prefix(max(0, room)))
    guard !inserted.isEmpty || !selection.isEmpty else { return }
    if !(isTyping && self.isTyping && selection.isEmpty) { former = content }
    self.isTyping = isTyping
    // An inserted character may join the one before it, such as an accent its letter.
    let head = Array(String(text[..<selection.lowerBound]) + inserted)
    let text = Array(String(head) + String(text[selection.upperBound...]))
    let caret = min(head.count, text.count)
    content = Content(text: text, anchor: caret, caret: caret)
  }

  private func isAllowed(_ character: Character) -> Bool {
    character.isLineEnd || character.unicodeScalars.contains { $0.properties.generalCategory != .control }
  }

  // MARK: The selection

  /// Moves the caret, at most to an end of the text.
  ///
  /// - Parameters:
  ///   - position: The number of characters before the caret.
  ///   - isExtending: Whether the other end of the selection stays.
  mutating func move(to position: Int, isExtending: Bool) {
    content.caret = max(0, min(position, text.count))
    if !isExtending { content.anchor = content.caret }
    isTyping = false
  }

  /// Selects characters; the caret is at their end.
  mutating func select(_ range: Range<Int>) {
    move(to: range.lowerBound, isExtending: false)
    move(to: range.upperBound, isExtending: true)
  }

  /// Returns the start of the word before a position, or the end of the word after it.
  func wordEnd(from position: Int, isForward: Bool) -> Int {
    let step = isForward ? 1 : -1
    var position = position
    func isWord() -> Bool? {
      let index = isForward ? position : position - 1
      return text.indices.contains(index) ? text[index].isLetter || text[index].isNumber : nil
    }
    while isWord() == false { position += step }
    while isWord() == true { position += step }
    return position
  }

  /// Returns the word at a position, or the character there if it is not part of a word.
  func word(at position: Int) -> Range<Int> {
    let end = wordEnd(from: position, isForward: true)
    let start = wordEnd(from: end, isForward: false)
    return start <= position ? start..<end : position..<min(position + 1, text.count)
  }
}

/// The division of the field's text into lines, which is made again only for another text or width.
struct FieldLines: Sendable {
  private(set) var lines: [Range<Int>] = []
  private var text: [Character] = []
  private var width = -1

  mutating func update(_ field: WindowField, width new: Int, _ measure: (String) -> Int) {
    if !field.isMultiline {
      (lines, width) = ([field.text.indices], -1)
    } else if field.text != text || new != width {
      (text, width) = (field.text, new)
      lines = text.lines(fitting: width, measure)
    }
  }
}

/// The text of the field on the screen.
struct FieldLayout {
  /// The area of the text, in pixels.
  let area: PixelRectangle
  let lineHeight: Int
  /// The characters of each line.
  let lines: [Range<Int>]
  /// The width of the caret.
  let caretWidth: Int
  private let field: WindowField
  private let size: Double
  private let drawing: any TextDrawing

  init(_ field: WindowField, _ layout: WindowLayout, _ drawing: any TextDrawing, _ lines: inout FieldLines) {
    let size = WindowLayout.bodySize * layout.scale
    let caretWidth = max(1, layout.pixels(1.5))
    let area = layout.field.inset(layout.pixels(12), layout.pixels(field.isMultiline ? 8 : 4))
    lines.update(field, width: area.width - caretWidth) { drawing.size(of: $0, TextStyle(size: size)).width }
    self.lines = lines.lines
    lineHeight = field.isMultiline ? layout.pixels(WindowRow.lineHeight) : area.height
    (self.area, self.caretWidth, self.field, self.size, self.drawing) = (area, caretWidth, field, size, drawing)
  }

  /// The number of whole lines that are visible.
  var visibleCount: Int { max(1, area.height / max(1, lineHeight)) }

  /// The maximum scroll offset.
  var maximumScroll: Int { max(0, lines.count * lineHeight - area.height) }

  /// Returns the line of a caret position.
  func line(of position: Int) -> Int { lines.lastIndex { $0.lowerBound <= position } ?? 0 }

  /// Returns the characters of the lines between the line ends around a line.
  private func paragraph(of line: Int) -> Range<Int> {
    var (first, last) = (line, line)
    while first > 0, lines[first - 1].upperBound == lines[first].lowerBound { first -= 1 }
    while last + 1 < lines.count, lines[last].upperBound == lines[last + 1].lowerBound { last += 1 }
    return lines[first].lowerBound..<lines[last].upperBound
  }

  /// Returns the lines that are at least partly visible.
  func visibleLines(scroll: Int) -> Range<Int> {
    lines.indices.clamped(to: scroll / lineHeight..<(scroll + area.height) / lineHeight + 1)
  }

  /// Returns a line on the screen, as if the field were not scrolled.
  subscript(_ line: Int) -> FieldLine {
    let range = lines[line]
    let isRightToLeft = drawing.isRightToLeft(String(field.text[paragraph(of: line)].prefix(maximumTextLength)))
    let style = TextStyle(size: size, kind: .line(isRightToLeft: isRightToLeft))
    let content = TextLine(drawing.cells(of: Array(field.text[range]), style), isRightToLeft: isRightToLeft)
    // The caret is drawn on the side of the next character, so that at the end it is beside the text.
    let carets = content.carets.map { isRightToLeft ? $0 - caretWidth : $0 }
    var x = isRightToLeft ? area.width - content.width : 0
    if !field.isMultiline {
      // A long line is moved so that the caret is visible.
      x = min(max(x, -carets[field.caret]), area.width - caretWidth - carets[field.caret])
    }
    // A caret after the space that ends a divided line is at the start of the next line.
    let isDivided = lines.indices.contains(line + 1) && lines[line + 1].lowerBound == range.upperBound
    let frame = PixelRectangle(x: area.x + x, y: area.y + line * lineHeight, width: content.width, height: lineHeight)
    return FieldLine(
      range: range, content: content, frame: frame,
      carets: carets.dropLast(isDivided && !range.isEmpty ? 1 : 0).map { frame.x + $0 })
  }

  /// Returns the caret position nearest to a horizontal location.
  func position(inLine line: Int, x: Int) -> Int {
    guard line >= 0 else { return 0 }
    guard lines.indices.contains(line) else { return field.text.count }
    let line = self[line]
    let nearest = line.carets.indices.min { abs(line.carets[$0] - x) < abs(line.carets[$1] - x) }
    return line.range.lowerBound + (nearest ?? 0)
  }

  /// Returns the position to which an arrow key moves the caret: the next one on the screen.
  ///
  /// At the end of a line, it is the nearest position of the line before or after it.
  func position(beside position: Int, isRight: Bool) -> Int {
    let line = self[line(of: position)]
    let x = line.caret(at: position)
    let beside = line.carets.indices.filter { isRight ? line.carets[$0] > x : line.carets[$0] < x }
    if let next = beside.min(by: { abs(line.carets[$0] - x) < abs(line.carets[$1] - x) }) {
      return line.range.lowerBound + next
    }
    return isRight == line.content.isRightToLeft ? line.range.lowerBound - 1 : line.range.lowerBound + line.carets.count
  }
}

/// A line of a field on the screen.
struct FieldLine {
  /// The characters of the line.
  let range: Range<Int>
  let content: TextLine
  let frame: PixelRectangle
  /// The horizontal location of each caret position in the line.
  let carets: [Int]

  /// The kind of the line's text.
  var kind: TextStyle.Kind { .line(isRightToLeft: content.isRightToLeft) }

  /// Returns the horizontal location of a caret position in the line.
  func caret(at position: Int) -> Int { carets[position - range.lowerBound] }

  /// Returns the areas of characters that may also be in other lines.
  func areas(of range: Range<Int>) -> [PixelRectangle] {
    let part = range.clamped(to: self.range)
    return content.areas(of: part.lowerBound - self.range.lowerBound..<part.upperBound - self.range.lowerBound).map {
      PixelRectangle(x: frame.x + $0.lowerBound, y: frame.y, width: $0.count, height: frame.height)
    }
  }
}

/// The keys and the pointer of the field.
extension WindowState {
  /// Performs a key of the field; `nil` if the key is not one for the field.
  ///
  /// A character goes to the field, whichever part has the focus.
  mutating func type(_ key: WindowKey, isShifted: Bool, isControl: Bool) -> [WindowAction]? {
    guard var field = model.field else { return nil }
    var actions: [WindowAction] = []
    if case .character(let character) = key, !isControl {
      field.type(character)
      focused = .field
    } else {
      guard focused == .field, let done = edit(&field, key, isShifted: isShifted, isControl: isControl) else {
        return nil
      }
      actions = done
    }
    model.field = field
    showCaret()
    return actions
  }

  private mutating func edit(
    _ field: inout WindowField, _ key: WindowKey, isShifted: Bool, isControl: Bool
  ) -> [WindowAction]? {
    switch key {
    case .space: field.type(" ")
    case .backspace, .delete:
      let isBefore = key == .backspace
      if isControl, field.selection.isEmpty {
        field.move(to: field.wordEnd(from: field.caret, isForward: !isBefore), isExtending: true)
      }
      field.remove(before: isBefore)
    case .enter where field.isMultiline && !isControl: field.insert("\n")
    case .enter: return [.submittedField(String(field.text))]
    case .escape:
      focused = nil
    case .character(let character): return perform(command: character.lowercased(), &field)
    default:
      guard let position = caret(in: field, after: key, isShifted: isShifted, isControl: isControl) else { return nil }
      field.move(to: position, isExtending: isShifted)
    }
    return []
  }

  /// Performs the command of a character with the Control key.
  private func perform(command: String, _ field: inout WindowField) -> [WindowAction]? {
    switch command {
    case "a": field.select(field.text.indices)
    case "z": field.undo()
    case "v": return [.requestedPaste]
    case "c", "x":
      guard !field.selection.isEmpty else { return [] }
      let text = field.selectedText
      if command == "x" { field.remove(before: true) }
      return [.copiedText(text)]
    default: return nil
    }
    return []
  }

  /// Returns the position to which a key moves the caret; `nil` if the key does not move it.
  private func caret(in field: WindowField, after key: WindowKey, isShifted: Bool, isControl: Bool) -> Int? {
    let caret = field.caret
    switch key {
    case .left, .right:
      guard let lines = fieldLayout else { return nil }
      let isForward = (key == .left) == lines[lines.line(of: caret)].content.isRightToLeft
      if isControl { return field.wordEnd(from: caret, isForward: isForward) }
      // Without Shift, the caret leaves a selection at its end.
      if !isShifted, !field.selection.isEmpty {
        return isForward ? field.selection.upperBound : field.selection.lowerBound
      }
      return lines.position(beside: caret, isRight: key == .right)
    case .home, .end:
      if isControl { return key == .home ? 0 : field.text.count }
      guard let lines = fieldLayout else { return nil }
      let line = lines[lines.line(of: caret)]
      return line.range.lowerBound + (key == .home ? 0 : line.carets.count - 1)
    case .up, .down, .pageUp, .pageDown:
      guard field.isMultiline, let lines = fieldLayout else { return nil }
      let step = key == .pageUp || key == .pageDown ? lines.visibleCount : 1
      let line = lines.line(of: caret) + (key == .up || key == .pageUp ? -step : step)
      return lines.position(inLine: line, x: lines[lines.line(of: caret)].caret(at: caret))
    default: return nil
    }
  }

  /// Moves the caret to a location, or selects the text up to it.
  mutating func pointAtField(x: Int, y: Int, isExtending: Bool) {
    guard let lines = fieldLayout else { return }
    let line = max(0, y - lines.area.y + fieldScroll) / lines.lineHeight
    let position = lines.position(inLine: min(line, lines.lines.count - 1), x: x)
    model.field?.move(to: position, isExtending: isExtending)
    showCaret()
  }

  /// Selects the word at the caret.
  mutating func selectWord() {
    if let field = model.field { model.field?.select(field.word(at: field.caret)) }
  }

  /// Inserts a text in place of the selection.
  package mutating func insert(_ string: String) {
    model.field?.insert(string)
    showCaret()
  }

  /// Scrolls a field with several lines.
  mutating func scrollField(by steps: Int) {
    guard let lines = fieldLayout else { return }
    fieldScroll = max(0, min(fieldScroll + steps * 2 * lines.lineHeight, lines.maximumScroll))
  }

  /// Scrolls the caret into view.
  private mutating func showCaret() {
    guard let field = model.field, let lines = fieldLayout else { return }
    let top = lines.line(of: field.caret) * lines.lineHeight
    fieldScroll = min(max(fieldScroll, top + lines.lineHeight - lines.area.height), top, lines.maximumScroll)
  }
}
