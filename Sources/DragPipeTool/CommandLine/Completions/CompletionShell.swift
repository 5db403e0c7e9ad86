// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A shell that the tool knows how to tell of its commands.
enum CompletionShell: String, CaseIterable, Sendable {
  case bash
  case zsh
  case fish

  /// What the shell has to read to know commands.
  func script(for commands: [any ToolCommand.Type] = Tool.commands) -> String {
    switch self {
    case .bash: BashCompletion(entries: CommandEntry.all(commands)).script
    case .zsh: ZshCompletion(toplevel: CommandEntry.toplevel(commands)).script
    case .fish: FishCompletion(toplevel: CommandEntry.toplevel(commands)).script
    }
  }

  /// A text that the shell takes as it is.
  func quoted(_ text: String) -> String {
    switch self {
    case .bash, .zsh: "'\(text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#))'"
    case .fish: "'\(text.backslashing("'\\"))'"
    }
  }
}

extension String {
  /// The text with a backslash before each of the characters.
  func backslashing(_ characters: String) -> String {
    map { characters.contains($0) ? "\\\($0)" : "\($0)" }.joined()
  }
}
