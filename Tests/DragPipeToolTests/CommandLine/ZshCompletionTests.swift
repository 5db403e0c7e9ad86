// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import DragPipeTool

@Suite(
  "Completion in zsh", .serialized, .limited, .enabled(if: installedProgram("zsh") != nil), .timeLimit(.minutes(5)))
struct ZshCompletionTests {
  /// Lets zsh complete command lines in a terminal of its own.
  ///
  /// - Returns: For each line, the offered words, sorted and without quotes.
  private func complete(
    _ lines: [String], _ commands: [any ToolCommand.Type] = CompletionShell.sampleCommands
  ) async throws -> [[String]] {
    let directory = try CompletionShell.zsh.sampleDirectory(for: commands)
    try directory.write(Data(Self.setup.utf8), to: "setup.zsh")
    let quoted = lines.map { CompletionShell.zsh.quoted("dragpipe \($0)") }.joined(separator: " ")
    try directory.write(Data("\(Self.trial)\nfor line in \(quoted); do try $line; done\n".utf8), to: "trial.zsh")
    let run = try await ScriptRun(
      "zsh -n _dragpipe && zsh -f trial.zsh; [ ! -e pwned ] || echo pwned", in: directory.url)
    #expect(run.lines.allSatisfy { $0.hasPrefix(">") }, "\(run.output)")
    return run.lines.map { $0.replacing("\\", with: "").dropFirst().split(separator: "|").map(String.init).sorted() }
  }

  /// The set-up of the shell that completes.
  ///
  /// It writes the offers to the file `offers`, and then a key reports the end.
  private static let setup = #"""
    fpath=($PWD $fpath)
    autoload -Uz compinit && compinit -D -u
    compadd() {
      if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi
      local -a hits
      builtin compadd -O hits "$@"
      (($#hits)) && print -rl -- $IPREFIX$^hits >> offers
      builtin compadd "$@"
    }
    finish() { BUFFER=; : > finished; }
    zle -N finish
    bindkey '^T' finish
    bindkey '^I' complete-word
    unsetopt beep auto_list auto_menu
    : > finished
    """#

  /// The script that types the command lines.
  private static let trial = #"""
    zmodload zsh/zpty
    wait_for() {
      repeat 2000; do
        zpty -rt shell > /dev/null 2>&1
        [[ -e finished ]] && break
        sleep 0.01
      done
      rm -f finished
    }
    zpty shell zsh -f -i
    zpty -w shell '. ./setup.zsh'
    wait_for
    try() {
      : > offers
      zpty -w -n shell "$1"$'\t\x14'
      wait_for
      local -aU offers=(${(f)"$(<offers)"})
      print -r -- ">${(j:|:)offers}"
    }
    """#

  @Test("commands, options, values and operands are completed by their kind")
  func completesCommandsOptionsAndValues() async throws {
    let expectations = [
      ("", ["carry", "group"]), ("car", ["carry"]), ("--", ["--help", "--version"]), ("carry --as ", ["card", "hero"]),
      ("carry --as=h", ["--as=hero"]), ("carry -q --as h", ["hero"]), ("carry --folder sag", ["sagas"]),
      ("carry -C wal", ["walhalla"]), ("carry --output saga", ["saga one.txt", "saga=2.txt", "sagas"]),
      ("carry --name wal", []), ("carry --type public.", ["public.jpeg", "public.png"]),
      ("carry --type=.jp", ["--type=.jpeg", "--type=.jpg"]), ("carry -t image/p", ["image/png"]),
      ("carry --to un", ["unix:"]), ("carry --to unix:wal", ["unix:walhalla"]), ("carry --to wal", ["walhalla"]),
      ("carry wal", ["walhalla"]), ("group ", ["carry", "folder"]), ("group folder sag", ["sagas"]),
      ("group carry --as c", ["card"]), ("fly wal", []), ("carry --qu", ["--quick"]), ("carry --quick --qu", []),
      ("carry --type a --ty", ["--type"]),
    ]
    let replies = try await complete(expectations.map(\.0))
    try #require(replies.count == expectations.count)
    for ((line, expected), reply) in zip(expectations, replies) { #expect(reply == expected, "\(line)") }
  }

  @Test("every command of the table completes, with its long options")
  func completesEveryCommand() async throws {
    let entries = CommandEntry.all()
    let replies = try await complete(entries.map { "\($0.path) --" }, Tool.commands)
    try #require(replies.count == entries.count)
    for (entry, reply) in zip(entries, replies) {
      #expect(reply == entry.options.map { "--\($0.name)" }.sorted(), "\(entry.path)")
    }
  }
}
