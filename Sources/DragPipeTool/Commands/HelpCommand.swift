// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// The command `help`, which shows the help of a command, or the list of commands.
struct HelpCommand: TextCommand {
  static let name = "help"
  static let summary = "Shows the help of a command, or the list of commands."
  static let forms = ["[COMMAND…]"]
  static let examples = ["dragpipe help types of"]
  static var operand: ArgumentCompletion { .words(Tool.commands.map { $0.name }) }

  private let entry: CommandEntry?

  init(_ arguments: ParsedArguments) throws(ToolFailure) {
    var words = arguments.operands[...]
    var entry: CommandEntry?
    try CommandEntry.take(from: &words, found: &entry)
    if let entry, let word = words.first {
      throw ToolFailure(.usage, "\(entry.path) has no subcommand \(word.escapedForDisplay())")
    }
    self.entry = entry
  }

  var text: String { entry.map(ToolHelp.page) ?? ToolHelp.overview }
}

/// The command `version`, which shows the version, as `--version` does.
struct VersionCommand: TextCommand {
  static let name = "version"
  static let summary = "Shows the version."
  static let forms = [""]

  init(_ arguments: ParsedArguments) throws(ToolFailure) {
    guard arguments.operands.isEmpty else { throw ToolFailure(.usage, "version takes no operand") }
  }

  var text: String { Tool.versionLine }
}

/// The command `man`, which writes the man page.
struct ManCommand: TextCommand {
  static let name = "man"
  static let summary = "Writes the man page."
  static let forms = [""]
  static let notes = "The page uses the macros of man(7). Write it to a file with a name like dragpipe.1."
  static let examples = ["dragpipe man > dragpipe.1 && man ./dragpipe.1"]

  init(_ arguments: ParsedArguments) throws(ToolFailure) {
    guard arguments.operands.isEmpty else { throw ToolFailure(.usage, "man takes no operand") }
  }

  var text: String { ManualPage.text() }
}

/// The command `completions`, which writes a completion script for a shell.
struct CompletionsCommand: TextCommand {
  static let name = "completions"
  static let summary = "Writes a completion script for a shell."
  static var forms: [String] { [CompletionShell.allCases.map(\.rawValue).joined(separator: "|")] }
  static let notes = """
    For bash, source the script in its start-up file. For zsh, write it to a file _dragpipe in a directory of fpath. For
    fish, write it to the file .config/fish/completions/dragpipe.fish in the home directory.
    """
  static let examples = [
    "source <(dragpipe completions bash)",
    "dragpipe completions zsh > ~/.zfunc/_dragpipe",
    "dragpipe completions fish > ~/.config/fish/completions/dragpipe.fish",
  ]
  static var operand: ArgumentCompletion { .words(CompletionShell.allCases.map(\.rawValue)) }

  private let shell: CompletionShell

  init(_ arguments: ParsedArguments) throws(ToolFailure) {
    guard arguments.operands.count == 1 else {
      throw ToolFailure(.usage, "completions needs one operand, a shell: \(Self.shells)")
    }
    guard let shell = CompletionShell(rawValue: arguments.operands[0]) else {
      throw ToolFailure(
        .usage, "unknown shell \(arguments.operands[0].escapedForDisplay()); use one of \(Self.shells)")
    }
    self.shell = shell
  }

  private static var shells: String { CompletionShell.allCases.map(\.rawValue).joined(separator: ", ") }

  var text: String { shell.script() }
}

/// A shell for which the tool can write a completion script.
enum CompletionShell: String, CaseIterable, Sendable {
  case bash
  case zsh
  case fish

  /// Returns the completion script.
  func script(for commands: [any ToolCommand.Type] = Tool.commands) -> String {
    switch self {
    case .bash: BashCompletion(entries: CommandEntry.all(commands)).script
    case .zsh: ZshCompletion(toplevel: CommandEntry.toplevel(commands)).script
    case .fish: FishCompletion(toplevel: CommandEntry.toplevel(commands)).script
    }
  }

  /// Quotes a string so that the shell takes it literally.
  func quoted(_ text: String) -> String {
    switch self {
    case .bash, .zsh: "'\(text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#))'"
    case .fish: "'\(text.backslashing("'\\"))'"
    }
  }
}

extension String {
  /// Returns the string with a backslash before each character that `characters` contains.
  func backslashing(_ characters: String) -> String {
    map { characters.contains($0) ? "\\\($0)" : "\($0)" }.joined()
  }
}
