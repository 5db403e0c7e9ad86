// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropScenes
import Foundation
import Synchronization

/// The whole terminal: windows above, then what is typed, then what came of it.
final class Screen: Sendable {
  private let message = Mutex("")

  init() {
    write("\u{1B}[?1049h\u{1B}[2J")
    prompt()
  }

  /// Shows the windows as they are now, without touching what is being typed.
  func draw(_ scenes: [HostedScene]) {
    let (columns, rows) = Self.size
    var lines = Panes(width: columns).lines(of: scenes, height: rows - 2)
    lines = Array(lines.prefix(rows - 2))
    lines += Array(repeating: "", count: max(0, rows - 2 - lines.count))
    write("\u{1B}7\u{1B}[H" + lines.map { "\($0)\u{1B}[K" }.joined(separator: "\r\n") + told(columns, rows) + "\u{1B}8")
  }

  /// How many characters of a line a window can show.
  func paneWidth(of scenes: [HostedScene]) -> Int {
    Panes(width: Self.size.columns).contentWidth(of: scenes.count)
  }

  /// Shows a line below what is typed, until the next one is typed.
  func tell(_ text: String) {
    message.withLock { $0 = text }
    let (columns, rows) = Self.size
    write("\u{1B}7\(told(columns, rows))\u{1B}8")
  }

  private func told(_ columns: Int, _ rows: Int) -> String {
    "\u{1B}[\(rows);1H\(message.withLock { $0 }.prefix(columns))\u{1B}[K"
  }

  /// Gives the terminal back.
  func leave() {
    write("\u{1B}[?1049l")
  }

  /// Asks for a line, not in the last one of the terminal, which would scroll.
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
