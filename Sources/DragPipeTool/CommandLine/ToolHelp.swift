// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The help texts, made of what the commands say of themselves.
enum ToolHelp {
  static let summary = "hands typed, verified items from one process to another"

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
      Commands (dragpipe COMMAND --help says more):
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
      HelpText.wrap(command.summary), indented(entry.synopses.map { "dragpipe \($0)" }),
      HelpText.table(entry.subcommands.map { ($0.command.name, $0.command.summary) }),
      HelpText.table(entry.options.map { (label(of: $0), $0.explanation) }), HelpText.set(command.notes),
      command.examples.isEmpty ? "" : "Examples:\n\(indented(command.examples))",
    ]
    return sections.filter { !$0.isEmpty }.joined(separator: "\n")
  }

  /// How an option is written; the long names stand below each other.
  private static func label(of option: OptionSpecification) -> String {
    let long = "--\(option.name)" + (option.value.map { " \($0.placeholder)" } ?? "")
    return (option.short.map { "-\($0), " } ?? "    ") + long
  }

  private static func indented(_ lines: [String]) -> String {
    lines.map { "  \($0)\n" }.joined()
  }

  /// A number and what it counts, in the plural where that is due.
  static func count(_ number: some BinaryInteger, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
  }

  static func pad(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}
