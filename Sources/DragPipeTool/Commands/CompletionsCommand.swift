// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// Writes what a shell needs to complete command lines.
struct CompletionsCommand: ToolCommand {
  static let name = "completions"
  static let summary = "Writes a script that has a shell complete command lines."
  static var forms: [String] { [CompletionShell.allCases.map(\.rawValue).joined(separator: "|")] }
  static let notes = """
    bash reads the script from its start-up file, zsh from a file _dragpipe in a directory of its fpath, fish from a
    file dragpipe.fish in .config/fish/completions of the home directory.
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
      throw ToolFailure(.usage, "completions for which shell? one of \(Self.shells)")
    }
    guard let shell = CompletionShell(rawValue: arguments.operands[0]) else {
      throw ToolFailure(
        .usage, "no completions for \(arguments.operands[0].escapedForDisplay()); one of \(Self.shells)")
    }
    self.shell = shell
  }

  private static var shells: String { CompletionShell.allCases.map(\.rawValue).joined(separator: ", ") }

  func run(in environment: ToolEnvironment) async throws {
    try await environment.write(shell.script())
  }
}
