// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// What troff reads, of what people do.
enum Troff {
  /// A text in which nothing means anything to troff, whatever line or argument it becomes.
  static func escaped(_ text: String) -> String {
    guarded(escapedCharacters(of: text))
  }

  /// At the beginning of a line a period would make it a request.
  private static func guarded(_ text: String) -> String {
    text.hasPrefix(".") ? "\\&" + text : text
  }

  private static func escapedCharacters(of text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": escaped += "\\(rs"
      // A bare one becomes a hyphen that no shell takes for an option.
      case "-": escaped += "\\-"
      case "'": escaped += "\\(aq"
      case "\"": escaped += "\\(dq"
      case "`": escaped += "\\(ga"
      case "^": escaped += "\\(ha"
      case "~": escaped += "\\(ti"
      // Not every output device has one.
      case "…": escaped += "..."
      case "\n": escaped += " "
      case _ where scalar.isASCII: escaped.unicodeScalars.append(scalar)
      default:
        let digits = String(scalar.value, radix: 16, uppercase: true)
        escaped += "\\[u\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)]"
      }
    }
    return escaped
  }

  /// How something is called: options bold, what stands for a value in italics.
  static func form(_ form: String) -> String {
    var result = ""
    var rest = form[...]
    while let first = rest.first {
      let isBoundary = rest.startIndex == form.startIndex || !form[form.index(before: rest.startIndex)].isLetter
      let run: Substring
      if first == "-", isBoundary, rest.count > 1 {
        run = rest.prefix { $0 == "-" || $0.isLetter }
        result += run.count > 1 ? "\\fB\(escapedCharacters(of: String(run)))\\fR" : escapedCharacters(of: String(run))
      } else if first.isUppercase {
        run = rest.prefix { $0.isUppercase }
        result += "\\fI\(run)\\fR"
      } else {
        run = rest.prefix(1)
        result += escapedCharacters(of: String(run))
      }
      rest = rest.dropFirst(run.count)
    }
    return guarded(result)
  }
}
