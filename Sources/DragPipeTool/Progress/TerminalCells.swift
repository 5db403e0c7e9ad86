// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// How many cells of a terminal text takes.
///
/// Terminals do not agree on all of Unicode. Where they differ it is the greater number: a line that is shorter than
/// was thought does no harm, one that is longer wraps, and is never erased again.
enum TerminalCells {
  /// Beyond the emoji: the scripts of East Asia with their punctuation, and whatever is reserved for more of them.
  private static let wideRanges: [ClosedRange<UInt32>] = [
    0x1100...0x115F,  // Hangul that begins a syllable
    0x2329...0x232A, 0x2630...0x2637, 0x268A...0x268F,
    0x2E80...0x303E, 0x3040...0xA4CF,  // radicals, kana, ideographs, Yi
    0xA960...0xA97F, 0xAC00...0xD7FF,  // Hangul
    0xF900...0xFAFF, 0xFE10...0xFE1F, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
    0x1_6FE0...0x1_8FFF, 0x1_AFF0...0x1_B2FF, 0x1_D300...0x1_D37F,
    0x1_F000...0x1_FBFF,  // tiles, cards, emoji
    0x2_0000...0x3_FFFF,
  ]

  /// The cells of a scalar that is no control character.
  static func count(of scalar: Unicode.Scalar) -> Int {
    if scalar.value < 0x300 { return 1 }
    // It makes an emoji of the scalar before, which takes a cell more as one.
    if scalar == "\u{FE0F}" { return 1 }
    if wideRanges.contains(where: { $0.contains(scalar.value) }) {
      // Tone marks and the like, among what is wide.
      return scalar.properties.generalCategory == .nonspacingMark ? 0 : 2
    }
    return switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark: 0
    // Newer than our tables, or agreed on among others.
    case .unassigned, .privateUse: 2
    default: scalar.properties.isEmojiPresentation ? 2 : 1
    }
  }

  static func count(of text: some StringProtocol) -> Int {
    text.unicodeScalars.reduce(0) { $0 + count(of: $1) }
  }

  /// The text, or as much of its start as has room with a mark that there is more.
  ///
  /// - Parameters:
  ///   - text: What to show; without control characters.
  ///   - limit: How many cells there are; none at all gives nothing.
  /// - Returns: Text of `limit` cells at most.
  static func truncate(_ text: String, to limit: Int) -> String {
    guard count(of: text) > limit else { return text }
    guard limit > 0 else { return "" }
    var kept = ""
    var cells = 0
    for character in text {
      cells += count(of: String(character))
      guard cells < limit else { break }
      kept.append(character)
    }
    return kept + "…"
  }
}
