// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("The tool's own manual page and completions", .serialized, .limited, .timeLimit(.minutes(5)))
struct CompletionTests {
  @Test("bash completes commands and options, and types with those the tool knows")
  func bashCompletesCommandsOptionsAndTypes() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        #"""
        mkdir bin; ln -s "$TOOL" bin/dragpipe; PATH=$PWD/bin:$PATH; unset -f dragpipe
        source <(dragpipe completions bash)
        try() {
          COMP_LINE="$*" COMP_POINT=${#COMP_LINE} COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
          _dragpipe "$1" && echo "${COMPREPLY[@]}"
        }
        try dragpipe rec
        try dragpipe types li
        try dragpipe types list --conf
        try dragpipe types list --conforms-to public.htm
        try ./bin/dragpipe types info image/pn
        try dragpipe receive b
        try dragpipe demo --l
        try dragpipe demo --large --s
        try dragpipe demo --progress al
        try dragpipe demo --j
        """#)
      #expect(
        result.output == "receive\nlist\n--conforms-to\npublic.html\nimage/png\nbin\n--large\n--size\nalways\n--json\n",
        "\(result.errors)")
      #expect(result.errors.isEmpty)
    }
  }

  @Test("fish completes types with those the tool knows", .enabled(if: installedProgram("fish") != nil))
  func fishCompletesKnownTypes() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        mkdir bin; ln -s "$TOOL" bin/dragpipe; export PATH=$PWD/bin:$PATH HOME=$PWD; unset -f dragpipe
        dragpipe completions fish > dragpipe.fish
        fish --no-config -c 'source dragpipe.fish; for line in "types info public.htm" rec "demo --la" "demo --progress al"
          complete -C "dragpipe $line"
        end'
        """)
      let words = result.output.split(separator: "\n").map { $0.prefix { $0 != "\t" } }
      #expect(words == ["public.html", "receive", "--large", "always"], "\(result.errors)")
    }
  }

  @Test(
    "man shows the page without a warning",
    .enabled(if: installedProgram("man") != nil))
  func manShowsThePageWithoutWarnings() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        export LC_ALL=C MANWIDTH=120 MANROFFOPT=
        dragpipe man > dragpipe.1; man -l --warnings dragpipe.1 | col -b
        """)
      #expect(result.exitCode == 0)
      #expect(result.errors.isEmpty, "\(result.errors)")
      let lines = result.output.split(separator: "\n").map { $0.trimmingPrefix { $0 == " " } }
      #expect(lines.first?.hasPrefix("DRAGPIPE(1)") == true)
      #expect(lines.contains("dragpipe - sends typed, verified items from one process to another"))
      #expect(lines.contains("dragpipe types list [--json] [--conforms-to TYPE]"))
      #expect(lines.contains { $0.hasPrefix("130 ") && $0.hasSuffix("ended by SIGINT") })
    }
  }

  @Test("the manual page explains every variable that a command of --exec gets")
  func manPageExplainsEveryVariableOfExec() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        unset ${!DRAGPIPE_*}; echo a > a
        dragpipe send a | dragpipe receive --exec 'env | sed -n "s/^\\(DRAGPIPE_[A-Z_]*\\)=.*/\\1/p"' | sort
        echo; dragpipe man | sed '1,/^.SH ENVIRONMENT/d'
        """)
      let parts = result.output.components(separatedBy: "\n\n")
      let names = try #require(parts.first).split(separator: "\n")
      #expect(names.count == 7, "\(result.output)\(result.errors)")
      for name in names { #expect(parts.last?.contains(name) == true, "\(name)") }
    }
  }

  @Test("closing the output ends a page without a message")
  func closedOutputEndsThePageWithoutMessage() async throws {
    try await withShell { shell in
      let result = try await shell.run("dragpipe man | head -1; dragpipe completions bash > /dev/full; echo $?")
      #expect(result.output.hasPrefix(".TH DRAGPIPE 1 ") && result.output.hasSuffix("\n74\n"))
      #expect(result.errorLines.count == 1)
    }
  }
}
