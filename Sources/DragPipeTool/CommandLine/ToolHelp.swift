// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The help texts, generated from the table of commands.
enum ToolHelp {
  static let summary = "sends typed, verified items from one process to another"

  static let examples = [
    "dragpipe send notes.txt photo.png | dragpipe receive in/",
    "dragpipe send --as hero heroes.json | dragpipe receive --as hero --into favourites.json",
    "dragpipe demo",
  ]

  static var overview: String {
    let codes = ToolExitCode.meanings.map {
      (label: pad("", to: $0.code < 10 ? 2 : $0.code < 100 ? 1 : 0) + "\($0.code)", $0.meaning)
    }
    return """
      dragpipe \(summary).

      \(indented(examples))
      Commands (see also dragpipe COMMAND --help):
      \(HelpText.table(CommandEntry.toplevel().map { ($0.command.name, $0.command.summary) }))
      Options:
      \(HelpText.table(Tool.options.map { (label(of: $0), $0.explanation) }))
      Exit codes:
      \(HelpText.table(codes))
      """
  }

  static func page(for entry: CommandEntry) -> String {
    let command = entry.command
    let sections = [
      HelpText.wrap(command.summary), entry.synopses.map { synopsis("dragpipe \($0)") }.joined(),
      HelpText.table(entry.subcommands.map { ($0.command.name, $0.command.summary) }),
      HelpText.table(entry.options.map { (label(of: $0), $0.explanation) }), HelpText.set(command.notes),
      entry.knowsEndpoints
        ? "ENDPOINT is one of:\n" + HelpText.table(ManualReference.endpoints.map { ($0.form, $0.meaning) }) : "",
      command.examples.isEmpty ? "" : "Examples:\n\(indented(command.examples))",
    ]
    return sections.filter { !$0.isEmpty }.joined(separator: "\n")
  }

  /// Returns the spellings of an option in a column where all long names are aligned.
  private static func label(of option: OptionSpecification) -> String {
    let long = "--\(option.name)" + (option.value.map { " \($0.placeholder)" } ?? "")
    return (option.short.map { "-\($0), " } ?? "    ") + long
  }

  /// Returns a synopsis with its continuation lines, which begin with an option in brackets or an operand.
  private static func synopsis(_ text: String) -> String {
    var depth = 0
    // A no-break space keeps an option and its value together.
    let unbroken = text.map { character -> Character in
      if character == "[" { depth += 1 } else if character == "]" { depth -= 1 }
      return character == " " && depth > 0 ? "\u{A0}" : character
    }
    let lines = HelpText.wrap(String(unbroken), indentation: 6, from: 2)
    return "  " + String(lines.map { $0 == "\u{A0}" ? " " : $0 })
  }

  private static func indented(_ lines: [String]) -> String {
    lines.map { "  \($0)\n" }.joined()
  }

  /// Returns a number and its noun; the noun gets an "s" unless the number is 1.
  static func count(_ number: some BinaryInteger, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
  }

  static func pad(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}

/// Functions that lay out help text.
///
/// Paragraphs are wrapped to ``width``; indented lines are not changed.
enum HelpText {
  enum Block: Equatable {
    case paragraph(String)
    case lines([String])
  }

  /// The width of the help, in columns.
  ///
  /// Terminals are normally at least this wide.
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

  /// Returns the text with wrapped paragraphs.
  ///
  /// Each block ends in a newline, and an empty line separates two blocks.
  static func set(_ text: String) -> String {
    blocks(of: text).map { block in
      switch block {
      case .paragraph(let text): wrap(text)
      case .lines(let lines): lines.joined(separator: "\n") + "\n"
      }
    }.joined(separator: "\n")
  }

  /// Wraps a paragraph between words.
  ///
  /// The first line starts in `column`. All other lines start after `indentation` spaces.
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

  /// Returns two columns: labels and their texts.
  ///
  /// A label of more than 24 characters gets a line of its own, above its text.
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
