// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The manual page, made of the table of commands; the macros are those of man(7).
struct ManualPage {
  private let entries: [CommandEntry]
  private var text = ""
  /// Where the last heading ends.
  private var headingEnd = 0

  /// The page of commands: of the tool's, if no others are named.
  static func text(for commands: [any ToolCommand.Type] = Tool.commands) -> String {
    var page = ManualPage(entries: CommandEntry.all(commands))
    page.addHead()
    page.addCommands()
    page.addReference()
    return page.text
  }

  // MARK: Sections

  private mutating func addHead() {
    text += ".TH DRAGPIPE 1 \"\" \"dragpipe \(Tool.version)\" \"User Commands\"\n"
    // A name that is broken at its end of the line cannot be copied.
    text += ".nh\n.ad l\n"
    add(section: "NAME")
    text += "dragpipe \\- \(Troff.escaped(ToolHelp.summary))\n"
    add(section: "SYNOPSIS")
    let commands = entries.filter { $0.chain.count == 1 }
    add(
      synopses: commands.flatMap { entry in entry.command.forms.map { (entry.path, $0) } }
        + Tool.options.map { ("", "--\($0.name)") })
    add(section: "DESCRIPTION")
    add(ManualReference.description)
  }

  private mutating func addCommands() {
    add(section: "COMMANDS")
    add(
      """
      Every command has the option --help. Long options may be shortened as far as they stay unambiguous; their values
      stand behind a space or an equals sign. Letters without a value may be joined, as in -fq. Behind -- everything is
      an operand, and - stands for standard input or standard output.
      """)
    for entry in entries { add(entry) }
  }

  private mutating func add(_ entry: CommandEntry) {
    text += ".SS \"dragpipe \(Troff.escaped(entry.path))\"\n"
    headingEnd = text.utf8.count
    add(entry.command.summary)
    if entry.subcommands.isEmpty { add(synopses: entry.command.forms.map { (entry.path, $0) }) }
    for option in entry.command.options {
      let spellings = option.spellings.map { "\\fB\(Troff.escaped($0))\\fR" }.joined(separator: ", ")
      add(item: spellings + (option.value.map { " " + Troff.form($0.placeholder) } ?? ""), option.explanation)
    }
    add(entry.command.notes)
  }

  private mutating func addReference() {
    if entries.contains(where: \.knowsEndpoints) {
      add(section: "ENDPOINTS")
      for (form, meaning) in ManualReference.endpoints { add(item: Troff.form(form), meaning) }
    }
    add(section: "EXIT STATUS")
    for (code, meaning) in ToolExitCode.meanings { add(item: "\\fB\(code)\\fR", meaning) }
    add(section: "ENVIRONMENT")
    for (name, meaning) in ManualReference.environment { add(item: "\\fB\(Troff.escaped(name))\\fR", meaning) }
    add(section: "FILES")
    for (name, meaning) in ManualReference.files { add(item: "\\fI\(Troff.escaped(name))\\fR", meaning) }
    add(section: "EXAMPLES")
    add(lines: ToolHelp.examples + entries.flatMap { $0.command.examples })
    add(section: "STANDARDS")
    add(ManualReference.standards)
    add(section: "SEE ALSO")
    text += ManualReference.seeAlso.map { "\\fB\($0.name)\\fR(\($0.section))" }.joined(separator: ", ") + "\n"
  }

  // MARK: Pieces

  private mutating func add(section: String) {
    text += ".SH \(section.contains(" ") ? "\"\(section)\"" : section)\n"
    headingEnd = text.utf8.count
  }

  /// Adds paragraphs, and lines that stay as they are.
  private mutating func add(_ paragraphs: String) {
    for block in HelpText.blocks(of: paragraphs) {
      switch block {
      case .paragraph(let paragraph):
        startParagraph()
        text += filled(paragraph)
      case .lines(let lines): add(lines: lines.map { $0.trimmingPrefix { $0 == " " } }.map(String.init))
      }
    }
  }

  private mutating func add(lines: [String]) {
    startParagraph()
    text += ".RS 4\n.nf\n" + lines.map { "\(Troff.escaped($0))\n" }.joined() + ".fi\n.RE\n"
  }

  /// Adds a term, which is escaped already, and what it stands for.
  private mutating func add(item term: String, _ meaning: String) {
    text += ".TP\n\(term)\n\(filled(meaning))"
  }

  private mutating func add(synopses: [(path: String, form: String)]) {
    startParagraph()
    let lines = synopses.map { path, form in
      let command = path.isEmpty ? "dragpipe" : "dragpipe \(path)"
      return "\\fB\(Troff.escaped(command))\\fR\(form.isEmpty ? "" : " \(Troff.form(form))")\n"
    }
    text += lines.joined(separator: ".br\n")
  }

  /// Leaves some space, but not below a heading, where there is some.
  private mutating func startParagraph() {
    if text.utf8.count > headingEnd { text += ".PP\n" }
  }

  /// Lines that troff puts together again, and people can read.
  private func filled(_ paragraph: String) -> String {
    HelpText.wrap(paragraph).split(separator: "\n").map { "\(Troff.escaped(String($0)))\n" }.joined()
  }
}
