// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// A command with those that stand before it on the command line: an entry of the one table that the parser, the help,
/// the man page and the completions are made of.
struct CommandEntry: Sendable {
  /// From the outermost command to this one.
  let chain: [any ToolCommand.Type]
  let command: any ToolCommand.Type

  private init(_ command: any ToolCommand.Type, in parents: [any ToolCommand.Type] = []) {
    self.command = command
    chain = parents + [command]
  }

  /// What is typed to get here, without the program.
  var path: String { chain.map { $0.name }.joined(separator: " ") }

  /// Everything it takes.
  var options: [OptionSpecification] { command.options + [.help] }

  var subcommands: [CommandEntry] { command.subcommands.map { CommandEntry($0, in: chain) } }

  /// How it is called, a line for each form; a command of commands has theirs.
  var synopses: [String] {
    guard subcommands.isEmpty else { return subcommands.flatMap(\.synopses) }
    return command.forms.map { $0.isEmpty ? path : "\(path) \($0)" }
  }

  /// Those of commands that stand behind no other: of the tool's, if no others are named.
  static func toplevel(_ commands: [any ToolCommand.Type] = Tool.commands) -> [CommandEntry] {
    commands.map { CommandEntry($0) }
  }

  /// Those of commands, each followed by those of its subcommands.
  static func all(_ commands: [any ToolCommand.Type] = Tool.commands) -> [CommandEntry] {
    toplevel(commands).flatMap { [$0] + $0.subcommands }
  }

  /// Takes the words off a command line that name a command, which is `found` also where another should have followed.
  ///
  /// - Throws: `usage` for a word that names none, with what was probably meant.
  static func take(from words: inout ArraySlice<String>, found: inout CommandEntry?) throws(ToolFailure) {
    var candidates = Tool.commands
    while !candidates.isEmpty, let word = words.first, !word.isOption {
      guard let command = candidates.first(where: { $0.name == word }) else {
        throw unknown(word, among: candidates, behind: found)
      }
      words.removeFirst()
      found = CommandEntry(command, in: found?.chain ?? [])
      candidates = command.subcommands
    }
  }

  /// What to say to a word that names no command.
  static func unknown(
    _ word: String, among candidates: [any ToolCommand.Type], behind entry: CommandEntry? = nil
  ) -> ToolFailure {
    let names = candidates.map { $0.name }
    let hint = Spelling.hint(for: word, among: names)
    let path = (entry.map { "\($0.path) " } ?? "") + (word.isEmpty ? "\"\"" : word.escapedForDisplay())
    let list = names.joined(separator: ", ")
    return ToolFailure(.usage, "unknown command \(path)\(hint.isEmpty ? "; one of \(list)" : hint)")
  }
}
