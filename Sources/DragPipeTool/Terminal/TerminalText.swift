// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc

/// The width of a terminal.
enum TerminalWidth {
  private static let usual = 80

  /// Returns the current width in columns: the width of the terminal, or the value of `COLUMNS`, or 80.
  ///
  /// `COLUMNS` has a low priority, because a shell does not update it in running programs.
  ///
  /// - Parameters:
  ///   - descriptor: A descriptor, which need not be a terminal.
  ///   - columnsVariable: The value of the variable `COLUMNS`.
  /// - Returns: The width, at least 1.
  static func columns(of descriptor: CInt, columnsVariable: String?) -> Int {
    if let columns = SystemCalls.terminalColumns(descriptor) { return columns }
    return columnsVariable.flatMap { Int($0) }.flatMap { (1...10_000).contains($0) ? $0 : nil } ?? usual
  }
}

extension ToolEnvironment {
  /// The width of the terminal that output goes to, in columns; `nil` if output does not go to a terminal.
  var outputWidth: Int? {
    guard outputIsTerminal else { return nil }
    return TerminalWidth.columns(of: output, columnsVariable: getenv("COLUMNS").map { String(cString: $0) })
  }
}

/// A search for control characters in text that arrives in chunks.
///
/// Tabs, line feeds, and carriage returns before line feeds are allowed. Bidirectional controls are found too.
struct TerminalScan {
  private(set) var foundControl = false
  /// The two bytes before the next byte, since a character may span two chunks.
  private var before: (UInt8, UInt8) = (0, 0)

  /// Whether text that ends here contains a control character, including a carriage return at its end.
  var hasControl: Bool { foundControl || before.1 == Self.carriageReturn }

  private static let carriageReturn = UInt8(ascii: "\r")

  /// Examines the next chunk.
  mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      if isControl(byte) { foundControl = true }
      before = (before.1, byte)
    }
  }

  private func isControl(_ byte: UInt8) -> Bool {
    switch (before.0, before.1, byte) {
    case (_, Self.carriageReturn, 0x0A): false
    // Without a line feed, the text after a carriage return overwrites the line.
    case (_, Self.carriageReturn, _): true
    case (_, _, 0x09), (_, _, 0x0A), (_, _, Self.carriageReturn): false
    case (_, _, ..<0x20), (_, _, 0x7F): true
    // The control characters U+0080 to U+009F.
    case (_, 0xC2, 0x80...0x9F): true
    // Line and paragraph separators, and bidirectional controls: U+2028 to U+202E, and U+2066 to U+2069.
    case (0xE2, 0x80, 0xA8...0xAE), (0xE2, 0x81, 0xA6...0xA9): true
    default: false
    }
  }
}

extension StringProtocol {
  /// The string escaped for a column of a table: without tabs and line feeds.
  ///
  /// The string is never shortened, since a shortened name could be mistaken for another name.
  var asColumn: String { escapedForDisplay(limit: .max) }
}
