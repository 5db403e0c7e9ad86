// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// Shows the page of a command, or of all of them.
struct HelpCommand: ToolCommand {
  static let name = "help"
  static let summary = "Shows how a command is used, or what commands there are."
  static let forms = ["[COMMAND…]"]
  static let examples = ["dragpipe help types of"]
  static var operand: ArgumentCompletion { .words(Tool.commands.map { $0.name }) }

  private let entry: CommandEntry?

  init(_ arguments: ParsedArguments) throws(ToolFailure) {
    var words = arguments.operands[...]
    var entry: CommandEntry?
    try CommandEntry.take(from: &words, found: &entry)
    if let entry, let word = words.first {
      throw ToolFailure(.usage, "\(entry.path) has no command \(word.escapedForDisplay())")
    }
    self.entry = entry
  }

  func run(in environment: ToolEnvironment) async throws {
    try await environment.write(entry.map(ToolHelp.page) ?? ToolHelp.overview)
  }
}
