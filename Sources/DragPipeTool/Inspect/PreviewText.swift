// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// The text of a preview: as much as a person looks at, whatever there is.
///
/// From the first piece that has no room, nothing more is taken, and `…` stands for it.
struct PreviewText: Sendable {
  /// In Unicode scalars.
  static let maximumLength = 2000
  static let maximumLineCount = 64

  private(set) var text = ""
  /// Whether something was left out.
  private(set) var isCut = false
  private var length = 0
  private var lineCount = 1

  /// Adds a piece as it is, as far as there is room for it.
  mutating func write(_ piece: some StringProtocol) {
    guard !isCut else { return }
    for scalar in piece.unicodeScalars {
      guard length < Self.maximumLength else { return cut() }
      text.unicodeScalars.append(scalar)
      length += 1
    }
  }

  /// Adds what may be anything, as it stands in a JSON string, with its quotes.
  mutating func writeQuoted(_ string: String) {
    write("\"")
    for scalar in string.unicodeScalars where !isCut {
      switch scalar {
      case "\"": write(#"\""#)
      case "\\": write(#"\\"#)
      case "\n": write(#"\n"#)
      default: scalar.isInvisibleControl ? write(String(scalar).escapedInJSON) : write(String(scalar))
      }
    }
    write("\"")
  }

  /// Begins a line, so many levels in.
  mutating func beginLine(level: Int) {
    guard !isCut, lineCount < Self.maximumLineCount else { return cut() }
    lineCount += 1
    write("\n")
    for _ in 0..<level where !isCut { write("  ") }
  }

  /// Ends the text with `…` for everything that would follow.
  mutating func cut() {
    guard !isCut else { return }
    isCut = true
    text += "…"
  }
}
