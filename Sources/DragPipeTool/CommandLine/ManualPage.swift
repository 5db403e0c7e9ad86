// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The man page, generated from the table of commands with the macros of man(7).
struct ManualPage {
  private let entries: [CommandEntry]
  private var text = ""
  /// The UTF-8 length of ``text`` up to the end of the last heading.
  private var headingEnd = 0

  /// Returns the man page for `commands`, by default all commands of the tool.
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
    // If troff hyphenated a command name at a line end, a user could not copy the name.
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
      Every command has the option --help. A long option may be shortened to any unambiguous prefix. Its value follows a
      space or an equals sign. Short options without a value may be joined, as in -fq. After --, every argument is an
      operand. The operand - means standard input or standard output.
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

  /// Adds text: paragraphs are filled, indented lines stay separate lines.
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

  /// Adds a term and its meaning.
  ///
  /// The term must already be escaped.
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

  /// Adds vertical space before a paragraph, except directly below a heading.
  private mutating func startParagraph() {
    if text.utf8.count > headingEnd { text += ".PP\n" }
  }

  /// Returns a paragraph wrapped into short source lines, which troff joins again.
  private func filled(_ paragraph: String) -> String {
    HelpText.wrap(paragraph).split(separator: "\n").map { "\(Troff.escaped(String($0)))\n" }.joined()
  }
}

/// The parts of the man page with fixed text.
enum ManualReference {
  static let description = """
    An item is offered in several representations, each with a uniform type. Items cross a pipe, a socket or a file as a
    drop stream. The stream carries checksums of all its content and marks its end. A receiver keeps only complete and
    verified items; after a failure its exit status is not 0. If the sender fails, the receiver fails too, so the status
    of a pipeline covers both.

    Data goes to standard output, all messages to standard error. Control characters in names and messages from the peer
    are escaped.
    """

  static let endpoints: [(form: String, meaning: String)] = [
    ("-", "standard input or standard output"),
    ("FILE", "a file that holds a stream, a named pipe, or a path from <(…) or >(…)"),
    ("https://…", "an object of a web server, which can only be read"),
    ("unix:PATH", "a Unix domain socket: a sender listens at it, unless a receiver does (--listen)"),
    ("fd:N", "an open file descriptor; a socket is used in both directions, and may listen"),
    ("ssh:HOST:PATH", "a directory (--to) or a file (--from) of a machine that has dragpipe"),
    ("exec:COMMAND", "standard input and output of a shell command, in both directions"),
    ("stdio:", "standard input and standard output, in both directions; the other end of exec:"),
    ("clipboard:, primary:", "the clipboard of the display, or its primary selection"),
    ("desktop:", "a window, to drag sent items from it, or to drop received items onto it"),
  ]

  static let environment: [(name: String, meaning: String)] = [
    ("WAYLAND_DISPLAY", "the Wayland display of the clipboard and of windows, in XDG_RUNTIME_DIR"),
    ("DISPLAY", "the X11 display of the clipboard and of windows, without a Wayland display"),
    ("GTK_THEME", "a name that ends with -dark or :dark selects dark windows"),
    ("XAUTHORITY", "the file with the cookie of the display; default: .Xauthority in HOME"),
    ("NO_COLOR", "if set and not empty, no progress line is drawn; --progress always then writes lines"),
    ("TERM", "with the value dumb, the same as NO_COLOR"),
    ("COLUMNS", "the width of a terminal that does not report its width"),
    ("XDG_DATA_HOME", "the directory of the user's shared MIME database; default: .local/share in HOME"),
    ("HOME", "for the defaults of XAUTHORITY and XDG_DATA_HOME, and for the settings of curl"),
    (
      "XDG_DATA_DIRS",
      "the directories of the system's shared MIME database; default: /usr/local/share and /usr/share"
    ),
    (
      "TMPDIR",
      "the directory for temporary files: received content without a destination directory, and content too large for "
        + "memory; default: /tmp"
    ),
    ("DRAGPIPE_FILE", "the path of the item; receive --exec sets this and the following variables for COMMAND"),
    ("DRAGPIPE_NAME", "the sender's name for the item: text, not a path; empty if the item has no name"),
    ("DRAGPIPE_TYPE", "the type of the item; DRAGPIPE_MIME_TYPE is its MIME type, empty if it has none"),
    ("DRAGPIPE_SIZE", "the size of the item in bytes"),
    ("DRAGPIPE_INDEX", "the number of the item, from 1; DRAGPIPE_COUNT is the number of items"),
  ]

  static let files: [(name: String, meaning: String)] = [
    ("NAME.drop", "a drop stream in a file"),
    ("/usr/share/mime", "the shared MIME database, the source of the system's types"),
  ]

  static let standards = """
    CBOR content follows RFC 8949. Exit codes from 64 to 77 follow sysexits.h, and options follow the GNU conventions.
    Types come from the shared MIME database of freedesktop.org and from declarations in property lists.
    """

  static let seeAlso: [(name: String, section: Int)] = [
    ("file", 1), ("jq", 1), ("socat", 1), ("ssh", 1), ("sysexits", 3), ("update\\-mime\\-database", 1),
  ]
}

extension CommandEntry {
  /// Whether an option or an operand of the command is an endpoint.
  var knowsEndpoints: Bool {
    ([command.operand] + options.compactMap { $0.value?.completion }).contains {
      if case .endpoint = $0 { true } else { false }
    }
  }
}

/// Functions that escape and mark up text for troff.
enum Troff {
  /// Escapes every character that is special to troff.
  ///
  /// The result is safe in any line or argument.
  static func escaped(_ text: String) -> String {
    guarded(escapedCharacters(of: text))
  }

  /// Escapes a period at the start of the text; at the start of a line, troff would read it as a request.
  private static func guarded(_ text: String) -> String {
    text.hasPrefix(".") ? "\\&" + text : text
  }

  private static func escapedCharacters(of text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": escaped += "\\(rs"
      // troff prints a bare hyphen as U+2010, which shells do not accept in an option.
      case "-": escaped += "\\-"
      case "'": escaped += "\\(aq"
      case "\"": escaped += "\\(dq"
      case "`": escaped += "\\(ga"
      case "^": escaped += "\\(ha"
      case "~": escaped += "\\(ti"
      // Some output devices have no ellipsis.
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

  /// Marks up a synopsis: options in bold, placeholders in italics.
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
