// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// Several windows of one app.
@Suite(.limited, .timeLimit(minutes: 5), .serialized) struct ExtraWindowsTests {
  private let program = SampleProgram(name: "ExtraWindows")

  @Test func inputGoesToKeyWindowAndKeyMovesOnClose() async throws {
    let lines = try await program.run(
      """
      :key 1
      to the first
      :window
      to the third
      :wait 3 type here
      :close 3
      :wait 1 type here
      to the first again
      :say end
      :show 1
      :say second
      :show 2
      """)
    #expect(lines.all.first == "window 3 is closed, its process gone")
    #expect(lines.after("end", before: "second") == ["type here", "to the first", "to the first again"])
    #expect(lines.after("second") == ["not key"])
  }

  @Test func windowHasItsFrame() async throws {
    let lines = try await program.run(
      """
      :wait 1 not key
      :wait 2 type here
      :window 40 60 300 200
      :wait 3 300 by 200 at 40, 60
      :window 40 60 300 200 1
      :wait 4 300 by 200 at 40, 60, screen 1
      :window 40 60 300
      :window 40 60 300 -1
      :window a b c d
      """)
    let message = "error: expected :window X Y WIDTH HEIGHT [SCREEN], with numbers from 0 to 9999"
    #expect(lines.all == [message, message, message])
  }

  @Test func acceptsAllLineEndings() async throws {
    let lines = try await program.run(":window\r\n:close 3\r:say end\r\n")
    #expect(lines.all == ["window 3 is closed, its process gone", "end"])
  }

  @Test func closedWindowReleasesEverything() async throws {
    func round(_ numbers: ClosedRange<Int>) -> String {
      numbers.map { ":window\n:close \($0)\n" }.joined() + ":held\n"
    }
    let lines = try await program.run(round(3...12) + round(13...32) + ":window\n:held\n")
    let held = lines.all.compactMap { $0.wholeMatch(of: /(\d+) windows, (\d+) descriptors/)?.output }
      .map { (windows: $1, descriptors: Int($2) ?? 0) }
    #expect(held.map(\.windows) == ["2", "2", "3"])
    #expect(lines.all.count { $0.hasSuffix("its process gone") } == 30)
    // System queues may open one or two further descriptors.
    #expect(held[1].descriptors <= held[0].descriptors + 4)
  }
}
