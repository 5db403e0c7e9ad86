// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc

extension Unicode.Scalar {
  /// The number of terminal columns that the scalar takes.
  ///
  /// The scalar must not be a control character.
  ///
  /// Terminals differ for parts of Unicode. In those cases the result is the larger number: a line that is shorter than
  /// expected is harmless, but a longer line wraps and cannot be erased.
  var columnCount: Int {
    // Every scalar below U+0300 that is not a control character has one column.
    if value < 0x300 { return 1 }
    // The variation selector turns the preceding scalar into an emoji, which takes one more column.
    if self == "\u{FE0F}" { return 1 }
    // Vowels and final consonants of a Korean syllable are drawn within the cell of its first letter.
    if (0x1160...0x11FF).contains(value) { return 0 }
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark: return 0
    // The scalar may be newer than the tables of this program, and private scalars may have any width.
    case .unassigned, .privateUse: return 2
    default: break
    }
    return Self.wideRanges.contains { $0.contains(value) } || properties.isEmojiPresentation ? 2 : 1
  }

  /// The ranges of wide scalars besides emoji: East Asian scripts, their punctuation, and ranges reserved for them.
  private static let wideRanges: [ClosedRange<UInt32>] = [
    0x1100...0x115F,  // Hangul that begins a syllable
    0x2329...0x232A, 0x2630...0x2637, 0x268A...0x268F,
    0x2E80...0x303E, 0x3040...0xA4CF,  // radicals, kana, ideographs, Yi
    0xA960...0xA97F, 0xAC00...0xD7A3,  // Hangul
    0xF900...0xFAFF, 0xFE10...0xFE1F, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
    0x1_6FE0...0x1_8FFF, 0x1_AFF0...0x1_B2FF, 0x1_D300...0x1_D37F,
    0x1_F000...0x1_FBFF,  // tiles, cards, emoji
    0x2_0000...0x3_FFFF,
  ]
}

extension StringProtocol {
  /// The number of terminal columns that the line takes.
  ///
  /// The line must not have control characters.
  ///
  /// If terminals disagree, the number is the larger one, as for `Unicode.Scalar.columnCount`.
  var columnCount: Int {
    // Most lines are ASCII.
    if utf8.allSatisfy({ $0 < 0x80 }) { return utf8.count }
    return unicodeScalars.reduce(0) { $0 + $1.columnCount }
  }

  /// Returns the string in at most `limit` columns.
  ///
  /// A `…` replaces the middle, since names often differ at their ends.
  func shortened(toColumns limit: Int) -> String {
    if fits(inColumns: limit) { return String(self) }
    guard limit > 0 else { return "" }
    let tailLimit = (limit - 1) / 2
    let head = prefix(ofColumns: limit - 1 - tailLimit)
    var tail: [Character] = []
    var room = tailLimit
    for character in reversed() {
      room -= String(character).columnCount
      guard room >= 0 else { break }
      tail.append(character)
    }
    return head + "…" + String(tail.reversed())
  }

  /// Returns the string in at most `limit` columns.
  ///
  /// A `…` replaces the end.
  func truncated(toColumns limit: Int) -> String {
    if fits(inColumns: limit) { return String(self) }
    return limit > 0 ? prefix(ofColumns: limit - 1) + "…" : ""
  }

  private func fits(inColumns limit: Int) -> Bool {
    // No scalar takes more columns than bytes.
    utf8.count <= limit || columnCount <= limit
  }

  private func prefix(ofColumns limit: Int) -> String {
    var room = limit
    return String(
      prefix { character in
        room -= String(character).columnCount
        return room >= 0
      })
  }

  /// Returns the string padded with spaces to `width` columns: at its end, or at its start.
  func padded(toColumns width: Int, atStart: Bool = false) -> String {
    let blanks = String(repeating: " ", count: Swift.max(0, width - columnCount))
    return atStart ? blanks + self : self + blanks
  }
}

/// The width of a terminal.
enum TerminalWidth {
  private static let usual = 80

  /// Returns the current width in columns: that of the terminal, or the value of `COLUMNS`, or 80.
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
