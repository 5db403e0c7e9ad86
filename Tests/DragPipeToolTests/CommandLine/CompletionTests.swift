// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import DragPipeTool

extension CompletionShell {
  /// Completions that fish and zsh share; only fish adds a slash to a directory.
  fileprivate static let sampleCompletions = [
    ("car", ["carry"]), ("carry --as ", ["card", "hero"]), ("carry --as=h", ["--as=hero"]),
    ("carry -q --as h", ["hero"]), ("carry --folder sag", ["sagas/"]), ("carry -C wal", ["walhalla/"]),
    ("carry --output saga", ["saga one.txt", "saga=2.txt", "sagas/"]), ("carry --name wal", []),
    ("carry --type public.", ["public.jpeg", "public.png"]), ("carry --type=.jp", ["--type=.jpeg", "--type=.jpg"]),
    ("carry -t image/p", ["image/png"]), ("carry --to un", ["unix:"]), ("carry --to wal", ["walhalla/"]),
    ("carry wal", ["walhalla/"]), ("group ", ["carry", "folder"]), ("group folder sag", ["sagas/"]),
    ("group carry --as c", ["card"]), ("fly wal", []),
  ]
}

/// Returns the offers in the output of a script, which prints a line with `>` and the offers for each command line.
private func offers(_ lines: [String]) -> [[String]] {
  #expect(lines.allSatisfy { $0.hasPrefix(">") }, "\(lines)")
  return lines.map { $0.dropFirst().split(separator: "|").map(String.init) }
}

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct BashCompletionTests {
  /// Lets bash complete command lines, with the cursor at the end of each line.
  ///
  /// - Returns: For each line, the content of `COMPREPLY`.
  private func complete(
    _ lines: [String], _ commands: [any ToolCommand.Type] = CompletionShell.sampleCommands
  ) async throws -> [[String]] {
    let directory = try CompletionShell.bash.sampleDirectory(for: commands)
    let calls = lines.map { "complete_line \(CompletionShell.bash.quoted("dragpipe \($0)"))\n" }.joined()
    let script = #"""
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
      """#
    let replies = offers(try await bash("\(script)\n\(calls)", in: directory))
    try #require(replies.count == lines.count)
    return replies
  }

  @Test func commandsAndOptionsAreOfferedInTheirContextOnly() async throws {
    let entries = CommandEntry.all()
    let groups = entries.filter { !$0.subcommands.isEmpty }
    let families = ["receive -a im", "types info vid", "send --type im", "receive -a "]
    let replies = try await complete(
      ["", "-"] + entries.map { "\($0.path) -" } + groups.map { "\($0.path) " } + families, Tool.commands)
    #expect(replies[0] == Tool.commands.map { $0.name })
    #expect(replies[1] == Tool.options.flatMap(\.spellings))
    for (entry, reply) in zip(entries, replies.dropFirst(2)) {
      #expect(reply == entry.options.flatMap(\.spellings), "\(entry.path)")
    }
    let rest = replies.dropFirst(2 + entries.count)
    #expect(Array(rest.prefix(groups.count)) == groups.map { $0.command.subcommands.map { $0.name } })
    #expect(!groups.isEmpty)
    // Families of types are offered where a type is accepted.
    #expect(rest.suffix(4).prefix(3) == [["image"], ["video"], []])
    #expect(Set(TypeFamily.words).isSubset(of: rest.last ?? []))
  }

  @Test func valuesAndOperandsAreCompletedByKind() async throws {
    let sagas = ["saga one.txt", "saga=2.txt", "sagas"]
    let expectations: [(String, [String])] = [
      ("carry --as ", ["hero", "card"]), ("carry --as h", ["hero"]), ("carry --as=c", ["card"]),
      ("carry --as=", ["hero", "card"]), ("group carry -q --as h", ["hero"]), ("carry --name ", []),
      ("carry --name --as sag", sagas), ("carry --as hero --qu", ["--quick"]), ("carry -o sag", sagas),
      ("carry -osagas", ["-osagas"]), ("carry -qo sagas", ["sagas"]), ("carry -qC sag", ["sagas"]),
      ("carry --folder=w", ["walhalla"]), ("carry -C ", ["sagas", "walhalla"]), ("carry --output=saga=", ["2.txt"]),
      ("carry -q", ["-q"]), ("carry --type ", ["public.jpeg", "public.png"]), ("carry -t public.p", ["public.png"]),
      ("carry -timage/j", ["-timage/jpeg"]), ("carry --type=.jp", [".jpeg", ".jpg"]),
      ("carry --type public.png=wal", ["walhalla"]), ("carry --type=public.png=wal", ["walhalla"]),
      ("carry --to u", ["unix:"]), ("carry --to=s", ["saga\\ one.txt", "saga=2.txt", "sagas", "ssh:", "stdio:"]),
      ("carry --to unix:wal", ["walhalla"]), ("carry --to=unix:wal", ["walhalla"]), ("carry --to wal", ["walhalla"]),
      ("carry --to exec:dragp", ["dragpipe"]), ("carry --run dragp", ["dragpipe"]), ("carry --to fd:", []),
      // No options follow --, and no files precede a command.
      ("carry wal", ["walhalla"]), ("group ", ["folder", "carry"]), ("group folder s", ["sagas"]),
      ("carry -- --", []), ("carry -- wal", ["walhalla"]), ("fly wal", []), ("-h c", ["carry"]), ("c", ["carry"]),
      ("group c", ["carry"]), ("carry group w", ["walhalla", "wire:3.txt"]),
    ]
    for ((line, expected), reply) in zip(expectations, try await complete(expectations.map(\.0))) {
      // File completion also offers the files that this test has created.
      let others = reply.filter { !["_dragpipe", "dragpipe", "wire:3.txt"].contains($0) || expected.contains($0) }
      #expect(others.sorted() == expected.sorted(), "\(line)")
    }
  }

  @Test func textsOfTheTableAreNeverExecuted() async throws {
    let script = ". ./_dragpipe; [ -e pwned ] && echo pwned; complete -p dragpipe"
    #expect(
      try await bash(script, in: CompletionShell.bash.sampleDirectory()) == ["complete -F _dragpipe dragpipe"])
  }

  /// On a terminal.
  @Test func completedWordsReachTheProgram() async throws {
    let lines = [
      (#"car\t--qu\t"#, "[carry][--quick]"), (#"carry saga\\ \t"#, "[carry][saga one.txt]"),
      (#"carry walh\t"#, "[carry][walhalla/]"), (#"carry --as=h\t"#, "[carry][--as=hero]"),
      (#"carry --to=uni\twire:\t"#, "[carry][--to=unix:wire:3.txt]"), (#"carry -t.pn\t"#, "[carry][-t.png]"),
      (#"carry --output=saga=\t"#, "[carry][--output=saga=2.txt]"), (#"group fo\tsa\t"#, "[group][folder][sagas/]"),
      (#"carry \x22saga o\t"#, "[carry][saga one.txt]"),
    ]
    let keys = lines.map { #"dragpipe \#($0.0)\n"# }.joined()
    let script = #"""
      printf '%b' '. ./_dragpipe\n\#(keys)exit\n' > keys
      script -qec 'bash --norc --noprofile -i' /dev/null < keys > screen
      cat calls
      """#
    #expect(try await bash(script, in: CompletionShell.bash.sampleDirectory()) == lines.map(\.1))
  }
}

@Suite(.serialized, .limited, .peers("fish"), .timeLimit(minutes: 5)) struct FishCompletionTests {
  /// Lets fish complete command lines.
  ///
  /// - Returns: For each line, the offered words without their descriptions, sorted.
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
    let run = try await bash("fish --no-execute _dragpipe && fish --no-config trial.fish", in: directory)
    // fish lists short options first, even if an option has no short form.
    let replies = offers(run).map { $0.sorted() }
    try #require(replies.count == lines.count)
    return replies
  }

  @Test func commandsAndOptionsAreOfferedInTheirContextOnly() async throws {
    let entries = CommandEntry.all()
    let groups = entries.filter { !$0.subcommands.isEmpty }
    let replies = try await complete(
      ["", "-"] + entries.map { "\($0.path) -" } + groups.map { "\($0.path) " }, Tool.commands)
    let expected =
      [Tool.commands.map { $0.name }, Tool.options.flatMap(\.spellings)]
      + entries.map { $0.options.flatMap(\.spellings) } + groups.map { $0.command.subcommands.map { $0.name } }
    #expect(replies == expected.map { $0.sorted() })
  }

  @Test func valuesAndOperandsAreCompletedByKind() async throws {
    let expectations =
      CompletionShell.sampleCompletions + [
        ("carry --type public.png=wal", ["public.png=walhalla/"]), ("carry group", []), ("group fly ", []),
      ]
    for ((line, expected), reply) in zip(expectations, try await complete(expectations.map(\.0))) {
      #expect(reply == expected, "\(line)")
    }
  }
}

@Suite(.serialized, .limited, .peers("zsh"), .timeLimit(minutes: 5)) struct ZshCompletionTests {
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
    let run = try await bash("zsh -n _dragpipe && zsh -f trial.zsh; [ ! -e pwned ] || echo pwned", in: directory)
    let replies = offers(run.map { $0.replacing("\\", with: "") }).map { $0.sorted() }
    try #require(replies.count == lines.count)
    return replies
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

  @Test func commandsValuesAndOperandsAreCompletedByKind() async throws {
    let shared = CompletionShell.sampleCompletions.map { ($0, $1.map { $0.replacing(/\/$/, with: "") }) }
    let expectations =
      shared + [
        ("", ["carry", "group"]), ("--", ["--help", "--version"]), ("carry --to unix:wal", ["unix:walhalla"]),
        ("carry --qu", ["--quick"]), ("carry --quick --qu", []), ("carry --type a --ty", ["--type"]),
      ]
    for ((line, expected), reply) in zip(expectations, try await complete(expectations.map(\.0))) {
      #expect(reply == expected, "\(line)")
    }
  }

  @Test func everyCommandCompletesWithItsLongOptions() async throws {
    let entries = CommandEntry.all()
    let replies = try await complete(entries.map { "\($0.path) --" }, Tool.commands)
    for (entry, reply) in zip(entries, replies) {
      #expect(reply == entry.options.map { "--\($0.name)" }.sorted(), "\(entry.path)")
    }
  }
}
