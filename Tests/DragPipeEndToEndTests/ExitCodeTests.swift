// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropTransport
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@Suite("Exit codes", .serialized, .limited, .timeLimit(.minutes(5)))
struct ExitCodeTests {
  /// Runs a script, and expects the exit code of its last command and one line with the reason.
  private func expect(
    _ code: Int32, _ reason: String, from script: String,
    _ location: SourceLocation = #_sourceLocation
  ) async throws {
    try await withShell { shell in
      let result = try await shell.run("mkdir out\n" + script)
      #expect(result.exitCode == code, "\(result.errors)", sourceLocation: location)
      #expect(reason.isEmpty || result.errors.contains(reason), "\(result.errors)", sourceLocation: location)
      #expect(try shell.names(in: "out").isEmpty, sourceLocation: location)
    }
  }

  @Test("0 for a drop without items, unlike an empty input")
  func emptyDropExitsWith0() async throws {
    try await expect(0, "", from: "echo '[]' | dragpipe send --as hero - | dragpipe receive out")
    try await expect(65, "is empty", from: "dragpipe receive out < /dev/null")
  }

  @Test("1 when the sender fails")
  func failedSenderExitsWith1() async throws {
    try await expect(
      1, "missing: No such file", from: "dragpipe send missing 2> /dev/null | dragpipe receive out")
  }

  @Test("2 when a stream is complete, but some content failed to load at the sender: the rest is received")
  func partialDropExitsWith2() async throws {
    try await withShell { shell in
      let drop = shell.directory.appendingPathComponent("a.drop").path
      try await DropStream.withWriter(to: .file(drop)) { writer in
        for name in ["one", "two", "three"] {
          let item = ItemProvider(suggestedName: name)
          item.register(.utf8PlainText) { _ in
            if name != "one" { throw CocoaError(.fileReadNoSuchFile) }
            return Data(name.utf8)
          }
          _ = try await writer.writeAvailable(item)
        }
      }
      let result = try await shell.run("mkdir out; dragpipe receive out < a.drop")
      #expect(result.exitCode == 2)
      #expect(result.errors.contains("the sender failed to load two and 1 more: "), "\(result.errors)")
      #expect(result.errors.split(separator: "\n").count == 1)
      #expect(try shell.names(in: "out") == ["one"])
      let listing = try await shell.run("dragpipe inspect a.drop")
      #expect(listing.exitCode == 0)
      #expect(listing.output.contains("  missing: failed: "), "\(listing.output)")
      let json = try await shell.run("dragpipe inspect --json a.drop")
      #expect(json.output.contains(#""failure":"failed: "#), "\(json.output)")
    }
  }

  @Test("3 when nothing acceptable is offered, with what was")
  func noAcceptableType() async throws {
    try await expect(
      3, "item 1 has no type org.dragpipe.hero; its types are public.plain-text",
      from: "echo x > a.txt; dragpipe send a.txt | dragpipe receive --as hero --into f.json")
  }

  @Test("4 when the sender is terminated; the sender itself ends by the signal")
  func terminatedSenderExitsReceiverWith4() async throws {
    try await expect(
      4, "the sender cancelled",
      from: """
        mkfifo wire never
        "$TOOL" send never > wire & sender=$!
        (until ls -l /proc/$sender/fd | grep -q never; do sleep 0.05; done; kill -TERM $sender) &
        dragpipe receive out < wire; code=$?
        wait $sender; [ $? = 143 ] && exit $code
        """)
  }

  @Test(
    "64 for an invalid command line",
    arguments: [
      "", "fly", "send", "send --fast x", "send --as villain x", "send --name a x y", "receive", "receive a b",
      "receive --as hero", "receive --column x out", "receive --timeout never out", "inspect a b", "send --name",
    ])
  func invalidCommandLineExitsWith64(_ arguments: String) async throws {
    try await expect(64, "--help)", from: "dragpipe \(arguments) < /dev/null")
  }

  @Test("64 for binary content to or from a terminal")
  func bytesForATerminalExitWith64() async throws {
    for (command, reason) in [
      ("send /etc/passwd", "standard output is a terminal"), ("receive out", "standard input is a terminal"),
      ("send --to fd:1 /etc/passwd", "the descriptor of --to is a terminal"),
      ("receive --from fd:0 out", "the descriptor of --from is a terminal"),
    ] {
      try await expect(
        64, "",
        from: """
          script -qec "'$TOOL' \(command)" /dev/null > seen; code=$?
          grep -q '\(reason)' seen && exit $code
          """)
    }
  }

  @Test("64 without any output, if an item for a terminal is not text, or contains control characters")
  func itemsForTerminals() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        echo Hail > a.txt; printf 'a\\033[2J' > b.txt; head -c 100 /dev/zero > c
        for items in a.txt 'a.txt b.txt' 'a.txt c'; do
          dragpipe send $items > x.drop
          script -qec "'$TOOL' receive --from x.drop -q -o -" /dev/null < /dev/null; echo $?
        done
        """)
      #expect(
        result.output.replacing("\r\n", with: "\n") == """
          Hail
          0
          dragpipe: standard output is a terminal; text with control characters needs -o FILE (see dragpipe receive --help)
          64
          dragpipe: standard output is a terminal; public.data content needs -o FILE (see dragpipe receive --help)
          64

