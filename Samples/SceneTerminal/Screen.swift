// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropScenes
import Foundation
import Synchronization

/// The terminal as a full screen, with the windows, an input line and a message line.
final class Screen: Sendable {
  private let message = Mutex("")

  init() {
    write("\u{1B}[?1049h\u{1B}[2J")
    prompt()
  }

  /// Draws the windows and the message, and leaves the input line unchanged.
  func draw(_ scenes: [HostedScene]) {
    let (columns, rows) = Self.size
    var lines = Panes(width: columns).lines(of: scenes, height: rows - 2)
    lines = Array(lines.prefix(rows - 2))
    lines += Array(repeating: "", count: max(0, rows - 2 - lines.count))
    write("\u{1B}7\u{1B}[H" + lines.map { "\($0)\u{1B}[K" }.joined(separator: "\r\n") + told(columns, rows) + "\u{1B}8")
  }

  /// Returns the width of each window's content in characters.
  func paneWidth(of scenes: [HostedScene]) -> Int {
    Panes(width: Self.size.columns).contentWidth(of: scenes.count)
  }

  /// Shows a message below the input line, until the next input.
  func tell(_ text: String) {
    message.withLock { $0 = text }
    let (columns, rows) = Self.size
    write("\u{1B}7\(told(columns, rows))\u{1B}8")
  }

  private func told(_ columns: Int, _ rows: Int) -> String {
    "\u{1B}[\(rows);1H\(message.withLock { $0 }.prefix(columns))\u{1B}[K"
  }

  /// Restores the former content of the terminal.
  func leave() {
    write("\u{1B}[?1049l")
  }

  /// Shows the prompt on the second-last line, so that the newline of the input does not scroll the screen.
  func prompt() {
    write("\u{1B}[\(Self.size.rows - 1);1H\u{1B}[K> ")
  }

  private static var size: (columns: Int, rows: Int) {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 4 else { return (80, 24) }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  private func write(_ text: String) {
    FileHandle.standardOutput.write(Data(text.utf8))
  }
}

/// A layout that draws windows as boxes of text side by side.
struct Panes {
  /// The minimum width of a window, in columns.
  static let leastWidth = 24

  let width: Int

  /// Returns the lines of all windows.
  ///
  /// If a height is given, each window shows at most its share of the lines.
  func lines(of scenes: [HostedScene], height: Int? = nil) -> [String] {
    guard !scenes.isEmpty else { return ["(no window)"] }
    let columns = columnCount(of: scenes.count)
    let rows = (scenes.count + columns - 1) / columns
    var lines: [String] = []
    for row in 0..<rows {
      let inRow = Array(scenes.dropFirst(row * columns).prefix(columns))
      let most = height.map { max(1, $0 / rows - 2) } ?? .max
      let boxes = inRow.map { box(of: $0, width: width / columns, most: most) }
      let tallest = boxes.map(\.count).max() ?? 0
      for index in 0..<tallest {
        lines.append(zip(boxes, inRow).map { box, _ in line(index, of: box, tallest) }.joined())
      }
    }
    return lines
  }

  private func columnCount(of count: Int) -> Int {
    max(1, min(count, width / Self.leastWidth))
  }

  /// Returns the width of each window's content in characters.
  func contentWidth(of count: Int) -> Int {
    width / columnCount(of: count) - 3
  }

  private func line(_ index: Int, of box: [String], _ tallest: Int) -> String {
    guard index < box.count - 1 else {
      // Fills the box with empty lines, so that its lower edge is level with that of the tallest box.
      if index == tallest - 1 { return box[box.count - 1] }
      let inner = box[0].count - 3
      return "│" + String(repeating: " ", count: inner) + "│ "
    }
    return box[index]
  }

  private func box(of scene: HostedScene, width: Int, most: Int) -> [String] {
    let inner = width - 3
    let title = fit(" \(scene.number) \(scene.title)\(scene.isKey ? " ●" : "") ", inner, filler: "─")
    let content = scene.failure.map { ["✝ \($0)"] } ?? scene.content
    var lines = ["┌\(title)┐ "]
    let hidden = content.count - most
    let shown = hidden > 0 ? content.prefix(most - 1) + ["… \(hidden + 1) lines more"] : content.prefix(most)
    lines += shown.map { "│\(fit($0, inner))│ " }
    lines.append("└" + String(repeating: "─", count: inner) + "┘ ")
    return lines
  }

  private func fit(_ text: String, _ width: Int, filler: Character = " ") -> String {
    if text.count <= width { return text + String(repeating: filler, count: width - text.count) }
    return text.prefix(max(0, width - 1)) + "…"
  }
}
