// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The manual page, made of the table of commands; the macros are those of man(7).
struct ManualPage {
  private var text = ""

  static var text: String {
    var page = ManualPage()
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
    for entry in CommandEntry.toplevel() {
      for form in entry.command.forms { add(synopsis: entry.path, form) }
    }
    for option in Tool.options { add(synopsis: "", option.spellings.last ?? "") }
    add(section: "DESCRIPTION")
    add(ManualReference.description)
  }

  private mutating func addCommands() {
    add(section: "COMMANDS")
    add(
      """
      Every command has the option --help. Long options may be shortened as far as they stay unambiguous; their values
      stand behind a space or an equals sign. Letters without a value may be joined, as in -qv. Behind -- everything is
      an operand, and - stands for standard input or standard output.
      """)
    for entry in CommandEntry.all() { add(entry) }
  }

  private mutating func add(_ entry: CommandEntry) {
    text += ".SS \"dragpipe \(Troff.escaped(entry.path))\"\n"
    add(entry.command.summary)
    if entry.subcommands.isEmpty {
      text += ".PP\n"
      for form in entry.command.forms { add(synopsis: entry.path, form) }
    }
    for option in entry.command.options {
      let spellings = option.spellings.map { "\\fB\(Troff.escaped($0))\\fR" }.joined(separator: ", ")
      add(item: spellings + (option.value.map { " " + Troff.form($0.placeholder) } ?? ""), option.explanation)
    }
    add(entry.command.notes)
  }

  private mutating func addReference() {
    if CommandEntry.all().contains(where: \.knowsEndpoints) {
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
    add(lines: ToolHelp.examples + CommandEntry.all().flatMap { $0.command.examples })
    add(section: "STANDARDS")
    add(ManualReference.standards)
    add(section: "SEE ALSO")
    text += ManualReference.seeAlso.map { "\\fB\($0.name)\\fR(\($0.section))" }.joined(separator: ", ") + "\n"
  }

  // MARK: Pieces

  private mutating func add(section: String) {
    text += ".SH \(section.contains(" ") ? "\"\(section)\"" : section)\n"
  }

  /// Adds paragraphs, and lines that stay as they are.
  private mutating func add(_ paragraphs: String) {
    for block in HelpText.blocks(of: paragraphs) {
      switch block {
      case .paragraph(let paragraph): text += ".PP\n\(Troff.escaped(paragraph))\n"
      case .lines(let lines): add(lines: lines.map { $0.trimmingPrefix { $0 == " " } }.map(String.init))
      }
    }
  }

  private mutating func add(lines: [String]) {
    text += ".PP\n.RS 4\n.nf\n" + lines.map { "\(Troff.escaped($0))\n" }.joined() + ".fi\n.RE\n"
  }

  /// Adds a term, which is escaped already, and what it stands for.
  private mutating func add(item term: String, _ meaning: String) {
    text += ".TP\n\(term)\n\(Troff.escaped(meaning))\n"
  }

  private mutating func add(synopsis path: String, _ form: String) {
    let command = path.isEmpty ? "dragpipe" : "dragpipe \(path)"
    text += "\\fB\(Troff.escaped(command))\\fR" + (form.isEmpty ? "" : " \(Troff.form(form))") + "\n.br\n"
  }
}
