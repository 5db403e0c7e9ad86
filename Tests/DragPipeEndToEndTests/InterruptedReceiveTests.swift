// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Receives with `--resume` that are interrupted, and the receives that continue them.
@Suite(.serialized, .limited, .timeLimit(.minutes(10))) struct InterruptedReceiveTests {
  /// A file, and a sender of which only the first 2,000,000 bytes reach the receiver.
  ///
  /// `rest` writes the number of bytes that a later sender sends to the file `crossed`.
  private static let start = #"""
    head -c 3000000 /dev/urandom > big; mkdir in
    cut='"$TOOL" send --to stdio: big | stdbuf -o0 head -c 2000000'
    rest='"$TOOL" send --to stdio: big | tee crossed'
    kept() { ls -A in | grep '^\.dragpipe-.*\.partial$'; }
    size() { stat -c %s in/.dragpipe-*.partial/0 2> /dev/null || echo 0; }
    export TOOL

    """#

  @Test func theSecondReceiveTransfersTheRest() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        Self.start + """
          dragpipe receive --resume --from "exec:$cut" in 2> errors; echo $?
          grep -c 'kept .* bytes in in/.dragpipe-.*.partial; repeat the receive to continue' errors
          kept | wc -l; [ $(size) -gt 1700000 ] && echo long
          dragpipe receive --resume --from "exec:$rest" in; echo $?; cmp big in/big && ls -A in
          [ $(stat -c %s crossed) -lt 1300000 ] && echo short
          """)
      #expect(result.output == "69\n1\n1\nlong\n0\nbig\nshort\n", "\(result.errors)")
    }
  }

  @Test(arguments: ["TERM", "KILL"]) func aReceiverThatASignalEndsIsContinued(signal: String) async throws {
    try await withShell { shell in
      let result = try await shell.run(
        Self.start + """
          # The sender then stays silent until the receiver has ended.
          "$TOOL" receive --resume --from "exec:{ $cut; cat > /dev/null; }" in & receiver=$!
          until [ $(size) -gt 1700000 ]; do sleep 0.02; done
          kill -\(signal) $receiver; wait $receiver
          kept | wc -l
          # A receiver without the option leaves the directory, and --clean would remove it.
          echo small > small; "$TOOL" send small | dragpipe receive in; kept | wc -l
          dragpipe receive --resume --from "exec:$rest" in; echo $?; cmp big in/big && ls -A in
          [ $(stat -c %s crossed) -lt 1300000 ] && echo short
          dragpipe receive --overwrite --resume --from "exec:$cut" in; echo $?; kept | wc -l
          dragpipe receive --clean in; ls -A in
          """)
      #expect(result.output == "1\n1\n0\nbig\nsmall\nshort\n69\n1\nbig\nsmall\n", "\(result.errors)")
    }
  }

  @Test func aDropFileIsContinued() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        Self.start + """
          dragpipe send --to a.drop big
          # The part that a killed receiver would have left.
          dragpipe receive --resume --from "exec:$cut" in 2> /dev/null
          truncate -s 1234567 in/.dragpipe-*.partial/0
          dragpipe receive --resume --from a.drop in 2> errors; echo $?; cat errors; cmp big in/big && ls -A in
          """)
      #expect(
        result.output == "0\ndragpipe: 1234567 bytes were kept from an interrupted receive\nbig\n",
        "\(result.errors)")
    }
  }

  @Test(arguments: [
    ("receive --resume in", "--resume needs a sender that can respond"),
    ("receive --resume --from clipboard: in", "--resume needs a sender that can respond"),
    ("receive --resume --from unix:s -o -", "--resume cannot be combined with -o -"),
    ("receive --resume --from unix:s --exec cat", "--resume cannot be combined with --exec"),
    ("receive --resume --from unix:s --list", "--resume cannot be combined with --list"),
    ("receive --resume --from unix:s --as hero --into f", "--resume cannot be combined with --as"),
    ("receive --resume --from unix:s --move --originals in", "--originals and --resume exclude each other"),
    ("receive --resume --clean in", "--resume cannot be combined with --clean"),
  ])
  func otherUsesAreRefused(_ use: (command: String, message: String)) async throws {
    try await withShell { shell in
      let result = try await shell.run("mkdir in; dragpipe \(use.command) < /dev/null; echo $?; ls -A in")
      #expect(result.output == "64\n" && result.errors.contains(use.message), "\(result.errors)")
    }
  }
}
