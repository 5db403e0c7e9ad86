// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Memory that a receiver takes for streams of very many items.
@Suite(
  .serialized, .limited, .timeLimit(.minutes(60)),
  .enabled(if: ProcessInfo.processInfo.environment["DRAGPIPE_MEMORY_TESTS"] != nil))
struct ItemCountMemoryTests {
  /// Writes streams of heroes, and prints the exit code and the memory of commands in KiB.
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
    let count = 100_000
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
        // 8 to 24 bytes of each item, for the hash of its name, and room for the allocator.
        #expect(lines[number][1] < lines[few][1] + count * 120 / 1024, "run \(number): \(lines)")
      }
    }
  }
}
