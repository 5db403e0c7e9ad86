// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A command of the tool: how it is called, and what it does.
protocol ToolCommand: Sendable {
  static var name: String { get }
  /// One line for the list of commands.
  static var summary: String { get }
  /// What follows the name, one line for each form.
  static var forms: [String] { get }
  /// All it knows but `--help`, which every command has.
  static var options: [OptionSpecification] { get }
  /// What its operands are.
  static var operand: ArgumentCompletion { get }
  /// The commands that stand behind it; a command that has such does nothing itself.
  static var subcommands: [any ToolCommand.Type] { get }
  /// Anything more that the help should say, in paragraphs; indented lines stay as they are.
  static var notes: String { get }
  /// Lines for a shell that show what it is good for.
  static var examples: [String] { get }

  /// What has to be done before it or one of its subcommands runs.
  static func prepare()
  /// Makes sense of what was typed.
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
