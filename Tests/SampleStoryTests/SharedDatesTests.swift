// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// A list of dates in many windows.
///
/// Each window is a process.
@Suite(.limited, .timeLimit(minutes: 5), .serialized) struct SharedDatesTests {
  private let program = SampleProgram(name: "SharedDates")

  @Test func changesReachAllWindowsIncludingLateOnes() async throws {
    let lines = try await program.run(
      """
      insert one
      :wait 1 1 date
      :key 1
      insert two
      :wait 2 2 dates
      delete 2
      :wait 2 1 date
      :window
      :wait 3 1 date
      :say third
      :show 3
      """)
    #expect(lines.after("third") == ["1 date", "two"])
  }

  @Test func killedWindowLeavesOthersAndDeadListIsReported() async throws {
    let lines = try await program.run(
      """
      insert one
      :wait 1 1 date
      :kill 1
      :wait 1 signal 9
      insert two
      :wait 2 2 dates
      :window
      :wait 3 2 dates
      :kill-store
      :wait 2 the list's store is gone
      :wait 3 the list's store is gone
      :say dead
      :show 2
      """)
    let dead = lines.after("dead")
    #expect(dead.first?.hasPrefix("! after 2 edits: the list's store is gone") == true)
    #expect(dead.dropFirst() == ["two", "one"])
  }

  @Test func openedDateHasAWindowThatFollowsTheList() async throws {
    let lines = try await program.run(
      """
      insert alpha
      insert beta
      edit
      :wait 2 2 dates
      :say edit
      :show 2
      open 2
      :wait 3 alpha
      :wait 3 entry 2 of 2
      :key 2
      open 2
      :wait 3 open already
      :key 3
      delete
      :wait 3 (the entry is deleted)
      :wait 1 1 date
      close
      :wait 3 closed
      """)
    #expect(
      lines.after("edit").prefix(3) == [
        "2 dates", "(delete 1) beta", "(delete 2) alpha",
      ])
  }

  @Test func twentyWindowsConverge() async throws {
    let numbers = 1...20
    let windows = String(repeating: ":window\n", count: 18)
    let edits = isFullRun ? 50 : 10
    let last = "after \(20 + 20 * edits) edits"
    let churn = numbers.map { ":key \($0)\nedits\nstart \(edits)\n" }.joined()
    let ends = numbers.map { ":wait \($0) \(last)\n" }.joined()
    let shows = numbers.map { ":say window \($0)\n:show \($0)\n" }.joined()
    let lines = try await program.run(windows + churn + ends + shows)
    let first = lines.after("window 1", before: "window 2")
    #expect(first.first?.hasSuffix(last) == true)
    for number in numbers.dropFirst() {
      let next = number == 20 ? nil : "window \(number + 1)"
      #expect(lines.after("window \(number)", before: next) == first, "window \(number)")
    }
  }
}
