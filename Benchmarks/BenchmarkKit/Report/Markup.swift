// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Text for XML and HTML.
package enum Markup {
  /// Text that cannot be taken for markup, in content and in quoted attributes; what no page may contain is replaced.
  package static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      case "\t", "\n", "\r": escaped.unicodeScalars.append(scalar)
      case "\0"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// A number as short as a picture needs it; what lies beyond every picture stays there.
  package static func number(_ value: Double) -> String {
    guard value.isFinite else { return "0" }
    let tenths = Int((max(-1e9, min(1e9, value)) * 10).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(Double(tenths) / 10)"
  }
}
