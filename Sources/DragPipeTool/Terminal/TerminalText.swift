// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

extension Unicode.Scalar {
  /// How many columns of a terminal it takes, of a text without control characters.
  ///
  /// Terminals do not agree on all of Unicode. Where they differ it is the greater number: a line that is shorter than
  /// was thought does no harm, one that is longer wraps, and is never erased again.
  var columnCount: Int {
    // Nothing below has marks or wide characters.
    if value < 0x300 { return 1 }
    // It makes an emoji of the scalar before, which takes a column more as one.
    if self == "\u{FE0F}" { return 1 }
    // The vowels and finals of a Korean syllable stand within its first letter.
    if (0x1160...0x11FF).contains(value) { return 0 }
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark: return 0
    // Newer than the tables of this program, or agreed on among others.
    case .unassigned, .privateUse: return 2
    default: break
    }
    return Self.wideRanges.contains { $0.contains(value) } || properties.isEmojiPresentation ? 2 : 1
  }

  /// Beyond the emoji: the scripts of East Asia with their punctuation, and whatever is reserved for more of them.
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
  /// How many columns of a terminal the text takes, which is a line without control characters.
  ///
  /// See `Unicode.Scalar.columnCount` for what terminals do not agree on.
  var columnCount: Int {
    // Most text is, and is counted often.
    if utf8.allSatisfy({ $0 < 0x80 }) { return utf8.count }
    return unicodeScalars.reduce(0) { $0 + $1.columnCount }
  }

  /// The text in at most so many columns, with `…` for what is left out in its middle: names differ at their ends.
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

  /// The text in at most so many columns, with `…` for what is left out at its end.
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

  /// The text with blanks behind it, or before it, up to so many columns.
  func padded(toColumns width: Int, atStart: Bool = false) -> String {
    let blanks = String(repeating: " ", count: Swift.max(0, width - columnCount))
    return atStart ? blanks + self : self + blanks
  }
}
