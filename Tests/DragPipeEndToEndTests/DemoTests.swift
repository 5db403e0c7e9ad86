// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("The demo and the listings", .serialized, .limited, .timeLimit(.minutes(5)))
struct DemoTests {
  @Test("the demo names both processes and what arrived")
  func namesProcessesAndArrivedItems() async throws {
    try await withShell { shell in
      let result = try await shell.run("dragpipe demo")
      #expect(result.exitCode == 0, "\(result.errors)")
      let processes = result.output.matches(of: /process (\d+)/).compactMap { Int($0.1) }
      #expect(processes.count == 2)
      #expect(Set(processes).count == 2)
      for text in [
        "hero  Odysseus", "as org.dragpipe.hero.cbor, org.dragpipe.hero, public.utf8-plain-text, public.url",
        "card  ", "complete and verified",
      ] {
        #expect(result.output.contains(text))
      }
    }
  }

  @Test("the demo runs on a terminal")
  func runsOnATerminal() async throws {
    try await withShell { shell in
      let result = try await shell.run(#"script -qec "'$TOOL' demo" /dev/null < /dev/null"#)
      #expect(result.exitCode == 0)
      #expect(result.output.contains("complete and verified"), "\(result.output)")
    }
  }

  @Test("inspect lists items with their types and sizes, escaped")
  func inspectListsEscapedItems() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        "printf 123456789 > a.txt; dragpipe send --name \"$(printf 'a\\x1b[2J')\" a.txt | dragpipe inspect")
      #expect(result.exitCode == 0)
      #expect(
        result.output == """
          ITEM  NAME          TYPE               BYTES  CRC32C    REMARKS
             1  "a\\u{1b}[2J"  public.plain-text      9  e3069283
          1 item, 1 representation, 9 bytes: complete and verified

          """)
    }
  }

  @Test("inspect writes one JSON document, also for a truncated stream")
  func inspectJSON() async throws {
    struct Report: Decodable {
      struct Item: Decodable {
        let name: String?
      }
      let items: [Item]
      let verified: Bool
      let error: String?
    }
    try await withShell { shell in
      try #require(try await shell.run("echo a > a.txt; dragpipe send a.txt a.txt > stream").exitCode == 0)
      let whole = try await shell.run("dragpipe inspect --json stream")
      let report = try JSONDecoder().decode(Report.self, from: Data(whole.output.utf8))
      #expect(report.items.map(\.name) == ["a.txt", "a.txt"])
      #expect(report.verified && report.error == nil)

      let cut = try await shell.run("head -c -1 stream | dragpipe inspect --json")
      #expect(cut.exitCode == 65)
      let cutReport = try JSONDecoder().decode(Report.self, from: Data(cut.output.utf8))
      #expect(!cutReport.verified)
      #expect(cutReport.error?.contains("the stream is truncated") == true)
    }
  }

  @Test("closing the output ends inspect without a message")
  func closedOutputEndsInspectWithoutMessage() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        "dragpipe send --as hero $SAMPLES/heroes.json > stream; dragpipe inspect stream | true; echo ${PIPESTATUS[0]}")
      #expect(result.errors.isEmpty)
      #expect(result.output == "141\n" || result.output == "0\n")
    }
  }

  @Test("help and version go to standard output")
  func helpAndVersionGoToStandardOutput() async throws {
    try await withShell { shell in
      for command in [
        "--help", "--version", "send --help", "receive --help", "inspect --help", "extract --help", "demo --help",
      ] {
        let result = try await shell.run("dragpipe \(command)")
        #expect(result.exitCode == 0)
        #expect(!result.output.isEmpty && result.errors.isEmpty)
      }
    }
  }
}
