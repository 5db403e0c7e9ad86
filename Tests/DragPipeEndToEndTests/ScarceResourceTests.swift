// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Processes with few resources.
///
/// Each must work, or report in one line that it cannot.
@Suite(.serialized, .limited, .timeLimit(minutes: 10)) struct ScarceResourceTests {
  @Test func anyNumberOfFreeDescriptorsIsNoCrash() async throws {
    let counts = sampled(1..<33, 4, "free descriptors") + [48]
    try await withShell { shell in
      let run = try await shell.run(
        """
        head -c 3000000 /dev/urandom > a; dragpipe send a > whole; ulimit -c 0
        # Prints the exit code and the number of messages of a command with a number of free descriptors.
        free() {
          local count=$1; shift
          (ulimit -n 64; for number in $(seq $((3 + count)) 63); do eval "exec $number< /dev/null"; done; exec "$@") > out 2> err
          echo $count $? $(grep -c ^dragpipe: err)
        }
        for count in \(counts.map(String.init).joined(separator: " ")); do
          free $count "$TOOL" receive in/ < whole
          free $count "$TOOL" send a
          free $count "$TOOL" receive --exec 'cat > /dev/null' < whole
          free $count "$TOOL" send --to "$RECEIVER in2/" a
          rm -rf in in2
        done
        """, within: .seconds(isFullRun ? 600 : 180))
      #expect(run.outputLines.count == 4 * counts.count, "\(run.errors)")
      for line in run.outputLines {
        let words = line.split(separator: " ").compactMap { Int($0) }
        try #require(words.count == 3)
        let (count, code, messages) = (words[0], words[1], words[2])
        // No command may end by a signal, and a command that fails must report the reason. With 24 to 47 free
        // descriptors, it depends on the machine, because the tool has more files open on a busy one.
        if code >= 126 || (code != 0 && messages == 0) || (count < 24 && code != 74) || (count == 48 && code != 0) {
          Issue.record("free descriptors, exit code, messages: \(line)")
        }
      }
    }
  }

  @Test func tooFewDescriptorsPreventTheStart() async throws {
    try await transcript(
      #"""
      $ echo x > a; (ulimit -n 8; dragpipe send a > a.drop)
      dragpipe: only 5 of 8 file descriptors are free, but dragpipe needs 24; raise the limit with ulimit -n
      [74]
      $ (ulimit -Sn 8; dragpipe send a > a.drop)
      """#)
  }

  @Test(.peers("strace")) func failedCallsAtStartEndWithOneLine() async throws {
    let errors = isFullRun ? "EMFILE EACCES EIO" : "EMFILE"
    try await withShell { shell in
      let run = try await shell.run(
        """
        echo x > a
        failing() {
          local call=$1 error; shift
          for error in \(errors); do
            strace -f -qqq -o /dev/null -e trace=$call -e inject=$call:error=$error "$@" > out 2> err
            echo $? $(grep -c ^ err) $(grep -c ^dragpipe: err)
          done
        }
        for call in epoll_create1 epoll_ctl eventfd2 timerfd_create; do failing $call "$TOOL" send a; done
        failing pipe2 "$TOOL" receive --from "$SENDER a" in/
        failing socket "$TOOL" receive --from unix:none in/
        """)
      #expect(run.output == String(repeating: "74 1 1\n", count: isFullRun ? 18 : 6), "\(run.errors)")
    }
  }

  /// libdispatch would try to create a thread every second, forever.
  @Test func limitThatAllowsNoThreadsIsReported() async throws {
    try await withShell { shell in
      let run = try await shell.run(
        """
        echo x > a; chmod a+rx . a
        limited() { timeout 20 "$@" send --to a.drop a 2> err; echo $? $(grep -c ^ err) $(grep -c 'cannot create .* threads' err); }
        (ulimit -d 30000; limited "$TOOL")
        [ $(id -u) != 0 ] || limited setpriv --reuid 65533 --clear-groups prlimit --nproc=4 "$TOOL"
        """)
      #expect(Set(run.outputLines) == ["74 1 1"], "\(run.output) \(run.errors)")
    }
  }

  /// The sizes are in MB.
  @Test func littleAddressSpaceIsEnoughOrIsReported() async throws {
    let sizes = [20, 40, 60, 80] + sampled(100..<600, 4, "address space")
    try await withShell { shell in
      try await shell.expect("$ head -c 3000000 /dev/urandom > a")
      for size in sizes {
        let run = try await shell.run(
          """
          ulimit -c 0; ulimit -v $((\(size) << 10)); rm -rf in
          "$TOOL" send --timeout 60 --to "$RECEIVER in/" a; echo $?
          """)
        let code = Int(run.outputLines.last ?? "") ?? -1
        // The dynamic linker exits with 127 if it cannot load the program.
        let isReported = [69, 74].contains(code) && run.errors.contains("address space")
        #expect(code == 0 || (size < 200 && (isReported || code == 127)), "\(size): \(run.output) \(run.errors)")
      }
    }
  }
}

/// Every command where `/proc` is not mounted, which would crash libdispatch.
@Suite(
  .serialized, .limited, .timeLimit(minutes: 5),
  .enabled("needs the permission to mount") {
    try await ProgramRun("unshare", ["-m", "sh", "-c", "mount -t tmpfs none /proc"]).exitCode == 0
  })
struct WithoutProcTests {
  @Test func everyCommandEndsWithOneLine() async throws {
    try await transcript(
      #"""
      $ echo Hail > a.txt; cat > script << 'END'
      > mount -t tmpfs none /proc
      > for command in 'send a.txt' 'send --to a.drop a.txt' 'send --to unix:s a.txt' 'send --to exec:cat a.txt' \
      >   'receive in/' 'receive --from unix:s in/' 'receive --from exec:cat in/' 'inspect a.drop' \
      >   'extract a.drop 1 .txt' 'types of a.txt' 'types info .png' demo nothing; do
      >   echo x | "$TOOL" $command > out; echo $?
      > done 2>&1 | sort | uniq -c
      > for command in --version version --help 'help send' 'receive --help' man 'completions zsh'; do "$TOOL" $command | head -1; done
      > "$TOOL" --version > /dev/full; echo $?
      > END
      $ unshare -m bash script; ls
           13 74
           13 dragpipe: /proc does not show this process; mount /proc, which Swift's runtime needs
      dragpipe 0.1.0
      dragpipe 0.1.0
      dragpipe sends typed, verified items from one process to another.
      Sends files, folders, heroes or cards.
      Receives items into a directory, a file or a command.
      .TH DRAGPIPE 1 "" "dragpipe 0.1.0" "User Commands"
      #compdef dragpipe
      dragpipe: /proc does not show this process; mount /proc, which Swift's runtime needs
      74
      a.txt
      out
      script
      """#)
  }
}

/// The memory of a receiver for the largest number of items.
@Suite(
  .serialized, .limited, .timeLimit(minutes: 10),
  .enabled(if: ProcessInfo.processInfo.environment["DRAGPIPE_MEMORY_TESTS"] != nil))
struct ItemCountMemoryTests {
  @Test func itemsUpToTheLimitNeedLimitedMemory() async throws {
    try await withShell { shell in
      let run = try await shell.run(
        #"""
        stream() { seq $1 | sed 's/.*/{"id": &, "name": "Hero number &"}/' | dragpipe send --as hero -; }
        # Prints the exit code and the peak memory of a command in KiB.
        memory() {
          "$TOOL" "$@" < many > out & : > peaks
          while kill -0 $! 2> /dev/null; do sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' /proc/$!/status >> peaks; sleep 0.005; done 2> gone
          wait $!; echo $? $(sort -n peaks | tail -1)
        }
        stream 100000 > many; mkdir in
        memory receive in; memory receive in --skip-existing --quiet; memory receive --list --json
        ls -f in | grep -c Hero; grep -c '"name"' out; stream 100001 | dragpipe receive in --skip-existing; echo $?
        """#, within: .seconds(600))
      let lines = run.outputLines.map { $0.split(separator: " ").compactMap { Int($0) } }
      try #require(lines.count == 6 && lines[3...] == [[100_000], [100_000], [77]], "\(run.output)\(run.errors)")
      for line in lines[..<3] { #expect(line.count == 2 && line[0] == 0 && line[1] < 192 << 10, "\(run.output)") }
    }
  }
}
