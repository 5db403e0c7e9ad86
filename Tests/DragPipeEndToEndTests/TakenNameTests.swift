// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Many items of one name, and items with several files, if names are already taken.
@Suite(.limited, .serialized, .timeLimit(.minutes(5))) struct TakenNameTests {
  private static let receivers = isFullRun ? 20 : 8

  @Test("thousands of items of one name are numbered in linear time", .timeLimit(.minutes(10)))
  func manyItemsOfOneNameAreNumberedQuickly() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        echo x > a.txt; mkdir in; yes a.txt | head -5000 > list; echo old > in/a-7.txt
        start=$(date +%s)
        dragpipe send --from-list list | dragpipe receive --rename in || exit 1
        # Each against all before it takes longer than the two minutes that the whole test may take.
        [ $(($(date +%s) - start)) -lt 60 ] || echo slow
        ls in | wc -l; ls in/a.txt in/a-2.txt in/a-5001.txt; cat in/a-7.txt; ls in | grep -c -- '-.*-'
        """)
      #expect(result.output == "5001\nin/a-2.txt\nin/a-5001.txt\nin/a.txt\nold\n0\n", "\(result.errors)")
    }
  }

  @Test("racing receivers number their own items without gaps")
  func racingReceiversNumberTheirOwnItems() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        mkdir in; for n in {1..12}; do echo $n > b; dragpipe send b b b > stream.$n; done
        for n in {1..12}; do dragpipe receive --rename in < stream.$n || echo "exit $?" & pids="$pids $!"; done; wait $pids
        ls in | wc -l; ls in | grep -vxE 'b(-[0-9]+)?'; cat in/* | sort -n | uniq -c | tr -s ' ' | cut -d' ' -f2 | sort -u
        """)
      #expect(result.output == "36\n3\n", "\(result.errors)")
    }
  }

  @Test("racing receivers that skip existing names do not fail, and each name is from one of them")
  func racingReceiversThatSkipNeverFail() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        mkdir in; for n in {1..12}; do for name in a b c; do echo $n > $name; done; dragpipe send a b c > stream.$n; done
        for n in {1..12}; do dragpipe receive -q --skip-existing in < stream.$n || echo "exit $?" & pids="$pids $!"; done
        wait $pids; ls -A in; cat in/* | wc -l
        """)
      #expect(result.output == "a\nb\nc\n3\n", "\(result.errors)")
    }
  }

  @Test(
    "with many receivers of the same names, each file is complete and from one of them",
    arguments: [
      ("", "1 0 \(receivers - 1) 73", 3), ("--overwrite", "\(receivers) 0", 3),
      ("--rename", "\(receivers) 0", 3 * receivers), ("--skip-existing", "\(receivers) 0", 3),
    ])
  func everyFileIsFromOneReceiver(_ option: String, _ codes: String, _ count: Int) async throws {
    try await withShell { shell in
      let last = 9 + Self.receivers
      let result = try await shell.run(
        """
        mkdir in
        for n in {10..\(last)}; do
          for name in p q r; do yes $n | head -c 30000 > $name; done; dragpipe send p q r > stream.$n
        done
        for n in {10..\(last)}; do
          (dragpipe receive -q \(option) in < stream.$n 2> /dev/null; echo $? >> codes) & pids="$pids $!"
        done; wait $pids
        echo $(sort -n codes | uniq -c); ls -A in | wc -l; stat -c %s in/* | sort -u
        for file in in/*; do sort -u $file | wc -l; done | sort -u
        """)
      // If there is no message, the receivers may have blocked each other for a moment.
      let isStalled = option.isEmpty && result.output.hasPrefix("\(Self.receivers) 73\n0\n")
      #expect(isStalled || result.output == "\(codes)\n\(count)\n30000\n1\n", "\(result.errors)")
    }
  }

  @Test("the directory of a killed receiver is removed by the next one, and no item gets such a name")
  func nextReceiverRemovesLeftovers() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        mkdir in; echo x > a; dragpipe send a > stream; mkfifo one other
        "$TOOL" receive in < one & killed=$!
        "$TOOL" receive in < other & receiver=$!
        exec 3> one 4> other; for wire in 3 4; do head -c -1 stream >&$wire; done
        until [ "$(ls -d in/.dragpipe-*/0 | wc -l)" = 2 ]; do sleep 0.02; done 2> /dev/null
        kill -9 $killed; wait $killed 2> /dev/null; tail -c 1 stream >&4; exec 3>&- 4>&-; wait $receiver
        echo $? $(ls -A in | sed 's/-.*//'); left=.dragpipe-abcdefghijkl
        dragpipe receive --rename in < stream; echo $? $(ls -A in)
        dragpipe send --name "$left" a | dragpipe receive --hidden --overwrite in; echo $? $(ls in)
        """)
      #expect(result.output == "0 .dragpipe a\n0 a a-2\n77 a a-2\n", "\(result.errors)")
    }
  }

  @Test("a receiver writes to the directory that it opened, even if the name changes")
  func receiverWritesToTheOpenedDirectory() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        mkdir in evil; echo x > a; dragpipe send a > stream; mkfifo wire; ln -s in link
        "$TOOL" receive link < wire & receiver=$!
        exec 3> wire; head -c -1 stream >&3; until [ -e in/.dragpipe-*/0 ]; do sleep 0.02; done
        mv in moved; ln -s evil in; rm link; ln -s evil link; tail -c 1 stream >&3; exec 3>&-
        wait $receiver; echo $? $(ls -A moved) : $(ls -A evil)
        """)
      #expect(result.output == "0 a :\n", "\(result.errors)")
    }
  }

  @Test("the representations of an item are kept, numbered, replaced and left out together")
  func representationsOfAnItemStayTogether() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        echo h > h; echo t > t; mkdir in; echo old > in/saga.txt
        dragpipe send -t public.html=h -t public.utf8-plain-text=t -n saga.html > stream
        receive() { dragpipe receive --all "$@" in < stream 2> errors; echo $? $(ls -A in) : $(cat in/saga.txt); }
        receive; receive --skip-existing; cat errors; receive --rename; receive --overwrite
        """)
      #expect(
        result.output == """
          73 saga.txt : old
          0 saga.txt : old
          dragpipe: left out "saga.html": the name exists
          0 saga-2.html saga-2.txt saga.txt : old
          0 saga-2.html saga-2.txt saga.html saga.txt : t

          """, "\(result.errors)")
    }
  }

  @Test("existing items are left out, which differs from items without an accepted type")
  func skippedAndUnacceptable() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        mkdir in; echo new > a.txt; echo old > in/a.txt; printf '\\x89PNG\\r\\n\\x1a\\n' > b.png
        dragpipe send b.png a.txt | dragpipe receive --accept public.text --skip-existing in; echo $?
        dragpipe receive --from "exec:$TOOL send --to stdio: b.png a.txt" --accept public.text --skip-existing in; echo $?
        dragpipe receive --from "exec:$TOOL send --to stdio: b.png a.txt" --accept public.audio in 2> /dev/null; echo $?; cat in/a.txt
        """)
      #expect(result.output == "0\n0\n3\nold\n")
      let leftOut = """
        dragpipe: left out "b.png": no accepted type
        dragpipe: left out "a.txt": the name exists

        """
      #expect(result.errors == leftOut + leftOut)
    }
  }
}
