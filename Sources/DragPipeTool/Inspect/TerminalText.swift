// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

extension Unicode.Scalar {
  /// How many columns of a terminal it takes.
  var columnCount: Int {
    // Nothing below has marks or wide characters.
    if value < 0x300 { return 1 }
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark: return 0
    default: break
    }
    // The vowels and finals of a Korean syllable stand within its first letter.
    if (0x1160...0x11FF).contains(value) { return 0 }
    if properties.isEmojiPresentation { return 2 }
    return Self.wideRanges.contains { $0.contains(value) } ? 2 : 1
  }

  /// The scripts and signs of East Asia.
  private static let wideRanges: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3,
    0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD,
  ]
}

extension StringProtocol {
  /// How many columns of a terminal the text takes, which is a line without control characters.
  var columnCount: Int {
    // Most text is, and is counted often.
    if utf8.allSatisfy({ $0 < 0x80 }) { return utf8.count }
    return unicodeScalars.reduce(0) { $0 + $1.columnCount }
  }

  /// The text in at most so many columns, with `…` for what is left out in its middle: names differ at their ends.
  func shortened(toColumns limit: Int) -> String {
    if utf8.count <= limit || columnCount <= limit { return String(self) }
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

extension ToolEnvironment {
  /// How many columns the terminal has that output goes to; `nil` where it goes elsewhere.
  var outputWidth: Int? {
    guard outputIsTerminal else { return nil }
    if let columns = getenv("COLUMNS").flatMap({ Int(String(cString: $0)) }), (1...10_000).contains(columns) {
      return columns
    }
    var size = winsize()
    guard ioctl(output, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }
}
