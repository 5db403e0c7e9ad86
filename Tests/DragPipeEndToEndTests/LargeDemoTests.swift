// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Tests of `demo --json` and `demo --large --json`.
@Suite("The demo as JSON, and the large demo", .serialized, .limited, .timeLimit(.minutes(5)))
struct LargeDemoTests {
  private struct Processes: Decodable, Hashable {
    let source: Int
    let destination: Int
  }

  @Test("demo --json writes the report as one object with sorted keys")
  func jsonContainsTheReport() async throws {
    struct Story: Decodable {
      struct Item: Decodable {
        let kind: String
        let name: String
        let types: [String]
      }
      struct Column: Decodable {
        let title: String
        let cards: Int
      }
      let processes: Processes
      let items: [Item]
      let favourites: [String]
      let columns: [Column]
      let verified: Bool
    }
    try await withShell { shell in
      let result = try await shell.run("dragpipe demo --json")
      #expect(result.exitCode == 0 && result.errors.isEmpty, "\(result.errors)")
      #expect(result.output.hasPrefix(#"{"columns":["#) && result.output.hasSuffix("\"verified\":true}\n"))
      let story = try JSONDecoder().decode(Story.self, from: Data(result.output.utf8))
      #expect(story.verified && story.processes.source != story.processes.destination)
      let text = try await shell.run("dragpipe demo").output
      let lines = text.split(separator: "\n")
      let told = lines.filter { $0.hasPrefix("  ") && !$0.hasPrefix("    ") }.map { $0.dropFirst(2) }
      #expect(told.map(String.init) == story.items.map { "\($0.kind)  \($0.name)" })
      for item in story.items { #expect(text.contains("        as \(item.types.joined(separator: ", "))\n")) }
      #expect(text.contains("favourites   \(story.favourites.joined(separator: ", "))\n"))
      let columns = story.columns.map { "\($0.title) (\($0.cards))" }
      #expect(text.hasSuffix("columns      \(columns.joined(separator: ", "))\n"))
      #expect(story.favourites == story.items.filter { $0.kind == "hero" }.map(\.name).sorted())
    }
  }

  @Test("a large item is transferred completely, then cancelled half way, and no file remains")
  func largeItemIsTransferredThenCancelled() async throws {
    struct Report: Decodable {
      struct Transferred: Decodable {
        let bytes: Int
        let seconds: Double
        let bytesPerSecond: Int
      }
      struct Cancelled: Decodable {
        let bytes: Int
        let made: Int
        let heard: String
        let left: [String: Int]
      }
      let processes: Processes
      let transferred: Transferred
      let cancelled: Cancelled
      let verified: Bool
    }
    try await withShell { shell in
      let size = 64 << 20
      let result = try await shell.run("dragpipe demo --large --size 64M --json; ls -A .temporary")
      #expect(result.exitCode == 0 && result.errors.isEmpty, "\(result.errors)")
      let report = try JSONDecoder().decode(Report.self, from: Data(result.output.utf8))
      #expect(report.verified && report.transferred.bytes == size && report.transferred.seconds > 0)
      #expect(report.transferred.bytesPerSecond > 0)
      #expect((size / 2..<size).contains(report.cancelled.bytes))
      #expect((report.cancelled.bytes..<size).contains(report.cancelled.made))
      #expect(report.cancelled.heard == "cancelled half way")
      #expect(report.cancelled.left == ["files": 0, "descriptors": 0])

      let text = try await shell.run("dragpipe demo --large --size 64M; ls -A .temporary")
      #expect(text.exitCode == 0 && text.errors.isEmpty)
      #expect(text.output.contains("\ntransferred  \(size) bytes in "))
      #expect(text.output.hasSuffix("\nremaining    nothing\n"))
      #expect(
        text.output.contains(
          " bytes; error at the source: cancelled half way\nstopped      after the source had generated "))
    }
  }

