// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// One item with several representations, and the choice of the receiver.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct RepresentationTests {
  private static let start = """
    printf '\\x89PNG\\r\\n\\x1a\\n' > a.png; printf 'Hail, Odysseus' > a.txt; mkdir in
    both() { dragpipe send --type public.png=a.png --type public.plain-text=a.txt "$@"; }

    """

  @Test("a receiver gets the representation that it accepts, byte for byte")
  func receiverGetsTheAcceptedType() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        Self.start + """
          both | dragpipe receive --accept public.image -o - | cmp - a.png || exit 1
          both | dragpipe receive -a image/png -o out.png && cmp out.png a.png || exit 2
          both | dragpipe receive --accept public.text -o -
          """)
      #expect(result.exitCode == 0, "\(result.errors)")
      #expect(result.output == "Hail, Odysseus")
    }
  }

  @Test("an offer without an accepted type is exit code 3, with the types that were offered")
  func noAcceptedTypeExitsWith3() async throws {
    try await withShell { shell in
      for place in ["in", "-o -", "-o new", "--exec 'touch new'"] {
        let result = try await shell.run("\(Self.start) both | dragpipe receive --accept public.audio \(place)")
        #expect(result.exitCode == 3)
        let offered = "the offered types are public.png, public.plain-text"
        #expect(result.errors == "dragpipe: no item has the type public.audio; \(offered)\n")
        #expect(result.output == "")
        #expect(try shell.names(in: "in").isEmpty)
        #expect(try !shell.names(in: ".").contains("new"))
        _ = try await shell.run("rm -r in")
      }
    }
  }

  @Test("the first accepted type that an item has counts, and items without any are left out")
  func firstAvailableAcceptedTypeCounts() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        Self.start + """
          dragpipe send --type text/html=a.txt --type public.png=a.png --name saga.html | dragpipe receive -a public.audio -a public.image -a public.text in
          ls in; rm in/*
          dragpipe send a.txt a.png | dragpipe receive --accept public.image in; echo "exit $?"; ls in
          """)
      #expect(result.output == "saga.png\nexit 0\na.png\n")
      #expect(result.errors == "dragpipe: left out \"a.txt\": no accepted type\n")
    }
  }

  @Test("--all writes every representation, and an alias is not sent twice")
  func allKeepsEveryRepresentation() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        Self.start + """
          head -c 100000 /dev/zero > big
          dragpipe send -t public.html=big --alias public.text=public.html -n saga.html > stream
          [ $(stat -c %s stream) -lt 110000 ] || exit 1
          both --name both.png > other
          dragpipe receive --all in < stream && dragpipe receive --all in < other && ls in
          dragpipe receive --accept public.text -o - < stream | cmp - big || exit 2
          """)
      #expect(result.exitCode == 0, "\(result.errors)")
      #expect(result.output == "both.png\nboth.txt\nsaga.html\n")
    }
  }

  @Test("a name that is not a type arrives unchanged")
  func unknownTypeNameArrivesUnchanged() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        Self.start + "dragpipe send --type _SAGA_TEXT=a.txt | dragpipe receive --list; "
          + "dragpipe send --type _SAGA_TEXT=a.txt | dragpipe receive --accept _SAGA_TEXT -o -")
      #expect(result.exitCode == 0, "\(result.errors)")
      #expect(result.output == "1\ta.txt\t_SAGA_TEXT\t14\nHail, Odysseus")
    }
  }

  @Test("a command gets each item with its properties, once all items are complete")
  func commandGetsEachItem() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        Self.start + """
          cat > show <<'END'
          printf '%s|' "$DRAGPIPE_INDEX/$DRAGPIPE_COUNT" "$DRAGPIPE_NAME" "$DRAGPIPE_TYPE" "$DRAGPIPE_MIME_TYPE" "$DRAGPIPE_SIZE"
          cmp - "$DRAGPIPE_FILE" && stat -c %a "$(dirname "$DRAGPIPE_FILE")"
          END
          TMPDIR=$PWD dragpipe send a.txt '--' a.png | TMPDIR=$PWD dragpipe receive --exec 'sh ./show'; ls -d dragpipe-* 2>/dev/null
          dragpipe send a.txt | head -c 100 | dragpipe receive --exec 'touch ran'; echo "exit $?"
          dragpipe send a.txt | dragpipe receive -x 'exit 9'; echo "exit $?"; ls ran 2>&1
          """)
      #expect(
        result.output == """
          1/2|a.txt|public.plain-text|text/plain|14|700
          2/2|a.png|public.png|image/png|8|700
          exit 65
          exit 1
          ls: cannot access 'ran': No such file or directory

          """)
      #expect(result.errors.contains("the command exit 9 failed: status 9"))
    }
  }

  @Test("--list shows the offer as columns or JSON, for any names")
  func listShowsColumnsOrJSON() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        Self.start + """
          dragpipe send --name $'evil\\e[2J\\tname' a.txt > stream
          dragpipe receive --list < stream
          dragpipe receive --list --json < stream | python3 -c 'import json, sys; print(ascii(json.load(sys.stdin)["items"][0]["name"]))'
          head -c 60 stream | dragpipe receive --list; echo "exit $?"
          """)
      #expect(result.output == "1\tevil\\u{1b}[2J\\u{9}name\tpublic.plain-text\t14\n'evil\\x1b[2J\\tname'\nexit 65\n")
    }
  }

  @Test(
    "contradictory options are usage errors",
    arguments: [
      "send --type public.png", "send --type =a", "send --type public.png=a a",
      "send --type public.png=a --type public.png=b",
      "send --alias public.text=public.html", "send --type public.png=- --type public.html=-", "send --once a",
      "send --move a", "send --until-taken 0 --to unix:s a", "send --once --until-taken 2 --to unix:s a",
      "send --to nowhere a", "send --to unix: a", "send --to fd:-1 a", "send --null a",
      "send --from-list a --null --uris",
      "receive in -o a", "receive --list in", "receive --list --accept public.png", "receive --json in",
      "receive --overwrite --rename in", "receive -o -", "receive --move in", "receive --all -o a", "receive -o in/",
      "receive --as hero", "receive --accept public.png --as hero --into a", "receive --exec ''", "receive -",
      "receive --max-bytes much in", "receive --max-items -1 in", "receive --progress sometimes in",
    ].filter { $0 != "receive -o -" })
  func contradictoryOptionsAreUsageErrors(_ arguments: String) async throws {
    try await withShell { shell in
      let result = try await shell.run("mkdir in; echo > a; dragpipe \(arguments) < /dev/null > out")
      #expect(result.exitCode == 64, "\(result.errors)")
      #expect(result.errorLines.count == 1, "\(result.errors)")
      #expect(try shell.data(of: "out").isEmpty)
      #expect(try shell.names(in: "in").isEmpty)
    }
  }
}
