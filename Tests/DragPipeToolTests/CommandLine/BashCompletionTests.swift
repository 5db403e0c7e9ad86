// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import DragPipeTool

@Suite("Completion in bash", .serialized, .limited, .timeLimit(.minutes(5)))
struct BashCompletionTests {
  /// Lets bash complete command lines.
  ///
  /// The cursor is at the end of each line.
  ///
  /// - Returns: For each line, the content of `COMPREPLY`.
  private func complete(
    _ lines: [String], _ commands: [any ToolCommand.Type] = CompletionShell.sampleCommands
  ) async throws -> [[String]] {
    let directory = try CompletionShell.bash.sampleDirectory(for: commands)
    let calls = lines.map { "complete_line \(CompletionShell.bash.quoted($0))\n" }.joined()
    let run = try await ScriptRun(
      #"""
      . ./_dragpipe
      COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'
      function=$(complete -p dragpipe | sed 's/.*-F \([^ ]*\) .*/\1/')
      complete_line() {
        local rest=$1
        COMP_LINE=$1 COMP_POINT=$(printf %s "$1" | wc -c) COMP_WORDS=() COMPREPLY=()
        while [[ $rest =~ ^([[:space:]]*)([^[:space:]=:]+|[=:]+)(.*)$ ]]; do
          COMP_WORDS+=("${BASH_REMATCH[2]}") rest=${BASH_REMATCH[3]}
        done
        [[ $1 == *' ' ]] && COMP_WORDS+=('')
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        "$function" dragpipe "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}" || echo failed
        local IFS='|'
        echo ">${COMPREPLY[*]}"
      }
      """# + "\n" + calls, in: directory.url)
    #expect(run.exitCode == 0)
    #expect(run.lines.allSatisfy { $0.hasPrefix(">") }, "\(run.output)")
    return run.lines.map { $0.dropFirst().split(separator: "|").map(String.init) }
  }

  @Test("every command, option and subcommand of the table is offered in its context only")
  func offersTheTable() async throws {
    let entries = CommandEntry.all()
    let lines = ["dragpipe ", "dragpipe -"] + entries.map { "dragpipe \($0.path) -" }
    let replies = try await complete(lines, Tool.commands)
    try #require(replies.count == lines.count)
    #expect(replies[0] == Tool.commands.map { $0.name })
    #expect(replies[1] == Tool.options.flatMap(\.spellings))
    for (entry, reply) in zip(entries, replies.dropFirst(2)) {
      #expect(reply == entry.options.flatMap(\.spellings), "\(entry.path)")
    }
    let groups = entries.filter { !$0.subcommands.isEmpty }
    let names = try await complete(groups.map { "dragpipe \($0.path) " }, Tool.commands)
    #expect(names == groups.map { $0.command.subcommands.map { $0.name } })
    #expect(!groups.isEmpty)
  }

  @Test(
    "option values are completed by their kind",
    arguments: [
      ("carry --as ", ["hero", "card"]), ("carry --as h", ["hero"]), ("carry --as=c", ["card"]),
      ("carry --as=", ["hero", "card"]), ("group carry -q --as h", ["hero"]), ("carry --name ", []),
      ("carry --name --as sag", ["saga one.txt", "saga=2.txt", "sagas"]), ("carry --as hero --qu", ["--quick"]),
      ("carry -o sag", ["saga one.txt", "saga=2.txt", "sagas"]), ("carry -osagas", ["-osagas"]),
      ("carry -qo sagas", ["sagas"]), ("carry -qC sag", ["sagas"]), ("carry --folder=w", ["walhalla"]),
      ("carry -C ", ["sagas", "walhalla"]), ("carry --output=saga=", ["2.txt"]), ("carry -q", ["-q"]),
      ("carry --type ", ["public.jpeg", "public.png"]), ("carry -t public.p", ["public.png"]),
      ("carry -timage/j", ["-timage/jpeg"]), ("carry --type=.jp", [".jpeg", ".jpg"]),
      ("carry --type public.png=wal", ["walhalla"]), ("carry --type=public.png=wal", ["walhalla"]),
      ("carry --to u", ["unix:"]), ("carry --to=s", ["saga\\ one.txt", "saga=2.txt", "sagas", "stdio:"]),
      ("carry --to unix:wal", ["walhalla"]), ("carry --to=unix:wal", ["walhalla"]), ("carry --to wal", ["walhalla"]),
      ("carry --to exec:dragp", ["dragpipe"]), ("carry --run dragp", ["dragpipe"]), ("carry --to fd:", []),
    ])
  func completesValuesByKind(_ line: String, _ expected: [String]) async throws {
    // File completion also offers the files that this test has created.
    let reply = try #require(try await complete(["dragpipe \(line)"]).first)
    #expect(
      reply.filter { !["_dragpipe", "dragpipe", "wire:3.txt"].contains($0) || expected.contains($0) }.sorted()
        == expected.sorted(), "\(reply)")
  }

  @Test(
    "operands match the command; no options follow --, and no files precede a command",
    arguments: [
      ("carry wal", ["walhalla"]), ("group ", ["folder", "carry"]), ("group folder s", ["sagas"]),
      ("carry -- --", []), ("carry -- wal", ["walhalla"]), ("fly wal", []), ("-h c", ["carry"]), ("c", ["carry"]),
      ("group c", ["carry"]), ("carry group w", ["walhalla", "wire:3.txt"]),
    ])
  func completesOperandsByKind(_ line: String, _ expected: [String]) async throws {
    #expect(try await complete(["dragpipe \(line)"]).first?.sorted() == expected.sorted())
  }

  @Test func familiesAreOfferedWhereATypeIsAccepted() async throws {
    let lines = [
      "dragpipe receive -a im", "dragpipe types info vid", "dragpipe send --type im", "dragpipe receive -a ",
    ]
    let replies = try await complete(lines, Tool.commands)
    #expect(replies.prefix(3) == [["image"], ["video"], []])
    #expect(Set(TypeFamily.words).isSubset(of: replies.last ?? []))
  }

  @Test("texts of the table are never executed")
  func neverRunsTextsOfTheTable() async throws {
    let directory = try CompletionShell.bash.sampleDirectory()
    let run = try await ScriptRun(". ./_dragpipe; [ -e pwned ] && echo pwned; complete -p dragpipe", in: directory.url)
    #expect(run.output == "complete -F _dragpipe dragpipe\n")
  }

  @Test(
    "on a terminal, completed words reach the program",
    .enabled(if: installedProgram("script") != nil))
  func completedWordsReachTheProgram() async throws {
    let directory = try CompletionShell.bash.sampleDirectory()
    let lines = [
      (#"car\t--qu\t"#, "[carry][--quick]"), (#"carry saga\\ \t"#, "[carry][saga one.txt]"),
      (#"carry walh\t"#, "[carry][walhalla/]"), (#"carry --as=h\t"#, "[carry][--as=hero]"),
      (#"carry --to=uni\twire:\t"#, "[carry][--to=unix:wire:3.txt]"), (#"carry -t.pn\t"#, "[carry][-t.png]"),
      (#"carry --output=saga=\t"#, "[carry][--output=saga=2.txt]"), (#"group fo\tsa\t"#, "[group][folder][sagas/]"),
      (#"carry \x22saga o\t"#, "[carry][saga one.txt]"),
    ]
    let keys = lines.map { #"dragpipe \#($0.0)\n"# }.joined()
    let run = try await ScriptRun(
      #"""
      printf '%b' '. ./_dragpipe\n\#(keys)exit\n' > keys
      script -qec 'bash --norc --noprofile -i' /dev/null < keys > screen
      cat calls
      """#, in: directory.url)
    #expect(run.lines == lines.map(\.1), "\(run.output)")
  }
}
