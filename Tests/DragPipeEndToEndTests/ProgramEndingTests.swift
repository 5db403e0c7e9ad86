// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// How commands of `exec:` end when the tool does: with everything that they have started.
@Suite(.serialized, .limited, .timeLimit(.minutes(10))) struct ProgramEndingTests {
  /// `gone` waits until there is no process that the file `child` names, and prints that.
  private static let start = """
    head -c 300000 /dev/urandom > a; mkdir in
    gone() {
      for attempt in {1..3000}; do kill -0 $(cat child) 2>/dev/null || break; sleep 0.02; done
      kill $(cat child) 2>/dev/null || echo gone; rm child
    }
    COMMAND='sh -c "echo \\$\\$ > child; exec sleep 1001"; true'

    """

  @Test func timeoutEndsTheCommandsOfTheShell() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        Self.start + """
          setsid -w "$TOOL" receive --timeout 0.5 --from "exec:$COMMAND" in; echo $?; gone
          setsid -w "$TOOL" send --timeout 0.5 --to "exec:$COMMAND" a; echo $?; gone
          setsid -w "$TOOL" receive --timeout 0.5 --list --from "exec:$COMMAND"; echo $?; gone
          """)
      #expect(result.output == "75\ngone\n75\ngone\n75\ngone\n", "\(result.errors)")
    }
  }

  @Test func signalsEndTheCommandsOfTheShell() async throws {
    try await withShell { shell in
      try shell.write(Data(Self.signaller.utf8), to: "signaller")
      let result = try await shell.run(
        Self.start + """
          for signal in 2 15 1; do
            python3 signaller $signal "$TOOL" receive in --from "exec:$COMMAND"; gone
            python3 signaller $signal "$TOOL" send a --to "exec:$COMMAND"; gone
          done
          """)
      let expected = ["-2", "-15", "-1"].flatMap { [$0, "gone", $0, "gone"] }
      #expect(result.output.split(separator: "\n").map(String.init) == expected, "\(result.errors)")
    }
  }

  /// Starts a command without a terminal, as a session of its own, and signals it once its child is there.
  ///
  /// A shell would have its background jobs ignore interrupts.
  private static let signaller = """
    import os, signal, subprocess, sys, time
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    command = subprocess.Popen(sys.argv[2:], start_new_session=True)
    while command.poll() is None and not (os.path.exists("child") and os.path.getsize("child")): time.sleep(0.02)
    command.send_signal(int(sys.argv[1]))
    print(command.wait(), flush=True)
    """
}
