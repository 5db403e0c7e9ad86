// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Text of paragraphs that may be set to any width, and of indented lines that stay as they are.
enum HelpText {
  enum Block: Equatable {
    case paragraph(String)
    case lines([String])
  }

  /// As wide as every terminal is.
  static let width = 80

  static func blocks(of text: String) -> [Block] {
    var blocks: [Block] = []
    var continues = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      guard !line.isEmpty else {
        continues = false
        continue
      }
      switch (blocks.last, line.hasPrefix(" ")) {
      case (.paragraph(let text)?, false) where continues:
        blocks[blocks.count - 1] = .paragraph("\(text) \(line)")
      case (.lines(let lines)?, true) where continues:
        blocks[blocks.count - 1] = .lines(lines + [String(line)])
      default: blocks.append(line.hasPrefix(" ") ? .lines([String(line)]) : .paragraph(String(line)))
      }
      continues = true
    }
    return blocks
  }

  /// Sets every paragraph to the width; each block ends in a newline, and an empty line is between two of them.
  static func set(_ text: String) -> String {
    blocks(of: text).map { block in
      switch block {
      case .paragraph(let text): wrap(text)
      case .lines(let lines): lines.joined(separator: "\n") + "\n"
      }
    }.joined(separator: "\n")
  }

  /// Breaks a text between words, for a first line that starts in `column` and others that are indented.
  static func wrap(_ text: String, indentation: Int = 0, from column: Int = 0) -> String {
    var result = ""
    var position = column
    var isAtStart = true
    for word in text.split(separator: " ") {
      if !isAtStart, position + 1 + word.count > width {
        result += "\n" + String(repeating: " ", count: indentation)
        position = indentation
        isAtStart = true
      }
      if !isAtStart { result += " " }
      result += word
      position += word.count + (isAtStart ? 0 : 1)
      isAtStart = false
    }
    return result + "\n"
  }

  /// Rows of a name and what it stands for, in two columns.
  static func table(_ rows: [(label: String, text: String)]) -> String {
    let longest = rows.map(\.label.count).filter { $0 <= 24 }.max() ?? 0
    let column = longest + 4
    return rows.map { label, text in
      let fits = label.count <= longest
      let start = fits ? "  " + ToolHelp.pad(label, to: longest + 2) : "  \(label)\n" + ToolHelp.pad("", to: column)
      return start + wrap(text, indentation: column, from: column)
    }.joined()
  }
}
