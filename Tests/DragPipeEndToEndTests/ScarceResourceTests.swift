// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Processes with few resources.
///
/// Each must work, or report in one line that it cannot.
@Suite(.serialized, .limited, .timeLimit(.minutes(10))) struct ScarceResourceTests {
  /// Defines a function that runs a command with a number of free descriptors, and prints its exit code and error
  /// lines.
  private static let start = """
    head -c 3000000 /dev/urandom > a; "$TOOL" send a > whole
    free() {
      local count=$1; shift
      (ulimit -c 0; ulimit -n 64
       for number in $(seq $((3 + count)) 63); do eval "exec $number< /dev/null"; done
       exec "$@") > out 2> err
      echo $? $(grep -c ^dragpipe: err)
    }

    """

  @Test func anyNumberOfFreeDescriptorsIsNoCrash() async throws {
    for count in sampled(1..<33, 12, "free descriptors") + [48] {
      try await withShell { shell in
        let result = try await shell.run(
          Self.start + """
            free \(count) "$TOOL" receive in/ < whole
            free \(count) "$TOOL" send a
            free \(count) "$TOOL" receive --exec 'cat > /dev/null' < whole
            free \(count) "$TOOL" send --to "exec:'$TOOL' receive --from stdio: in2/" a
            """)
        let lines = result.output.split(separator: "\n")
        #expect(lines.count == 4)
        for (number, line) in lines.enumerated() {
          let words = line.split(separator: " ").compactMap { Int($0) }
          try #require(words.count == 2)
          // No command may end by a signal. A command that fails must report the reason.
          #expect(words[0] < 126 && (words[0] == 0 || words[1] > 0), "\(count) free, command \(number): \(line)")
          if count < 24 { #expect(words[0] == 74, "\(count) free, command \(number): \(line)") }
          // On a busy machine, the tool has more files open at the same time.
          if count == 48 { #expect(words[0] == 0, "command \(number): \(line)") }
        }
      }
    }
  }

  @Test(.enabled(if: installedProgram("strace") != nil))
  func failedCallsAtStartEndWithOneLine() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        echo x > a; sender="exec:'$TOOL' send --to stdio: a"
        failing() {
          local call=$1 error; shift
          for error in EMFILE EACCES EIO; do
            strace -f -qqq -o /dev/null -e trace=$call -e inject=$call:error=$error "$@" > out 2> err
            echo $call $? $(grep -c ^ err) $(grep -c ^dragpipe: err)
          done
        }
        for call in epoll_create1 epoll_ctl eventfd2 timerfd_create; do failing $call "$TOOL" send a; done
        failing pipe2 "$TOOL" receive --from "$sender" in/
        failing socket "$TOOL" receive --from unix:none in/
        """)
      let calls = ["epoll_create1", "epoll_ctl", "eventfd2", "timerfd_create", "pipe2", "socket"]
      let lines = calls.flatMap { Array(repeating: "\($0) 74 1 1\n", count: 3) }
      #expect(result.output == lines.joined(), "\(result.errors)")
    }
  }

  /// The sizes are in MB.
  @Test func littleAddressSpaceIsEnoughOrIsReported() async throws {
    for size in [20, 40, 60, 80] + sampled(100..<600, 8, "address space") {
      try await withShell { shell in
        let result = try await shell.run(
          """
          head -c 3000000 /dev/urandom > a; ulimit -c 0; ulimit -v $((\(size) << 10))
          "$TOOL" send --timeout 60 --to "exec:'$TOOL' receive --from stdio: in/" a; echo $?
          """)
        let code = Int(result.output.split(separator: "\n").last ?? "") ?? -1
        // The dynamic linker exits with 127 if it cannot load the program.
        #expect([0, 69, 74, 127].contains(code), "\(size): \(result.output) \(result.errors)")
        if code == 69 || code == 74 { #expect(result.errors.contains("address space"), "\(size): \(result.errors)") }
        if size >= 200 { #expect(code == 0, "\(size): \(result.errors)") }
      }
    }
  }
}

/// Whether this user may mount an empty directory over `/proc`.
private let canHideProc: Bool = {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/bin/sh")
  process.arguments = ["-c", "unshare -m sh -c 'mount -t tmpfs none /proc' > /dev/null 2>&1"]
  guard (try? process.run()) != nil else { return false }
  process.waitUntilExit()
  return process.terminationStatus == 0
}()

/// Runs every command where `/proc` is not mounted.
///
/// Without a check, libdispatch would crash the process.
@Suite(.serialized, .limited, .enabled(if: canHideProc, "needs the permission to mount"), .timeLimit(.minutes(5)))
struct WithoutProcTests {
  @Test func everyCommandEndsWithOneLine() async throws {
    try await withShell { shell in
      try shell.write(Data("Hail".utf8), to: "a.txt")
      try shell.write(
        Data(
          """
          for command in 'send a.txt' 'send --to a.drop a.txt' 'send --to unix:s a.txt' 'send --to exec:cat a.txt' \
            'receive in/' 'receive --from unix:s in/' 'receive --from exec:cat in/' 'inspect a.drop' \
            'extract a.drop 1 .txt' 'types of a.txt' 'types info .png' demo 'demo --large' man --version nothing; do
            echo x | "$TOOL" $command > out 2>> errors; echo $?
          done | sort | uniq -c | tr -s ' '; sort -u errors; ls out in s 2> /dev/null
          """.utf8), to: "script")
      let result = try await shell.run(
        "export TOOL; unshare -m bash -c 'mount -t tmpfs none /proc && exec bash script'")
      #expect(
        result.output == """
           16 74
          dragpipe: /proc does not show this process; mount /proc, which Swift's runtime needs
          out

          """, "\(result.errors)")
    }
  }
}

/// The memory of a receiver for streams with very many items.
@Suite(
  .serialized, .limited, .timeLimit(.minutes(60)),
  .enabled(if: ProcessInfo.processInfo.environment["DRAGPIPE_MEMORY_TESTS"] != nil))
struct ItemCountMemoryTests {
  /// Defines functions that write streams of heroes, and that print the exit code and the memory of commands in KiB.
  private static let start = """
    stream() {
      python3 -c '
    import sys
    with open("heroes.json", "w") as file:
      heroes = ("{\\"id\\": %d, \\"name\\": \\"Hero number %09d\\"}" % (n, n) for n in range(int(sys.argv[1])))
      file.write("["); file.write(next(heroes))
      for hero in heroes: file.write(",\\n"); file.write(hero)
      file.write("]")' $1
      dragpipe send --as hero heroes.json
    }
    memory() {
      python3 -c '
    import resource, subprocess, sys
    code = subprocess.call(sys.argv[1:], stdout=open("out", "w"))
    print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$@"
    }
    stream 10 > few

    """

  @Test func memoryDoesNotGrowWithTheNumberOfItems() async throws {
    let count = 40_000
    try await withShell { shell in
      let result = try await shell.run(
        Self.start + """
          stream \(count) > many; mkdir in
          memory "$TOOL" receive in < few; rm in/*
          memory "$TOOL" receive in < many; ls -f in | grep -c Hero
          memory "$TOOL" receive in --skip-existing --quiet < many
          memory "$TOOL" receive --list < few; memory "$TOOL" receive --list < many; wc -l < out
          memory "$TOOL" receive --list --json < many; python3 -c 'import json; print(len(json.load(open("out"))["items"]))'
          """)
      let lines = result.output.split(separator: "\n").map { $0.split(separator: " ").compactMap { Int($0) } }
      try #require(lines.count == 9, "\(result.output)\(result.errors)")
      #expect(lines[2] == [count] && lines[8] == [count], "\(result.output)")
      #expect(lines[6][0] >= count)
      for (number, few) in [(1, 0), (3, 0), (5, 4), (7, 4)] {
        #expect(lines[number][0] == 0)
        #expect(lines[number][1] < 64 << 10, "run \(number): \(lines)")
        // The hash of each name takes 8 to 24 bytes. The rest of the limit is for the allocator.
        #expect(lines[number][1] < lines[few][1] + count * 120 / 1024, "run \(number): \(lines)")
      }
    }
  }
}
