// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Text that Markdown shows as it is.
package enum MarkdownText {
  /// Characters that may begin or end something else than text, wherever they stand.
  private static let marks: Set<Unicode.Scalar> = [
    "\\", "`", "*", "_", "[", "]", "{", "}", "|", "~", "#", "$",
  ]

  /// A part of a line that is taken neither for markup nor for the end of a table's cell.
  package static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in line(text).unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case _ where marks.contains(scalar):
        escaped += "\\"
        escaped.unicodeScalars.append(scalar)
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// Lines that are shown as they are, whatever is in them; text goes on behind its own ends of lines.
  package static func code(_ text: String) -> String {
    "    \(line(text))\n"
  }

  /// Text without what ends a line or no page may contain.
  private static func line(_ text: String) -> String {
    var line = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\n", "\r", "\t", "\u{85}", "\u{2028}", "\u{2029}": line += " "
      case "\0"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}", "\u{FFFE}",
        "\u{FFFF}":
        line += "\u{FFFD}"
      default: line.unicodeScalars.append(scalar)
      }
    }
    return line
  }
}
