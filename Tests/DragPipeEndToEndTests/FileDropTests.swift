// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("Files dropped from one process to another", .serialized, .limited, .timeLimit(.minutes(5)))
struct FileDropTests {
  @Test("arrive byte-identical, including empty files, with the permissions of new files")
  func filesArriveByteIdentical() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        head -c 300000 /dev/urandom > a.png; head -c 65536 /dev/urandom > b.pdf; : > empty.bin
        printf 'x' > 'Καλημέρα κόσμε.txt'; truncate -s 9M sparse.iso; echo end >> sparse.iso
        umask 027; mkdir out
        dragpipe send a.png b.pdf empty.bin 'Καλημέρα κόσμε.txt' sparse.iso | dragpipe receive out || exit
        for file in *.*; do cmp "$file" "out/$file" || exit 1; stat -c %a "out/$file"; done
        """)
      #expect(result.exitCode == 0, "\(result.errors)")
      #expect(result.output == String(repeating: "640\n", count: 5))
      #expect(try shell.names(in: "out").count == 5)
    }
  }

  @Test func exampleOfTheFormatIsWhatTheToolWrites() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        printf 'Hail, Odysseus' > greeting.txt
        chmod 644 greeting.txt && touch -d '2026-01-01 00:00 UTC' greeting.txt
        dragpipe send greeting.txt > stream
        """)
      #expect(result.exitCode == 0, "\(result.errors)")
      #expect(try shell.data(of: "stream").hex == Data(try FormatArticle.exampleBytes()).hex)
    }
  }

  @Test("come from standard input, a FIFO and a process substitution too")
  func pipesAndStandardInputAreSent() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        mkfifo fifo; (sleep 0.2; printf fifo > fifo) &
        echo input | dragpipe send --name input.txt - | dragpipe receive out/ || exit
        dragpipe send fifo | dragpipe receive out/ || exit
        dragpipe send --name process.txt <(echo process) | dragpipe receive out/ || exit
        cd out; cat input.txt fifo process.txt
        """)
      #expect(result.exitCode == 0, "\(result.errors)")
      #expect(result.output == "input\nfifoprocess\n")
    }
  }

  @Test("leave no files when the stream is truncated at any byte")
  func cutAtEveryByte() async throws {
    try await withShell { shell in
      _ = try await shell.run("printf 'Hail, Odysseus' > greeting.txt; dragpipe send greeting.txt > stream")
      let lengths = sampled(0..<(try shell.data(of: "stream")).count, 24, "a stream cut by head")
      let result = try await shell.run(
        """
        mkdir out
        for n in \(lengths.map(String.init).joined(separator: " ")); do
          head -c $n stream | dragpipe receive out 2> error
          echo "$? $(ls -A out | wc -l) $(wc -l < error)"
        done | sort | uniq -c | awk -v all=\(lengths.count) '{ print $2, $3, $4, ($1 == all ? "always" : $1) }'
        dragpipe receive out < stream && cat out/greeting.txt
        """)
      #expect(result.output == "65 0 1 always\nHail, Odysseus", "\(result.errors)")
    }
  }

  @Test("need little memory, however long they are")
  func memoryIsBounded() async throws {
    try await withShell { shell in
      // Samples the peak memory of both processes repeatedly, and prints the maximum.
      let result = try await shell.run(
        """
        head -c 100M /dev/urandom > big.iso; mkdir out; mkfifo wire
        "$TOOL" send big.iso > wire & source=$!
        "$TOOL" receive out < wire & destination=$!
        while kill -0 $destination 2> /dev/null; do
          for process in $source $destination; do
            grep -s VmHWM /proc/$process/status >> peaks
          done
          sleep 0.01
        done
        wait $source && wait $destination && cmp big.iso out/big.iso || exit
        sort -k 2 -n peaks | tail -1 | tr -s '\\t ' ' ' | cut -d ' ' -f 2
        """)
      #expect(result.exitCode == 0, "\(result.errors)")
      let kibibytes = try #require(Int(result.output.split(separator: "\n").last ?? ""))
      #expect((1024..<65_536).contains(kibibytes))
    }
  }

  @Test("never replace existing files")
  func existingFilesAreNeverReplaced() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        echo new > a.txt; echo new > b.txt; mkdir out; echo old > out/b.txt
        dragpipe send a.txt b.txt | dragpipe receive out
        echo "$?"; ls -A out; cat out/b.txt
        """)
      #expect(result.output == "73\nb.txt\nold\n")
      #expect(result.errorLines.contains { $0.contains("\"b.txt\" is in out already") })
    }
  }

  @Test(
    "with names that lead elsewhere or contain control characters are refused",
    arguments: [
      "../../x", "/abs", "a/b", "..", ".", "", "a\\x01b", "line\\nbreak", "\\x1b[2J", "\\u202etxt.exe", "\\x7f",
      ".hidden",
    ])
  func unsafeNamesAreRefused(_ name: String) async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        echo canary > canary; mkdir -p deep/er/out; cd deep/er
        dragpipe send --name "$(printf '\(name)')" ../../canary | dragpipe receive out
        echo "$?"; ls -A out; cd ../..; find . -newer canary -type f -not -name '.out-*' -not -name '.err-*'
        """)
      // An empty name is treated as missing, so the file gets the number of the item as its name.
      #expect(result.output == (name.isEmpty ? "0\nitem-1\n./deep/er/out/item-1\n" : "77\n"), "\(result.errors)")
      #expect(!result.errors.contains("\u{1B}"))
    }
  }

  @Test("keep a hidden name on request")
  func hiddenNamesAreKeptOnRequest() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        "echo x > .profile; dragpipe send .profile | dragpipe receive --hidden out/ && ls -A out")
      #expect(result.output == ".profile\n", "\(result.errors)")
    }
  }

  @Test func holesArriveAsHoles() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        truncate -s 8G hole; mkdir in folder; dragpipe send hole > stream; stat -c %s stream
        dragpipe receive in < stream || exit 1; stat -c '%s %b' in/hole
        dragpipe receive --max-bytes 1G folder < stream; echo $? $(ls -A folder)
        # In a folder, too, what is zero stays a hole.
        head -c 1M /dev/zero > folder/a; echo x >> folder/a; head -c 1M /dev/zero >> folder/a
        dragpipe send folder | dragpipe receive in && diff -r folder in/folder; [ $(stat -c %b in/folder/a) -lt 1000 ]; echo $?
        """)
      #expect(result.output.contains("\n8589934592 0\n77\n0\n"), "\(result.output)\(result.errors)")
      #expect(Int(result.output.prefix { $0 != "\n" }) ?? .max < 1000)
    }
  }
}
