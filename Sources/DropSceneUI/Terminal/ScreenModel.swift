// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropScenes
internal import DropSystem

/// A line of input, and the window that it goes to.
struct InputLine: Sendable, Equatable {
  var text: String
  /// The window; `nil` stands for the key window.
  var window: SceneSession.ID?
}

/// The state of the screen: the windows, the input line, a message, and a text in place of the windows.
struct ScreenModel {
  /// The work that follows from a key, besides drawing.
  enum Action: Equatable {
    case none
    case perform(InputLine)
    case makeKey(SceneSession.ID)
    case end(isInterrupt: Bool)
  }

  /// The size of the terminal in cells.
  var size = (columns: 80, rows: 24)
  /// The text of the last line of the terminal.
  var message = Span(text: "")
  /// A text that is shown in place of the windows.
  private var text: Pane?
  private var panes: [Pane] = []
  private var editor = LineEditor()
  /// The window that was key when the user began the line.
  ///
  /// A window that opens meanwhile does not take the line.
  private var target: SceneSession.ID?
  /// The number of entered lines that select a key window and are not performed yet.
  private var pendingSelections = 0
  private var offsets: [SceneSession.ID: Int] = [:]
  /// The number of lines that a page key scrolls.
  private var page = 1

  /// Shows windows.
  ///
  /// A window with a new error scrolls to its start, where the error is.
  mutating func show(_ scenes: [Pane]) {
    for pane in scenes {
      guard let first = pane.lines.first, first.style == .error else { continue }
      if panes.first(where: { $0.id == pane.id })?.lines.first?.text != first.text { offsets[pane.id] = nil }
    }
    panes = scenes
    offsets = offsets.filter { id, _ in scenes.contains { $0.id == id } }
  }

  /// Shows a text in place of the windows, until the user closes it or enters a line.
  mutating func show(_ lines: [String], title: String) {
    text = Pane(name: title, lines: lines.map { Span(text: $0) }, isKey: true, wrapsLines: true)
  }

  /// The window that the input goes to.
  private var focus: Pane? { panes.first { $0.id == target } ?? panes.first(where: \.isKey) }

  /// The width of each window's content in cells.
  var contentWidth: Int { Panes(width: size.columns).contentWidth(of: panes.count) }

  // MARK: Keys

  /// Performs a key.
  mutating func handle(_ key: TerminalKey) -> Action {
    switch key {
    case .tab, .backTab: return moveFocus(by: key == .tab ? 1 : -1)
    case .pageUp: scroll(by: -page)
    case .pageDown: scroll(by: page)
    case .shiftUp: scroll(by: -1)
    case .shiftDown: scroll(by: 1)
    case .escape: text = nil
    case .up where text != nil && editor.text.isEmpty: scroll(by: -1)
    case .down where text != nil && editor.text.isEmpty: scroll(by: 1)
    default: return edit(key)
    }
    return .none
  }

  private mutating func edit(_ key: TerminalKey) -> Action {
    let (hadText, window) = (!editor.text.isEmpty, target)
    let effect = editor.handle(key)
    if editor.text.isEmpty {
      target = nil
    } else if !hadText, pendingSelections == 0 {
      target = panes.first(where: \.isKey)?.id
    }
    switch effect {
    case .edited: return .none
    case .unused:
      if key == .up || key == .down { scroll(by: key == .up ? -1 : 1) }
      return .none
    case .ended(let isInterrupt): return .end(isInterrupt: isInterrupt)
    case .entered(let line):
      (text, message) = (nil, Span(text: ""))
      if Self.selectsKeyWindow(line) { pendingSelections += 1 }
      return .perform(InputLine(text: line, window: window))
    }
  }

  private static func selectsKeyWindow(_ line: String) -> Bool {
    line.split(separator: " ").first == ":key"
  }

  /// Updates the state after a line has been performed.
  mutating func finish(_ line: InputLine) {
    guard Self.selectsKeyWindow(line.text) else { return }
    pendingSelections -= 1
    if pendingSelections == 0, !editor.text.isEmpty { target = panes.first(where: \.isKey)?.id }
  }

  private mutating func moveFocus(by step: Int) -> Action {
    guard text == nil, let focus, let index = panes.firstIndex(where: { $0.id == focus.id }) else { return .none }
    let next = panes[(index + step + panes.count) % panes.count].id
    if target != nil { target = next }
    // The host reports the change later, and the next key may come before.
    for index in panes.indices { panes[index].isKey = panes[index].id == next }
    return .makeKey(next)
  }

  private mutating func scroll(by step: Int) {
    if text != nil {
      text?.offset += step
    } else if let focus {
      offsets[focus.id, default: 0] += step
    }
  }

  // MARK: Drawing

  /// A drawing of the whole screen, and the row and column of the cursor, from 0.
  struct Frame: Equatable {
    var lines: [[Span]]
    var cursor: (row: Int, column: Int)

    static func == (one: Frame, other: Frame) -> Bool { one.lines == other.lines && one.cursor == other.cursor }
  }

  /// Draws the screen, and limits the scrolling to the lines of the windows.
  mutating func frame() -> Frame {
    let height = max(1, size.rows - 2)
    let drawing = text.map { draw($0, height: height) } ?? drawWindows(height: height)
    var lines = Array(drawing.lines.prefix(height))
    lines += Array(repeating: [], count: height - lines.count)
    let prompt = (focus.map(name(of:)) ?? "").truncated(toColumns: size.columns / 3) + "> "
    let (shown, cell) = editor.visible(in: max(1, size.columns - prompt.columnCount))
    lines.append([Span(text: prompt, style: .key), Span(text: shown)])
    var last = message.text.isEmpty ? Span(text: drawing.hint, style: .dim) : message
    last.text = last.text.truncated(toColumns: size.columns)
    lines.append([last])
    return Frame(lines: lines, cursor: (height, prompt.columnCount + cell))
  }

  /// Draws the windows, and returns a hint on those for which there is no room.
  private mutating func drawWindows(height: Int) -> (lines: [[Span]], hint: String) {
    let focus = focus?.id
    let shown = panes.map { pane in
      var pane = pane
      pane.isKey = pane.id == focus
      pane.offset = offsets[pane.id] ?? 0
      return pane
    }
    let drawing = Panes(width: size.columns, height: height).draw(shown)
    for (id, range) in drawing.visible where offsets[id] != nil { offsets[id] = range.lowerBound }
    page = max(1, focus.flatMap { drawing.visible[$0]?.count } ?? 1)
    let hidden = panes.count - drawing.visible.count
    return (drawing.lines, hidden > 0 ? "hidden windows: \(hidden)" : "")
  }

  private mutating func draw(_ text: Pane, height: Int) -> (lines: [[Span]], hint: String) {
    let drawing = Panes(width: size.columns, height: height).draw([text])
    let range = drawing.visible[text.id] ?? 0..<1
    self.text?.offset = range.lowerBound
    page = max(1, range.count)
    let isTruncated = range.count < text.lines.count
    return (drawing.lines, isTruncated ? "PageUp, PageDown: scroll; Escape: close" : "Escape: close")
  }

  /// Returns the name of a window in the prompt: its title, and its number if other windows have the title.
  private func name(of pane: Pane) -> String {
    panes.count { $0.name == pane.name } > 1 ? "\(pane.name) \(pane.number)" : pane.name
  }
}