  @Test("both processes keep a fraction of the item in memory, and none of it on disk")
  func processesNeedLittleMemoryAndNoDisk() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        export TOOL; python3 -c '
        import os, resource, subprocess
        subprocess.run([os.environ["TOOL"], "demo", "--large", "--size", "400M"], check=True, stdout=subprocess.DEVNULL,
          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536)))
        print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 150 * 1024)'
        """)
      #expect(result.output == "True\n", "\(result.errors)")
    }
  }

  @Test("the bar moves on a terminal and is erased at the end; elsewhere it needs an option")
  func barMovesOnATerminalOnly() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        script -qec "'$TOOL' demo --large --size 600M" /dev/null < /dev/null > seen
        tr '\\r' '\\n' < seen | grep -o '[0-9]*%' | sort -u | wc -l
        grep -c 'remaining    nothing' seen
        dragpipe demo --large --size 200M --progress json 2> records > told
        python3 -c '
        import json
        records = [json.loads(line) for line in open("records")]
        ends = [record for record in records if "ending" in record]
        print([end["ending"] for end in ends], ends[0]["bytes"] == 200 << 20, ends[1]["bytes"] < 200 << 20)'
        """)
      let lines = result.output.split(separator: "\n")
      #expect(lines.count == 3, "\(result.output)\(result.errors)")
      #expect(lines.first.flatMap { Int($0) } ?? 0 >= 3, "\(result.output)")
      #expect(lines.dropFirst().first == "1")
      #expect(lines.last == "['finished', 'cancelled'] True True")
      let seen = String(decoding: try shell.data(of: "seen"), as: UTF8.self)
      // After the progress line is erased, only the report follows.
      let rest = try #require(seen.components(separatedBy: "\u{1B}[K").last)
      #expect(rest.hasPrefix("complete and verified"), "\(rest)")
    }
  }

  @Test(
    "an interrupt ends all three processes cleanly, with one line",
    arguments: ["kill -INT $demo", "kill -INT -- -$demo", "kill -TERM $demo"])
  func interruptEndsAllProcesses(_ how: String) async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        set -m; "$TOOL" demo --large --size 900G --progress json > told 2> said & demo=$!
        until grep -q transferring said; do sleep 0.02; done
        children=$(awk '{ print $3 }' told)
        \(how); wait $demo; echo $?
        for child in $children; do kill -0 $child 2> /dev/null && echo $child lives; done
        echo $children | wc -w; grep -v '^{' said; grep -c '"ending":"cancelled"' said; ls -A .temporary
        """)
      let code = how.contains("TERM") ? 143 : 130
      #expect(result.output == "\(code)\n2\ndragpipe: cancelled\n1\n", "\(result.errors)")
    }
  }

  @Test("if one process dies, the other ends, and the demo reports it")
  func deathOfOneProcessIsReported() async throws {
    try await withShell { shell in
      for (line, words) in [(1, "source process: signal 9"), (2, "destination process: signal 9")] {
        let result = try await shell.run(
          """
          rm -f told said; "$TOOL" demo --large --size 900G --progress json > told 2> said & demo=$!
          until grep -q transferring said; do sleep 0.02; done
          kill -KILL $(sed -n '\(line)s/.*process \\([0-9]*\\).*/\\1/p' told); wait $demo; echo $?
          grep -v '^{' said; ls -A .temporary
          """)
        let lines = result.output.split(separator: "\n")
        #expect(lines.count == 2 && lines.first == "1", "\(result.output)\(result.errors)")
        #expect(lines.last?.contains(words) == true, "\(result.output)")
      }
    }
  }

  @Test("closing its output ends the demo without a message")
  func closedOutputEndsTheDemoWithoutMessage() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        "dragpipe demo --large --size 900G | true; echo ${PIPESTATUS[0]}; ls -A .temporary")
      #expect(result.output == "141\n" && result.errors.isEmpty, "\(result.output)\(result.errors)")
    }
  }
}
