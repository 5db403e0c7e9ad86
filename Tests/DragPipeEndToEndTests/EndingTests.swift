// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// The exit codes and messages of both sides when one side is killed, stopped or disconnected, or fails.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct EndingTests {
  private static let start = """
    head -c 300000 /dev/urandom > a; mkdir in
    listening() { until [ -S s ]; do sleep 0.02; done; }
    staging() { until [ -n "$(ls -A in)" ]; do sleep 0.02; done; }

    """

  @Test("a receiver keeps nothing and reports the reason when its sender is killed, terminated or fails")
  func receiverKeepsNothingFromAFailedSender() async throws {
    try await withShell { shell in
      for (how, code, words) in [
        // The kernel reports that the peer has not read all bytes.
        ("kill -9 $sender", 69, ["the peer closed the connection too early", "the peer is gone"]),
        // The sender withdraws its offer before it ends the session. The receiver may notice either of the two first.
        ("kill -TERM $sender", 4, ["the peer cancelled", "the offer was withdrawn"]),
      ] {
        let result = try await shell.run(
          Self.start + """
            "$TOOL" send --to unix:s --type public.data=a --lazy 'public.html=head -c 100000 /dev/zero; sleep 600' & sender=$!
            listening; "$TOOL" receive --from unix:s --all in 2> errors & receiver=$!
            staging; \(how); wait $receiver; echo $?; wait $sender; wc -l < errors; ls -A in; cat errors >&2; rm -rf in s
            """)
        #expect(result.output == "\(code)\n1\n", "\(result.errors)")
        #expect(words.contains { result.errors.contains($0) }, "\(result.errors)")
      }
      let failing = try await shell.run(
        Self.start + """
          dragpipe receive --from "exec:$TOOL send --to stdio: --lazy 'public.html=echo x; exit 3'" in; echo $?; ls -A in
          """)
      #expect(failing.output == "2\n", "\(failing.errors)")
      #expect(failing.errors.contains(" failed: status 3"))
    }
  }

  @Test("a sender reports a killed or terminated receiver, and ends its own commands")
  func senderReportsALostReceiver() async throws {
    try await withShell { shell in
      for signal in ["KILL", "TERM"] {
        let result = try await shell.run(
          Self.start + """
            mkfifo pipe
            "$TOOL" send --to "exec:exec $TOOL receive --from stdio: in < pipe" a & kill %1; wait
            "$TOOL" send --to unix:s --lazy 'public.html=echo $$ > child; head -c 100000 /dev/zero; exec sleep 600' 2> errors & sender=$!
            listening; "$TOOL" receive --from unix:s in & receiver=$!
            until [ -s child ]; do sleep 0.02; done; staging
            kill -\(signal) $receiver; wait $receiver; echo $?
            until [ -s errors ]; do sleep 0.02; done; wc -l < errors
            until ! kill -0 $(cat child) 2>/dev/null; do sleep 0.02; done
            kill $sender; wait $sender; echo $?; ls -A in | grep -v dragpipe; cat errors >&2; rm -rf in child s pipe
            """)
        #expect(result.output == "\(signal == "KILL" ? 137 : 143)\n1\n143\n", "\(result.errors)")
      }
    }
  }

  @Test("the first interrupt ends the process cleanly, the second at once")
  func firstInterruptIsCleanTheSecondImmediate() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        Self.start + """
          set -m; mkfifo wire; dragpipe send a > whole
          (head -c 100000 whole; sleep 600) > wire & feeder=$!
          "$TOOL" receive in < wire & receiver=$!
          staging; kill -INT $receiver; wait $receiver; echo $?; ls -A in; kill $feeder
          "$TOOL" receive --exec 'trap "" TERM; echo $$ > started; sleep 600 & wait; sleep 600' < whole & receiver=$!
          until [ -s started ]; do sleep 0.02; done
          kill -INT $receiver; sleep 0.5; kill -INT $receiver; wait $receiver; echo $?
          # Only the first interrupt waits for the end of the command, which ignores SIGTERM.
          kill -KILL -- -$(cat started)
          """)
      #expect(result.output == "130\n130\n", "\(result.errors)")
    }
  }

  @Test("SIGQUIT ends a process cleanly, with its commands")
  func quitSignalEndsProcessAndCommands() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        Self.start + """
          ulimit -c 0; dragpipe send a > whole
          # A shell has its background jobs ignore the signal.
          python3 -c '
          import os, signal, subprocess, sys, time
          signal.signal(signal.SIGQUIT, signal.SIG_DFL)
          command = [sys.argv[1], "receive", "--exec", "sleep 600 & echo $! > started; wait; echo"]
          child = subprocess.Popen(command, stdin=open("whole"), start_new_session=True)
          while child.poll() is None and not (os.path.exists("started") and os.path.getsize("started")): time.sleep(0.02)
          child.send_signal(signal.SIGQUIT)
          print(child.wait())
          grandchild = int(open("started").read())
          def runs():
            try: return open("/proc/%d/stat" % grandchild).read().split()[2] not in "ZX"
            except OSError: return False
          for _ in range(500):
            if not runs(): break
            time.sleep(0.02)
          print(runs())' "$TOOL"; ls -A .temporary
          """)
      #expect(result.output == "-3\nFalse\n", "\(result.errors)")
      #expect(result.errors == "dragpipe: cancelled\n")
    }
  }

  @Test("the bar is gone before a command has the terminal")
  func progressOfCommands() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        Self.start + """
          dragpipe send a > whole
          script -qec "(head -c 100000 whole; sleep 1.2; tail -c +100001 whole) | '$TOOL' receive --exec 'printf begun; sleep 1; echo done'" \
            /dev/null > seen < /dev/null
          grep -c % seen; tr -d '\r' < seen | grep -o begundone
          """)
      let lines = result.output.split(separator: "\n")
      #expect(lines.count == 2 && lines.last == "begundone", "\(result.output)\(result.errors)")
    }
  }

  @Test("two signals at once end the process cleanly: timeout signals its command, and then its process group")
  func repeatedSignalCountsOnce() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        Self.start + """
          dragpipe send a > whole
          "$TOOL" receive --exec 'trap "" TERM; touch started; exec sleep 600' < whole & receiver=$!
          until [ -e started ]; do sleep 0.02; done
          # Two of one kind could become one on their way.
          kill -TERM $receiver; kill -HUP $receiver; wait $receiver; echo $?; ls -A .temporary
          """)
      #expect(["143\n", "129\n"].contains(result.output), "\(result.output)\(result.errors)")
    }
  }

  @Test("a long transfer shows a moving bar on a terminal, and no progress elsewhere")
  func longTransferShowsABarOnATerminal() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        Self.start + """
          head -c 30M /dev/urandom > big; dragpipe send big > whole
          script -qec "(head -c 10000000 whole; sleep 0.8; tail -c +10000001 whole) | '$TOOL' receive in" /dev/null > seen < /dev/null
          tr '\\r' '\\n' < seen | grep -c %; rm in/big
          (head -c 10000000 whole; sleep 0.8; tail -c +10000001 whole) | dragpipe receive in; rm in/big
          (head -c 10000000 whole; sleep 0.8; tail -c +10000001 whole) | dragpipe receive --progress json in 2> lines
          python3 -c '
          import json
          lines = [json.loads(line) for line in open("lines")]
          print(lines[-1]["ending"], lines[-1]["bytes"] == 30 << 20, len(lines) > 3)'
          (head -c 10000000 whole; sleep 0.8; tail -c +10000001 whole) | dragpipe receive --quiet --progress always --rename in
          """)
      let lines = result.output.split(separator: "\n")
      #expect(lines.count == 2, "\(result.output)\(result.errors)")
      #expect(lines.first.flatMap { Int($0) } ?? 0 >= 2, "\(result.output)")
      #expect(lines.last == "finished True True")
      #expect(result.errors == "")
    }
  }
}

/// The ends of commands of `exec:`.
///
/// When the tool ends, these commands and all their child processes must end.
@Suite(.serialized, .limited, .timeLimit(.minutes(10))) struct ProgramEndingTests {
  /// Defines `gone`, which waits until the process whose number is in the file `child` has ended, and then prints
  /// `gone`.
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

  /// Starts a command in a session without a terminal, and sends it a signal after its child has started.
  ///
  /// It is a Python program, since background jobs of a shell ignore interrupts.
  private static let signaller = """
    import os, signal, subprocess, sys, time
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    command = subprocess.Popen(sys.argv[2:], start_new_session=True)
    while command.poll() is None and not (os.path.exists("child") and os.path.getsize("child")): time.sleep(0.02)
    command.send_signal(int(sys.argv[1]))
    print(command.wait(), flush=True)
    """
}
