// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeroCards
import TestSupport
import Testing

@Suite("Regressions", .serialized, .limited, .timeLimit(.minutes(5)))
struct RegressionTests {
  @Test("standard input is sent from its current offset, also for a file or a socket")
  func standardInputIsSentFromItsOffset() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        printf 'one\\ntwo\\nthree\\n' > lines
        (read first; dragpipe send --name rest -) < lines | dragpipe receive out/ && cat out/rest
        """)
      #expect(result.output == "two\nthree\n", "\(result.errors)")
    }
  }

  @Test("a closed standard descriptor is an error at once")
  func closedStandardDescriptorFailsAtOnce() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        echo x > a; mkdir out
        for n in {1..5}; do
          dragpipe send a >&-; echo $?; dragpipe receive out <&-; echo $?; dragpipe inspect >&- < /dev/null; echo $?
        done 2> errors | sort | uniq -c | tr -s ' '; sort -u errors
        """)
      #expect(
        result.output == """
           5 65
           10 74
          dragpipe: cannot read: Bad file descriptor
          dragpipe: cannot write: Bad file descriptor
          dragpipe: the input is empty at byte 0

          """)
    }
  }

  @Test("a dangling link is refused, not followed forever")
  func danglingLinkIsRefused() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        ln -s nowhere list.json
        echo '{"id": 1}' | dragpipe send --as hero - | dragpipe receive --as hero --into list.json; echo $?; ls -A
        """)
      #expect(result.output.hasPrefix("73\n"))
      #expect(try shell.names(in: ".") == ["list.json"])
    }
  }

  @Test("a signal is handled, however early it arrives")
  func earlySignalIsHandled() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        mkfifo silent; sleep 100 > silent & holder=$!
        for n in {1..40}; do
          timeout --preserve-status -k 300 -s TERM 0.00$((n % 10))$n "$TOOL" receive . < silent 2> /dev/null
          echo $?
        done | sort | uniq -c | tr -s ' '; kill $holder
        """)
      // The code is 143 even if the signal arrives before the tool handles signals. After a kill, `timeout` would print
      // 137.
      #expect(result.output == " 40 143\n")
    }
  }

  @Test("cards in very many columns take no quadratic time")
  func manyColumnsNeedLinearTime() async throws {
    var board = Board()
    board.add(contentsOf: (0..<50_000).map { Card(content: "\($0)", column: "Column \($0 % 25_000)") })
    #expect(board.columns.count == 25_000)
    #expect(board.columns.allSatisfy { $0.cards.count == 2 })
  }

  @Test("a list keeps its owner's bits but never the right to run as its owner")
  func setUserID() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        echo '[]' > list.json; chmod 6750 list.json
        echo '{"id": 1}' | dragpipe send --as hero - | dragpipe receive --as hero --into list.json
        stat -c %a list.json
        """)
      #expect(result.output == "750\n", "\(result.errors)")
    }
  }

  @Test("arguments that are not UTF-8 are refused, not repaired")
  func argumentsThatAreNotUTF8AreRefused() async throws {
    try await withShell { shell in
      let result = try await shell.run("dragpipe receive $'d\\xff/' < /dev/null; echo $?; ls")
      #expect(result.output == "64\n")
      #expect(result.errors == "dragpipe: argument 2 is not valid UTF-8: d\\xFF/ (see dragpipe receive --help)\n")
    }
  }

  @Test("messages and JSON documents contain no control characters")
  func messagesAndJSONAreEscaped() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        dragpipe send --$'\\e[31m\\nx' 2> message
        echo x > a; dragpipe send --name $'a\\xc2\\x9b\\xe2\\x80\\xae' a | dragpipe inspect --json
        cat message
        """)
      #expect(result.output.contains(#""name":"a\u009b\u202e""#))
      #expect(result.output.contains(#"unknown option --\u{1b}[31m\u{a}x"#))
      #expect(!result.output.unicodeScalars.contains { $0.value == 0x1B || $0.value == 0x9B })
    }
  }

  @Test("the sender's reason is readable")
  func senderReasonIsReadable() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        "echo '[{\"name\": 5}]' > b.json; dragpipe send --as hero b.json 2> /dev/null | dragpipe inspect")
      #expect(
        result.errors.hasPrefix("dragpipe: the sender failed: b.json: [0].name: expected a string, found a number"))
    }
  }
}
