// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// How wide a terminal is.
enum TerminalWidth {
  private static let usual = 80

  /// How many columns it has now: what the terminal says, or else `COLUMNS`, or else 80.
  ///
  /// `COLUMNS` comes last, because whoever has exported it hears of no change afterwards.
  ///
  /// - Parameters:
  ///   - descriptor: The terminal; may be something else, which says nothing.
  ///   - columnsVariable: The value of `COLUMNS`.
  /// - Returns: At least 1.
  static func columns(of descriptor: CInt, columnsVariable: String?) -> Int {
    var size = winsize()
    if ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
    return columnsVariable.flatMap { Int($0) }.flatMap { (1...10_000).contains($0) ? $0 : nil } ?? usual
  }
}

extension ToolEnvironment {
  /// How many columns the terminal has that output goes to; `nil` where it goes elsewhere.
  var outputWidth: Int? {
    guard outputIsTerminal else { return nil }
    return TerminalWidth.columns(of: output, columnsVariable: getenv("COLUMNS").map { String(cString: $0) })
  }
}