          """)
    }
  }

  @Test("65 for a stream that is malformed or truncated")
  func malformedStreamExitsWith65() async throws {
    for (command, reason) in [
      ("(printf x; head -c 65536 /dev/urandom)", "not a drop stream: the signature is missing at byte 0"),
      ("cat $TOOL", "not a drop stream: the signature is missing at byte 0"),
      (#"dragpipe send a | sed 's/\r//'"#, "a program has treated the stream as text"),
      ("(dragpipe send a; echo)", "bytes follow the end"),
      ("(dragpipe send a; dragpipe send a)", "bytes follow the end"),
      ("dragpipe send a | sed 's/Hail/Hall/'", "corrupt"),
    ] {
      try await expect(65, reason, from: "echo Hail > a; \(command) | dragpipe receive out")
    }
  }

  @Test("65 when the sender is killed")
  func killedSenderExitsReceiverWith65() async throws {
    try await expect(
      65, "the stream is truncated",
      from: """
        head -c 9M /dev/zero > a; mkfifo wire
        "$TOOL" send a > wire & sender=$!
        (head -c 100000; kill -9 $sender; cat) < wire | dragpipe receive out
        """)
  }

  @Test("66 for an input that cannot be opened")
  func missingInputExitsWith66() async throws {
    try await expect(66, "missing: No such file", from: "dragpipe send missing > /dev/null")
    try await expect(66, "cannot open missing", from: "dragpipe inspect missing")
  }

  @Test("69 when the receiver goes away")
  func lostReceiverExitsWith69() async throws {
    try await expect(
      69, "the receiver is gone",
      from: "head -c 9M /dev/zero > a; dragpipe send a | head -c 1 > /dev/null; exit ${PIPESTATUS[0]}")
  }

  @Test("73 for a destination that cannot be written")
  func unwritableDestinationExitsWith73() async throws {
    let drop = "echo '{\"id\": 1}' > a; dragpipe send"
    try await expect(
      73, "directory missing does not exist; use missing/ to create it", from: "\(drop) a | dragpipe receive missing")
    try await expect(73, "Not a directory", from: "\(drop) a | dragpipe receive a")
    // A missing directory is not an error of the peer.
    try await expect(
      73, "directory missing does not exist; use missing/ to create it",
      from: "echo x > a; dragpipe receive --from \"exec:$TOOL send --to stdio: a\" missing")
    try await expect(
      73, "cannot change missing/f.json",
      from: "\(drop) --as hero a | dragpipe receive --as hero --into missing/f.json")
  }

  @Test("74 when the disk or the output is full")
  func fullDiskExitsWith74() async throws {
    let file = "head -c 99K /dev/urandom > a;"
    try await expect(74, "No space left", from: "\(file) dragpipe send a > /dev/full")
    try await expect(74, "No space left", from: "\(file) dragpipe send a | dragpipe inspect > /dev/full")
    try await expect(
      74, "File too large",
      from: "\(file) dragpipe send a | (ulimit -f 8; trap '' XFSZ; dragpipe receive out)")
  }

  @Test("75 when no data moves within the timeout")
  func timeoutExitsWith75() async throws {
    try await expect(
      75, "no byte was transferred within 0.2 seconds", from: "sleep 3 | dragpipe receive --timeout 0.2 out")
  }

  @Test("76 for a stream of another version")
  func unknownVersionExitsWith76() async throws {
    // The preamble of a stream of version 2.0: its first 16 bytes, with their checksum.
    let preamble = "printf '\\xd7\\x44\\x52\\x50\\x0d\\x0a\\x1a\\x0a\\x02\\x00\\x01\\x01\\x53\\x23\\x2b\\x8f'"
    for command in ["receive out", "inspect"] {
      let message = "the stream has version 2.0; this reader supports version 1"
      try await expect(76, message, from: "\(preamble) | dragpipe \(command)")
    }
  }

  @Test("77 for two items of the same name")
  func duplicateNameExitsWith77() async throws {
    try await expect(
      77, "two items have the name", from: "mkdir b; echo x > a; cp a b; dragpipe send a b/a | dragpipe receive out")
  }

  @Test("143 when the receiver is terminated; no files remain")
  func terminatedReceiverLeavesNoFiles() async throws {
    try await expect(
      143, "",
      from: """
        mkfifo wire; head -c 9M /dev/urandom > a; dragpipe send a > whole
        (head -c 5M whole; sleep 60) > wire & feeder=$!
        "$TOOL" receive out < wire & receiver=$!
        until [ -n "$(ls -A out)" ]; do sleep 0.05; done
        kill $receiver; wait $receiver; code=$?; kill $feeder; exit $code
        """)
  }
}
