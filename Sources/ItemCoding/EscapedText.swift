// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

extension Unicode.Scalar {
  /// Whether the scalar acts on a terminal or on the text around it rather than being seen: control characters, line
  /// and paragraph separators, direction marks and other format characters.
  package var isInvisibleControl: Bool {
    // The general category is a search in a table; most text is plain ASCII.
    if isASCII { return value < 0x20 || value == 0x7F }
    return switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
    default: false
    }
  }
}

extension String {
  /// A JSON text that means the same, with everything in its strings that could act on a terminal written as `\uXXXX`.
  package var escapedInJSON: String {
    guard unicodeScalars.contains(where: { $0.isInvisibleControl && $0 != "\n" }) else { return self }
    var escaped = ""
    for scalar in unicodeScalars {
      // Outside of strings JSON has no control character but white space, and ours none but the line feed.
      guard scalar.isInvisibleControl, scalar != "\n" else {
        escaped.unicodeScalars.append(scalar)
        continue
      }
      for unit in String(scalar).utf16 {
        let digits = String(unit, radix: 16)
        escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
    }
    return escaped
  }
}

extension StringProtocol {
  /// The text with everything that could act on a terminal written as `\u{…}`, cut at `limit` characters.
  ///
  /// Whatever a peer says goes through here before a person or a log sees it.
  ///
  /// - Parameters:
  ///   - limit: How many characters are shown.
  ///   - mayBeEscaped: Whether the text may have gone through here already, such as the sentence of a peer that quotes a
  ///     name: a backslash is not doubled then.
  /// - Returns: The text.
  package func escapedForDisplay(limit: Int = 200, mayBeEscaped: Bool = false) -> String {
    let isPlain = utf8.allSatisfy { (0x20..<0x7F).contains($0) && (mayBeEscaped || $0 != UInt8(ascii: "\\")) }
    if isPlain, utf8.count <= limit { return String(self) }
    var escaped = ""
    var count = 0
    for scalar in unicodeScalars {
      guard count < limit else { return escaped + "…" }
      count += 1
      if scalar == "\\", !mayBeEscaped {
        escaped += #"\\"#
      } else if scalar.isInvisibleControl {
        escaped += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
