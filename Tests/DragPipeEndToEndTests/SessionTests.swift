// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Drops between programs that can ask and answer: through sockets, and through a command's standard input and output.
@Suite(.serialized, .limited) struct SessionTests {
  private static let start = """
    printf 'Hail, Odysseus' > a.txt; printf '\\x89PNG\\r\\n\\x1a\\n' > a.png; mkdir in
    listening() { until [ -S s ]; do sleep 0.02; done; }

    """

  @Test("what is not requested is never made, through a socket and through a command")
  func lazily() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        Self.start + """
          "$TOOL" send --to unix:s --once --lazy 'public.json=touch made' --type public.plain-text=a.txt & sender=$!
          listening; dragpipe receive --from unix:s --accept public.plain-text -o -; echo " $?"
          wait $sender; echo $?; ls made s 2>/dev/null
          dragpipe receive --from "exec:$TOOL send --to stdio: --lazy 'public.json=touch made' --type public.png=a.png" \\
            --accept public.image -o out.png && cmp out.png a.png; echo $?; ls made 2>/dev/null
          dragpipe send --to "exec:$TOOL receive --from stdio: -a public.text in" --lazy 'public.png=touch made' \\
            --type public.plain-text=a.txt; echo $?; ls made in
          """)
      #expect(result.output == "Hail, Odysseus 0\n0\n0\n0\nin:\na.txt\n", "\(result.errors)")
    }
  }

  @Test("what is asked for is made once for each who asks")
  func made() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        Self.start + """
          "$TOOL" send --to unix:s --until-taken 2 --lazy 'public.json=echo made >> log; echo {}' & sender=$!
          listening; for turn in 1 2; do dragpipe receive --from unix:s -o -; done; wait $sender; cat log
          """)
      #expect(result.output == "{}\n{}\nmade\nmade\n", "\(result.errors)")
    }
  }

  @Test("a receiver that takes nothing does not count, and is told to the sender; another one is served")
  func refusals() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        Self.start + """
          "$TOOL" send --to unix:s --once a.txt 2> errors & sender=$!
          listening
          dragpipe receive --from unix:s --accept public.audio in; echo $?
          dragpipe receive --from unix:s --list; echo $?
          dragpipe receive --from unix:s in; echo $?; wait $sender; echo $?; cat errors
          """)
      #expect(
        result.output == """
          3
          1\ta.txt\tpublic.plain-text\t14
          0
          0
          0
          dragpipe: the destination did not take it: nothing here is public.audio; offered was public.plain-text

          """)
    }
  }

  @Test("why nothing was taken reads the same on both sides, whatever name it quotes")
  func quotedName() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        #"""
        name=$'b\u202ec\\d'; echo x > a; mkdir in
        "$TOOL" send --to "exec:$TOOL receive --from stdio: in 2> received" --name "$name" a 2> sent; echo $?; cat received sent
        """#)
      #expect(
        result.output == #"""
          4
          dragpipe: refused the name "b\u{202e}c\\d": it has the control character U+202E
          dragpipe: the destination did not take it: refused the name "b\u{202e}c\\d": it has the control character U+202E

          """#, "\(result.errors)")
    }
  }

  @Test("why something was not made reads the same on both sides, whatever command it quotes")
  func quotedCommand() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        #"""
        mkdir in
        "$TOOL" send --to "exec:$TOOL receive --from stdio: in 2> received" --lazy 'public.text=exit 3; a\d' 2> sent
        echo $?; cat received sent
        """#)
      let reason = #"the representation public.text could not be created: exit 3; a\\d has ended with status 3"#
      #expect(
        result.output == """
          1
          dragpipe: the sender could not load item-1: \(reason)
          dragpipe: could not make all of it: \(reason)

          """, "\(result.errors)")
    }
  }

  @Test("several receivers are served at once, and a stuck one does not block the others")
  func manyReceivers() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        Self.start + """
          head -c 3M /dev/urandom > big
          "$TOOL" send --to unix:s --until-taken 8 big & sender=$!
          listening
          "$TOOL" receive --from unix:s --exec 'sleep 600' & stuck=$!
          for n in 1 2 3 4 5 6 7 8; do (dragpipe receive --from unix:s -o out.$n; cmp big out.$n || echo bad) & pids="$pids $!"; done
          wait $pids; wait $sender; echo $?; kill $stuck; wait $stuck
          """)
      #expect(result.output == "0\n", "\(result.errors)")
    }
  }

  @Test("what was moved is gone at the source once the receiver has it, and not where it was not taken or has changed")
  func moving() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        Self.start + """
          cp a.txt m.txt; cp a.txt n.txt; mkdir folder
          dragpipe send --move --to "exec:$TOOL receive --move --from stdio: in" m.txt folder; echo $?; ls m.txt 2>&1; ls -d folder in/*
          dragpipe send --move --to "exec:$TOOL receive --from stdio: in" n.txt; echo $?; ls n.txt
          dragpipe send --move --to "exec:$TOOL receive --move --from stdio: in" n.txt; echo $?; ls n.txt
          dragpipe send --to "exec:$TOOL receive --move --rename --from stdio: in" a.txt; echo $?; ls a.txt
          dragpipe send --move --to "exec:echo more >> a.txt; exec $TOOL receive --move --from stdio: in" a.txt; ls a.txt
          dragpipe send --move --to "exec:$TOOL receive --move --from stdio: in" --type public.png=n.txt --name p; echo $?; ls n.txt
          """)
      #expect(
        result.output == """
          0
          ls: cannot access 'm.txt': No such file or directory
          folder
          in/folder
          in/m.txt
          0
          n.txt
          4
          n.txt
          4
          a.txt
          a.txt
          0
          n.txt

          """, "\(result.errors)")
      #expect(result.errors.contains("folder stays: only files are moved"))
      #expect(result.errors.contains("1 item stays: only files are moved"))
      #expect(result.errors.contains("the sender does not let its files be moved"))
    }
  }

  @Test("heroes and cards are taken from a session, too, and the sender hears of it")
  func heroes() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        dragpipe receive --from "exec:$TOOL send --as hero --to stdio: $SAMPLES/heroes.json" --as hero --into h.json
        dragpipe send --as hero "$SAMPLES/heroes.json" | dragpipe receive --as hero --into g.json; cmp g.json h.json; echo $?
        dragpipe send --as card --to "exec:$TOOL receive --from stdio: --as card --into b.json" "$SAMPLES/board.json"; echo $?
        dragpipe send --as card --to "exec:$TOOL receive --from stdio: --as hero --into x.json" "$SAMPLES/board.json"; echo $?; ls x.json
        """)
      #expect(result.output == "0\n0\n4\n", "\(result.errors)")
      #expect(result.errors.contains("item 1 is no org.dragpipe.hero"))
    }
  }

  @Test("a socket is the user's alone, is not taken from somebody who listens, and is gone at the end")
  func socket() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        Self.start + """
          umask 000; "$TOOL" send --to unix:s a.txt & sender=$!
          listening; stat -c %a s; dragpipe send --to unix:s a.png; echo $?
          kill $sender; wait $sender; echo $?; ls s 2>/dev/null
          dragpipe receive --from unix:s in; echo $?
          echo file > t; dragpipe send --to unix:t a.txt; echo $?; cat t
          dragpipe send --to unix:$(printf 'x%.0s' $(seq 108)) a.txt; echo $?
          """)
      #expect(result.output == "600\n73\n143\n69\n73\nfile\n77\n", "\(result.errors)")
    }
  }

  @Test("descriptors that are open already go one way as pipes, and both ways as sockets")
  func descriptors() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        Self.start + """
          { dragpipe send --to fd:7 a.txt 7>&1 > /dev/null; } | dragpipe receive --from fd:8 in 8<&0 < /dev/null; echo $?; ls in
          python3 - "$TOOL" <<'PY'
          import socket, subprocess, sys
          one, other = socket.socketpair()
          sender = subprocess.Popen([sys.argv[1], "send", "--to", f"fd:{one.fileno()}", "a.png"], pass_fds=[one.fileno()])
          receiver = subprocess.run([sys.argv[1], "receive", "--from", f"fd:{other.fileno()}", "in"], pass_fds=[other.fileno()])
          print(receiver.returncode, sender.wait())
          PY
          cmp in/a.png a.png; dragpipe send --to fd:77 a.txt; echo $?
          """)
      #expect(result.output == "0\na.txt\n0 0\n73\n", "\(result.errors)")
    }
  }
}
