// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// A command of the tool: its table entry and its work.
protocol ToolCommand: Sendable {
  static var name: String { get }
  /// One sentence for the list of commands.
  static var summary: String { get }
  /// The synopses: for each form of the command, the text after its name.
  static var forms: [String] { get }
  /// The options, except `--help`, which every command has.
  static var options: [OptionSpecification] { get }
  /// The kind of the operands, for completions.
  static var operand: ArgumentCompletion { get }
  /// The subcommands. A command with subcommands does nothing itself.
  static var subcommands: [any ToolCommand.Type] { get }
  /// Further paragraphs for the help. Indented lines are not wrapped.
  static var notes: String { get }
  /// Example command lines for a shell.
  static var examples: [String] { get }

  /// Does work that must precede the creation of this command or of a subcommand.
  static func prepare()
  /// Creates the command from its parsed arguments.
  init(_ arguments: ParsedArguments) throws(ToolFailure)
  func run(in environment: ToolEnvironment) async throws
}

extension ToolCommand {
  static var options: [OptionSpecification] { [] }
  static var operand: ArgumentCompletion { .none }
  static var subcommands: [any ToolCommand.Type] { [] }
  static var notes: String { "" }
  static var examples: [String] { [] }
  static func prepare() {}
}

/// A command together with the commands that contain it.
///
/// The parser, the help, the man page and the completions all read these entries.
struct CommandEntry: Sendable {
  /// The commands from the outermost command to this command.
  let chain: [any ToolCommand.Type]
  let command: any ToolCommand.Type

  private init(_ command: any ToolCommand.Type, in parents: [any ToolCommand.Type] = []) {
    self.command = command
    chain = parents + [command]
  }

  /// The words that name the command, without the program's name.
  var path: String { chain.map { $0.name }.joined(separator: " ") }

  /// The options of the command, including `--help`.
  var options: [OptionSpecification] { command.options + [.help] }

  var subcommands: [CommandEntry] { command.subcommands.map { CommandEntry($0, in: chain) } }

  /// The synopses, one string each.
  ///
  /// A command with subcommands has the synopses of its subcommands.
  var synopses: [String] {
    guard subcommands.isEmpty else { return subcommands.flatMap(\.synopses) }
    return command.forms.map { $0.isEmpty ? path : "\(path) \($0)" }
  }

  /// Returns the entries of `commands`, by default all commands of the tool.
  ///
  /// Subcommands have no entries.
  static func toplevel(_ commands: [any ToolCommand.Type] = Tool.commands) -> [CommandEntry] {
    commands.map { CommandEntry($0) }
  }

  /// Returns the entries of `commands`, each followed by the entries of its subcommands.
  static func all(_ commands: [any ToolCommand.Type] = Tool.commands) -> [CommandEntry] {
    toplevel(commands).flatMap { [$0] + $0.subcommands }
  }

  /// Removes the words that name a command from the start of a command line.
  ///
  /// - Parameters:
  ///   - words: The arguments, starting with the name of a command.
  ///   - found: The innermost command found; also set if the name of its subcommand is missing or unknown.
  /// - Throws: `usage` for an unknown name, with similar names.
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

  /// Returns the error for an unknown name of a command.
  static func unknown(
    _ word: String, among candidates: [any ToolCommand.Type], behind entry: CommandEntry? = nil
  ) -> ToolFailure {
    let names = candidates.map { $0.name }
    let hint = Spelling.hint(for: word, among: names)
    let path = (entry.map { "\($0.path) " } ?? "") + (word.isEmpty ? "\"\"" : word.escapedForDisplay())
    let list = names.joined(separator: ", ")
    return ToolFailure(.usage, "unknown command \(path)\(hint.isEmpty ? "; use one of \(list)" : hint)")
  }
}
