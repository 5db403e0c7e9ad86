// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("Diagnostic notation", .serialized, .limited, .timeLimit(.minutes(5)))
struct DiagnosticTests {
  private struct Report: Decodable {
    struct Item: Decodable {
      struct Representation: Decodable {
        let diagnostic: String?
        let diagnosticError: String?
      }
      let representations: [Representation]
    }
    let items: [Item]
    let verified: Bool
  }

  private struct SequenceReport: Decodable {
    let items: [String]
    let verified: Bool
    let error: String?
  }

  // MARK: Streams

  @Test("--content shows CBOR in a stream, and no other content")
  func contentShowsCBORInAStream() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        printf '\\xa1\\x61a\\x82\\x01\\xf5\\x64\\x1b[2J' > a.cbor; echo x > a.txt
        dragpipe send a.cbor a.txt > stream; dragpipe inspect stream > plain
        dragpipe inspect --diagnostic stream | diff plain -
        """)
      #expect(result.output == #"2a3,4\#n>       {"a": [1, true]},\#n>       "\u001b[2J"\#n"#, "\(result.errors)")
    }
  }

  @Test("the beginning of large content is shown")
  func showsTheBeginningOfLargeContent() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        (printf '\\x5a\\x00\\x10\\x00\\x00'; head -c 1048576 /dev/zero) > a.cbor
        (printf '\\x99\\xff\\xff'; head -c 65535 /dev/zero) > b.cbor
        dragpipe send a.cbor b.cbor | dragpipe inspect --diagnostic | tail -n +3
        """)
      let lines = result.output.split(separator: "\n")
      try #require(lines.count == 4, "\(result.errors)")
      #expect(lines[0] == "      h'" + String(repeating: "00", count: 999) + "…")
      #expect(lines[2].hasPrefix("      [0, 0, ") && lines[2].hasSuffix("…") && (2000...2008).contains(lines[2].count))
      #expect(lines[3].hasSuffix(": complete and verified"))
    }
  }

  @Test("content that is not CBOR is reported, and the stream is still valid")
  func contentThatIsNotCBORIsReported() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        "printf '\\x82\\x01' > a.cbor; dragpipe send a.cbor | dragpipe inspect --diagnostic")
      #expect(result.exitCode == 0)
      #expect(result.output.contains("\n      not CBOR: at byte 0: "))
      #expect(result.output.contains("complete and verified"))
    }
  }

  @Test("the JSON document has the notation as a string")
  func streamJSON() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        printf '\\x61\\x22' > a.cbor; printf '\\xff' > b.cbor; echo x > c.txt
        dragpipe send a.cbor b.cbor c.txt | dragpipe inspect --diagnostic --json
        """)
      let report = try JSONDecoder().decode(Report.self, from: Data(result.output.utf8))
      let representations = report.items.map { $0.representations[0] }
      #expect(representations.map(\.diagnostic) == [#""\"""#, nil, nil])
      #expect(representations[1].diagnosticError?.hasPrefix("at byte 0: ") == true)
      #expect(representations[2].diagnosticError == nil)
      #expect(report.verified)
    }
  }

  // MARK: Files

  @Test("a file of CBOR is shown with one item a line")
  func showsOneCBORItemALine() async throws {
    try await withShell { shell in
      try shell.write(Data(hex: "01 820203 f5 63e6b0b4"), to: "a.CBOR")
      let result = try await shell.run(
        "dragpipe inspect a.CBOR; cp a.CBOR b; dragpipe inspect --diagnostic b | tail -1")
      #expect(result.output == "1\n[2, 3]\ntrue\n\"水\"\n\"水\"\n", "\(result.errors)")
      let report = try JSONDecoder().decode(
        SequenceReport.self, from: Data(try await shell.run("dragpipe inspect --json a.CBOR").output.utf8))
      #expect(report.items == ["1", "[2, 3]", "true", "\"水\""])
      #expect(report.verified)
    }
  }

  @Test("an empty file is a CBOR sequence only by its name")
  func emptyFileIsASequenceOnlyByName() async throws {
    try await withShell { shell in
      let result = try await shell.run(": > a.cbor; dragpipe inspect -c a.cbor; dragpipe inspect --json a.cbor")
      #expect(result.exitCode == 0)
      #expect(result.output == "{\"items\": [\n], \"verified\": true}\n", "\(result.errors)")
      let stream = try await shell.run(": > a.drop; dragpipe inspect --content a.drop")
      #expect(stream.exitCode == 65 && stream.errors.contains("is empty"), "\(stream.errors)")
    }
  }

  @Test("a malformed or truncated file is shown up to the error, with its offset, and ends with 65")
  func malformedFileIsShownUpToTheError() async throws {
    try await withShell { shell in
      for (hex, byte) in [("01 02 82021c", 4), ("01 02 8202", 4), ("01 02 62c328", 3), ("01 02 ff", 2)] {
        try shell.write(Data(hex: hex), to: "a.cbor")
        let result = try await shell.run("dragpipe inspect a.cbor")
        #expect(result.exitCode == 65)
        #expect(result.output == "1\n2\n")
        #expect(result.errors.hasPrefix("dragpipe: a.cbor: at byte \(byte): "), "\(hex): \(result.errors)")
        let document = try await shell.run("dragpipe inspect --json a.cbor")
        let report = try JSONDecoder().decode(SequenceReport.self, from: Data(document.output.utf8))
        #expect(document.exitCode == 65 && report.items == ["1", "2"] && !report.verified)
        #expect(report.error?.hasPrefix("a.cbor: at byte \(byte): ") == true)
      }
    }
  }

  @Test("a drop stream may have any name; a file of an unknown kind is refused")
  func dropStreamMayHaveAnyName() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        echo x > a.txt; dragpipe send a.txt > stream.cbor; dragpipe inspect stream.cbor | tail -1
        printf '\\x01' > b; dragpipe inspect b; echo $?; dragpipe inspect missing.cbor; echo $?
        mkdir d.cbor; dragpipe inspect d.cbor; echo $?
        """)
      #expect(
        result.output == "1 item, 1 representation, 2 bytes: complete and verified\n65\n66\n66\n", "\(result.errors)")
    }
  }

  @Test("closing the output ends the listing of a file without a message")
  func closedOutputEndsTheListingWithoutMessage() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        "head -c 1000000 /dev/zero > a.cbor; dragpipe inspect a.cbor | head -1; echo ${PIPESTATUS[0]}")
      #expect(result.output == "0\n141\n" && result.errors.isEmpty)
    }
  }
}
