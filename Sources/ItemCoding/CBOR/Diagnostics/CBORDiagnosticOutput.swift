// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// A string with a maximum length.
///
/// The first piece that would exceed the maximum length is replaced by `…`, and further pieces are left out.
struct CBORDiagnosticOutput {
  private(set) var text = ""
  /// Whether a piece was left out.
  private(set) var isElided = false
  /// The number of Unicode scalars that may still be appended.
  private var room: Int

  init(maximumLength: Int) {
    room = max(0, maximumLength)
  }

  /// Appends `piece`, which must be ASCII, unless it would exceed the maximum length.
  mutating func write(_ piece: String) {
    guard take(piece.utf8.count) else { return }
    text += piece
  }

  /// Appends `…` for the rest of the text.
  mutating func elide() {
    guard !isElided else { return }
    isElided = true
    text += "…"
  }

  /// Appends `bytes` as pairs of hexadecimal digits.
  mutating func writeHexadecimal(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      guard take(2) else { return }
      text.unicodeScalars.append(Self.digit(byte >> 4))
      text.unicodeScalars.append(Self.digit(byte & 15))
    }
  }

  /// Appends `scalar` in the form for text between quotes.
  mutating func writeEscaped(_ scalar: Unicode.Scalar, escapesNonASCII: Bool) {
    guard !isElided else { return }
    switch scalar {
    case "\"": write(#"\""#)
    case "\\": write(#"\\"#)
    case "\n": write(#"\n"#)
    case "\r": write(#"\r"#)
    case "\t": write(#"\t"#)
    case "\u{8}": write(#"\b"#)
    case "\u{C}": write(#"\f"#)
    default:
      if scalar.isInvisibleControl || escapesNonASCII && !scalar.isASCII {
        // A surrogate pair is one piece: half of it is meaningless.
        write(String(scalar).utf16.map { #"\u"# + Self.fourDigits($0) }.joined())
      } else if take(1) {
        text.unicodeScalars.append(scalar)
      }
    }
  }

  private mutating func take(_ length: Int) -> Bool {
    guard !isElided else { return false }
    guard length <= room else {
      elide()
      return false
    }
    room -= length
    return true
  }

  private static func digit(_ value: UInt8) -> Unicode.Scalar {
    Unicode.Scalar(value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value)
  }

  private static func fourDigits(_ unit: UInt16) -> String {
    let digits = String(unit, radix: 16)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }
}
