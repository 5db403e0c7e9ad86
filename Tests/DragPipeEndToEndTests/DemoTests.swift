// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// The demos, whose processes send items to each other.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct DemoTests {
  private struct Processes: Decodable, Hashable {
    let source: Int
    let destination: Int
  }

  private struct Story: Decodable {
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

  @Test func reportIsATextOrADocument() async throws {
    try await withShell { shell in
      let run = try await shell.run("dragpipe demo --json")
      #expect(run.exitCode == 0 && run.errors.isEmpty, "\(run.errors)")
      #expect(run.output.hasPrefix(#"{"columns":["#) && run.output.hasSuffix("\"verified\":true}\n"))
      let story = try JSONDecoder().decode(Story.self, from: Data(run.output.utf8))
      #expect(story.verified && story.processes.source != story.processes.destination)
      #expect(story.favourites == story.items.filter { $0.kind == "hero" }.map(\.name).sorted())
      // The text is the same on a terminal.
      for command in ["dragpipe demo", "script -qec \"'$TOOL' demo\" /dev/null < /dev/null"] {
        let told = try await shell.run(command)
        #expect(told.exitCode == 0, "\(told.errors)")
        let text = told.output.replacing("\r\n", with: "\n")
        let processes = text.matches(of: /process (\d+)/).compactMap { Int($0.1) }
        #expect(processes.count == 2 && Set(processes).count == 2)
        let lines = text.split(separator: "\n").filter { $0.hasPrefix("  ") && !$0.hasPrefix("    ") }
        #expect(lines.map { $0.dropFirst(2) } == story.items.map { "\($0.kind)  \($0.name)" })
        #expect(text.contains("  hero  Odysseus\n") && text.contains("complete and verified"))
        #expect(text.contains("as org.dragpipe.hero.cbor, org.dragpipe.hero, public.utf8-plain-text, public.url\n"))
        #expect(text.contains("  card  "))
        for item in story.items { #expect(text.contains("        as \(item.types.joined(separator: ", "))\n")) }
        #expect(text.contains("favourites   \(story.favourites.joined(separator: ", "))\n"))
        let columns = story.columns.map { "\($0.title) (\($0.cards))" }
        #expect(text.hasSuffix("columns      \(columns.joined(separator: ", "))\n"))
      }
    }
  }

  private struct Report: Decodable {
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

  /// Both processes keep a fraction of the item in memory, and none of it on disk.
  @Test func largeItemIsTransferredThenCancelledWithLittleMemory() async throws {
    try await withShell { shell in
      let size = 64 << 20
      let run = try await shell.run("dragpipe demo --large --size 64M --json; ls -A .temporary")
      #expect(run.exitCode == 0 && run.errors.isEmpty, "\(run.errors)")
      let report = try JSONDecoder().decode(Report.self, from: Data(run.output.utf8))
      #expect(report.verified && report.transferred.bytes == size && report.transferred.seconds > 0)
      #expect(report.transferred.bytesPerSecond > 0)
      #expect((size / 2..<size).contains(report.cancelled.bytes))
      #expect((report.cancelled.bytes..<size).contains(report.cancelled.made))
      #expect(report.cancelled.heard == "cancelled half way")
      #expect(report.cancelled.left == ["files": 0, "descriptors": 0])
      try await shell.expect(
        #"""
        $ ulimit -f 64; "$TOOL" demo --large --size 300M --progress json > text 2> records & demo=$!
        $ await 'grep -q destination text'; children=$(sed -n 's/.*process \([0-9]*\).*/\1/p' text)
        $ while kill -0 $demo 2> ended; do
        >   for child in $demo $children; do sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' /proc/$child/status; done 2> ended > peaks
        >   for peak in $(cat peaks); do sampled=1; [ $peak -lt 153600 ] || echo $peak KiB; done; sleep 0.05
        > done; wait $demo || echo $?; [ $sampled ] || echo no sample; ls -A .temporary
        $ grep -o '"ending":"[a-z]*"' records; sed -E 's/[0-9.]+ s/N s/; s:[0-9.]+ [kMG]?B/s:N MB/s:; s/[0-9]+/N/g' text | tail -5
        "ending":"finished"
        "ending":"cancelled"
        complete and verified
        transferred  N bytes in N s, N MB/s
        cancelled    after N bytes; error at the source: cancelled half way
        stopped      after the source had generated N bytes
        remaining    nothing
        $ grep -c '^transferred  314572800 bytes in ' text
        1
        """#)
    }
  }

  @Test func barMovesOnATerminalAndIsErased() async throws {
    try await withShell { shell in
      let run = try await shell.run(
        #"""
        script -qec "'$TOOL' demo --large --size 600M" /dev/null < /dev/null > seen
        tr '\r' '\n' < seen | grep -o '[0-9]*%' | sort -u | wc -l
        """#)
      #expect(Int(run.output.dropLast()) ?? 0 >= 3, "\(run.output)\(run.errors)")
      // After the progress line is erased, only the report follows.
      let seen = String(decoding: try shell.data(of: "seen"), as: UTF8.self)
      let rest = try #require(seen.components(separatedBy: "\u{1B}[K").last)
      #expect(rest.hasPrefix("complete and verified") && rest.hasSuffix("remaining    nothing\r\n"), "\(rest)")
    }
  }

  @Test func interruptOrDeathOfOneProcessEndsAllThree() async throws {
    try await transcript(
      #"""
      $ start() {
      >   rm -f told said; alone "$TOOL" demo --large --size 900G --progress json > told 2> said & demo=$!; await 'grep -q transferring said'
      >   children=($(sed -n 's/.*process \([0-9]*\).*/\1/p' told)); [ ${#children[*]} = 2 ] || echo ${children[*]}
      > }
      $ finish() {
      >   wait $demo; echo $?; for child in ${children[*]}; do kill -0 $child 2> gone && echo $child lives; done
      >   grep -v '^{' said | sed -E 's/.*\b([a-z]+ process: signal 9).*/\1/'; ls -A .temporary
      > }
      $ start; kill -INT $demo; finish; grep -o '"ending":"cancelled"' said
      130
      dragpipe: cancelled
      "ending":"cancelled"
      $ start; kill -INT -- -$demo; finish; grep -o '"ending":"cancelled"' said
      130
      dragpipe: cancelled
      "ending":"cancelled"
      $ start; kill -TERM $demo; finish; grep -o '"ending":"cancelled"' said
      143
      dragpipe: cancelled
      "ending":"cancelled"
      $ start; kill -KILL ${children[0]}; finish
      1
      source process: signal 9
      $ start; kill -KILL ${children[1]}; finish
      1
      destination process: signal 9
      $ dragpipe demo --large --size 900G | true; echo ${PIPESTATUS[0]}; ls -A .temporary
      141
      """#)
  }
}
