// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Processes that may have little of something: they work, or say in one line that they cannot.
@Suite(.serialized, .limited, .timeLimit(.minutes(10))) struct ScarceResourceTests {
  /// Runs a command with a number of free descriptors below 64, and prints its exit code and the lines of its errors.
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
    for count in sampled(1..<33, 12, "free descriptors") {
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
          // No signal; where it fails, it says why.
          #expect(words[0] < 126 && (words[0] == 0 || words[1] > 0), "\(count) free, command \(number): \(line)")
          if count < 16 { #expect(words[0] == 74, "\(count) free, command \(number): \(line)") }
          if count == 32 { #expect(words[0] == 0, "command \(number): \(line)") }
        }
      }
    }
  }

  /// Megabytes.
  @Test func littleAddressSpaceIsEnoughOrIsReported() async throws {
    for size in [20, 40, 60, 80] + sampled(100..<600, 8, "address space") {
      try await withShell { shell in
        let result = try await shell.run(
          """
          head -c 3000000 /dev/urandom > a; ulimit -c 0; ulimit -v $((\(size) << 10))
          "$TOOL" send --timeout 60 --to "exec:'$TOOL' receive --from stdio: in/" a; echo $?
          """)
        let code = Int(result.output.split(separator: "\n").last ?? "") ?? -1
        // 127 is the dynamic linker's: the program does not start.
        #expect([0, 69, 74, 127].contains(code), "\(size): \(result.output) \(result.errors)")
        if code == 69 || code == 74 { #expect(result.errors.contains("address space"), "\(size): \(result.errors)") }
        if size >= 200 { #expect(code == 0, "\(size): \(result.errors)") }
      }
    }
  }
}
