// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("inspect in a shell", .serialized, .limited, .timeLimit(.minutes(5)))
struct InspectTests {
  @Test("a full disk is an error in every form; --verify alone writes no output")
  func fullDiskIsAnError() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        dragpipe send --as hero $SAMPLES/heroes.json > stream
        for form in '' --tree --json '--content' '--verify --json'; do
          dragpipe inspect $form stream > /dev/full; echo $?
        done 2> full
        sort -u full; dragpipe inspect --verify stream > /dev/full; echo $?
        """)
      let lines = result.output.split(separator: "\n")
      #expect(lines.prefix(5) == ["74", "74", "74", "74", "74"], "\(result.errors)")
      #expect(lines.suffix(2) == ["dragpipe: cannot write: No space left on device", "0"])
    }
  }

  @Test("closing the output is not reported")
  func closedOutputIsNotReported() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        for n in {1..\(isFullRun ? 4000 : 1000)}; do echo "{\\"name\\": \\"Hero $n\\"}"; done > many.jsonl
        dragpipe send --as hero many.jsonl > stream
        for form in '' --tree --json; do dragpipe inspect $form stream | head -1 > /dev/null; echo ${PIPESTATUS[0]}; done
        """)
      #expect(result.output == "141\n141\n141\n")
      #expect(result.errors.isEmpty)
    }
  }

  @Test("inspect waits for the writer of a pipe, or for a signal")
  func waitsForTheWriterOfAPipe() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        mkfifo wire; echo x > a.txt
        for form in '' --json --verify; do
          timeout --preserve-status -k 300 0.3 "$TOOL" inspect $form wire > seen; echo $?
        done
        dragpipe send a.txt > wire & dragpipe inspect wire | tail -1
        """)
      #expect(result.output == "143\n143\n143\n1 item, 1 representation, 2 bytes: complete and verified\n")
    }
  }

  @Test("input that is not a stream is refused at once, whatever its size")
  func inputThatIsNotAStreamIsRefusedAtOnce() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        for file in /dev/zero /dev/urandom $TOOL; do
          timeout 300 "$TOOL" inspect --content $file; echo $?
          timeout 300 "$TOOL" inspect < $file; echo $?
        done
        dragpipe inspect /; echo $?
        """)
      #expect(result.output == String(repeating: "65\n", count: 6) + "66\n")
      #expect(result.errorLines.count == 7)
    }
  }

  @Test(
    "JSON is one valid document for any names",
    .enabled(if: installedProgram("python3") != nil))
  func jsonIsValidForAnyName() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        echo x > a; dragpipe send --name $'\\e[2J\\n"\\\\\\xe2\\x80\\xae\\xc2\\x9b' a > stream
        TOOL=$TOOL python3 -c '
        import json, os, subprocess
        stream = open("stream", "rb").read()
        for length in [*range(0, len(stream), \(isFullRun ? 1 : 60)), len(stream)]:
          for options in [], ["--verify"]:
            run = subprocess.run([os.environ["TOOL"], "inspect", "--json", *options],
              input=stream[:length], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            json.loads(run.stdout)'
        """)
      #expect(result.exitCode == 0 && result.output.isEmpty, "\(result.errors)")
    }
  }

  @Test("many items take no more memory than few, and the first are shown before the last have arrived")
  func manyItemsNeedNoMoreMemory() async throws {
    let count = isFullRun ? 8000 : 2000
    try await withShell { shell in
      let result = try await shell.run(
        """
        export TOOL; echo text > a; for number in {1..\(count)}; do echo a; done > list
        dragpipe send --from-list list > many; head -400 list | dragpipe send --from-list - > few
        python3 -c '
        import os, resource, subprocess
        def most(file):
          subprocess.run([os.environ["TOOL"], "inspect", file], check=True, stdout=subprocess.DEVNULL)
          return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        few = most("few")
        print(most("many") - few < \(count))'
        mkfifo wire; (head -c 200000 many; until [ -e seen ]; do sleep 0.02; done; tail -c +200001 many) > wire &
        dragpipe inspect - < wire | (head -1; touch seen; tail -1)
        """)
      let lines = result.output.split(separator: "\n")
      #expect(lines.count == 3 && lines.first == "True", "\(result.output)\(result.errors)")
      #expect(lines.last == "\(count) items, \(count) representations, \(5 * count) bytes: complete and verified")
    }
  }

  @Test("the table is as wide as the terminal")
  func tableIsAsWideAsTheTerminal() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        echo x > a; dragpipe send --name "$(printf 'Bellerophon%.0s' {1..20})" a > stream
        COLUMNS=70 script -qec "'$TOOL' inspect stream" /dev/null | tr -d '\\r' | head -2 | awk '{ print length($0) }'
        dragpipe inspect stream | grep -c Bellerophon
        """)
      let lengths = result.output.split(separator: "\n").compactMap { Int($0) }
      try #require(lengths.count == 3, "\(result.output) \(result.errors)")
      // `awk` may count the bytes of the ellipsis instead of characters.
      #expect(lengths[0] <= 70 && lengths[1] <= 72 && lengths[2] == 1)
    }
  }
}
