// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

extension Unicode.Scalar {
  /// The number of terminal columns that the scalar takes.
  ///
  /// The scalar must not be a control character.
  ///
  /// Terminals differ for parts of Unicode. In these cases, the result is the larger number: a line that is shorter
  /// than expected is harmless, but a longer line wraps and cannot be erased.
  package var columnCount: Int {
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
  /// If terminals disagree, the result is the larger number, as for `Unicode.Scalar.columnCount`.
  package var columnCount: Int {
    // Most lines are ASCII.
    if utf8.allSatisfy({ $0 < 0x80 }) { return utf8.count }
    return unicodeScalars.reduce(0) { $0 + $1.columnCount }
  }

  /// Returns the string in at most `limit` columns.
  ///
  /// A `…` replaces the middle, since names often differ at their ends.
  package func shortened(toColumns limit: Int) -> String {
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
  package func truncated(toColumns limit: Int) -> String {
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
  package func padded(toColumns width: Int, atStart: Bool = false) -> String {
    let blanks = String(repeating: " ", count: Swift.max(0, width - columnCount))
    return atStart ? blanks + self : self + blanks
  }

  /// Returns the string in lines of at most `width` columns, broken at spaces where possible.
  package func wrapped(toColumns width: Int) -> [String] {
    var lines: [String] = []
    var rest = self[...]
    while rest.columnCount > width {
      var room = width
      var end =
        rest.firstIndex {
          room -= String($0).columnCount
          return room < 0
        } ?? rest.endIndex
      // A line has at least one character, also if the character is wider than the line.
      if end == rest.startIndex { end = rest.index(after: end) }
      // A line is not broken within its indentation.
      let text = rest[..<end].drop { $0 == " " }
      if end < rest.endIndex, rest[end] != " ", let space = text.lastIndex(of: " ") { end = rest.index(after: space) }
      lines.append(String(rest[..<end]))
      rest = rest[end...].drop { $0 == " " }
    }
    return rest.isEmpty && !lines.isEmpty ? lines : lines + [String(rest)]
  }
}
