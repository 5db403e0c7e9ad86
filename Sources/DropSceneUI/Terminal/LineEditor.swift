// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// The input line: its text, its cursor and the former lines.
struct LineEditor {
  /// The effect of a key.
  enum Effect: Equatable {
    /// The key may have changed the line.
    case edited
    /// The user has entered a line.
    case entered(String)
    /// The user ends the input. An interrupt also ends the current command.
    case ended(isInterrupt: Bool)
    /// The key does not belong to the line.
    case unused
  }

  private var characters: [Character] = []
  private var cursor = 0
  private var history: [String] = []
  /// The index of the recalled line in the history, whose end stands for the new line.
  private var recalled = 0
  /// The new line, while a former line is shown.
  private var draft = ""

  /// The text of the line.
  var text: String { String(characters) }

  /// Performs a key.
  mutating func handle(_ key: TerminalKey) -> Effect {
    switch key {
    case .text(let scalar): insert(scalar)
    case .left: cursor = max(0, cursor - 1)
    case .right: cursor = min(characters.count, cursor + 1)
    case .home: cursor = 0
    case .end: cursor = characters.count
    case .backspace where cursor > 0:
      cursor -= 1
      characters.remove(at: cursor)
    case .controlD where characters.isEmpty: return .ended(isInterrupt: false)
    case .delete, .controlD: if cursor < characters.count { characters.remove(at: cursor) }
    case .controlC where characters.isEmpty: return .ended(isInterrupt: true)
    case .controlC: replace(with: "")
    case .controlU:
      characters.removeFirst(cursor)
      cursor = 0
    case .up, .down: return recall(key == .up ? -1 : 1)
    case .enter: return .entered(enter())
    case .backspace: break
    default: return .unused
    }
    return .edited
  }

  /// Inserts a scalar, which may join the character before the cursor.
  private mutating func insert(_ scalar: Unicode.Scalar) {
    var before = String(characters[..<cursor])
    before.unicodeScalars.append(scalar)
    characters = Array(before) + characters[cursor...]
    cursor = before.count
  }

  private mutating func replace(with text: String) {
    characters = Array(text)
    cursor = characters.count
  }

  private mutating func enter() -> String {
    let line = text
    if !line.isEmpty, line != history.last { history.append(line) }
    recalled = history.count
    replace(with: "")
    return line
  }

  private mutating func recall(_ step: Int) -> Effect {
    guard !(history.isEmpty && characters.isEmpty) else { return .unused }
    let next = recalled + step
    guard (0...history.count).contains(next) else { return .edited }
    if recalled == history.count { draft = text }
    recalled = next
    replace(with: next == history.count ? draft : history[next])
    return .edited
  }

  /// Returns the part of the line that is visible in a number of cells, and the cell of the cursor in this part.
  func visible(in width: Int) -> (text: String, cursor: Int) {
    var start = cursor
    var cell = 0
    while start > 0 {
      let next = cell + String(characters[start - 1]).columnCount
      guard next < width else { break }
      (start, cell) = (start - 1, next)
    }
    var (end, room) = (start, width)
    while end < characters.count {
      room -= String(characters[end]).columnCount
      guard room >= 0 else { break }
      end += 1
    }
    return (String(characters[start..<end]), cell)
  }
}
