// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import DragPipeTool

@Suite(
  "Completion in fish", .serialized, .limited, .enabled(if: installedProgram("fish") != nil), .timeLimit(.minutes(5)))
struct FishCompletionTests {
  /// Lets fish complete command lines.
  ///
  /// - Returns: For each line, the offered words without their descriptions.
  private func complete(
    _ lines: [String], _ commands: [any ToolCommand.Type] = CompletionShell.sampleCommands
  ) async throws -> [[String]] {
    let directory = try CompletionShell.fish.sampleDirectory(for: commands)
    let quoted = lines.map { CompletionShell.fish.quoted("dragpipe \($0)") }.joined(separator: " ")
    let script = """
      source ./_dragpipe
      for line in \(quoted)
        set -l offers (complete -C $line | string replace -r '\\t.*' '' | string join '|')
        echo ">$offers"
      end
      test -e pwned; and echo pwned
      """
    try directory.write(Data(script.utf8), to: "trial.fish")
    let run = try await ScriptRun("fish --no-execute _dragpipe && fish --no-config trial.fish", in: directory.url)
    #expect(run.lines.allSatisfy { $0.hasPrefix(">") }, "\(run.output)")
    return run.lines.map { $0.dropFirst().split(separator: "|").map(String.init) }
  }

  @Test("every command, option and subcommand of the table is offered in its context only")
  func offersTheTable() async throws {
    let entries = CommandEntry.all()
    let replies = try await complete(["", "-"] + entries.map { "\($0.path) -" }, Tool.commands)
    try #require(replies.count == entries.count + 2)
    #expect(replies[0].sorted() == Tool.commands.map { $0.name }.sorted())
    #expect(replies[1].sorted() == Tool.options.flatMap(\.spellings).sorted())
    for (entry, reply) in zip(entries, replies.dropFirst(2)) {
      // fish lists short options first, even if an option has no short form.
      #expect(reply.sorted() == entry.options.flatMap(\.spellings).sorted(), "\(entry.path)")
    }
    let groups = entries.filter { !$0.subcommands.isEmpty }
    let names = try await complete(groups.map { "\($0.path) " }, Tool.commands)
    #expect(names.map { $0.sorted() } == groups.map { $0.command.subcommands.map { $0.name }.sorted() })
  }

  @Test("option values and operands are completed by their kind")
  func completesValuesByKind() async throws {
    let expectations = [
      ("car", ["carry"]), ("carry --as ", ["card", "hero"]), ("carry --as=h", ["--as=hero"]),
      ("carry -q --as h", ["hero"]), ("carry --folder sag", ["sagas/"]), ("carry -C wal", ["walhalla/"]),
      ("carry --output saga", ["saga one.txt", "saga=2.txt", "sagas/"]), ("carry --name wal", []),
      ("carry --type public.", ["public.jpeg", "public.png"]), ("carry --type=.jp", ["--type=.jpeg", "--type=.jpg"]),
      ("carry --type public.png=wal", ["public.png=walhalla/"]), ("carry -t image/p", ["image/png"]),
      ("carry --to un", ["unix:"]), ("carry --to wal", ["walhalla/"]),
      ("carry wal", ["walhalla/"]), ("group ", ["carry", "folder"]), ("group folder sag", ["sagas/"]),
      ("group carry --as c", ["card"]), ("fly wal", []), ("carry group", []), ("group fly ", []),
    ]
    let replies = try await complete(expectations.map(\.0))
    try #require(replies.count == expectations.count)
    for ((line, expected), reply) in zip(expectations, replies) { #expect(reply.sorted() == expected, "\(line)") }
  }
}
