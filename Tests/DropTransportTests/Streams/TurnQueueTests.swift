// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DropTransport

@Suite(.serialized, .limited) struct TurnQueueTests {
  /// Starts a waiter and gives it the time to stand in the queue.
  private func waiter(
    _ number: Int, in queue: TurnQueue, _ log: Collector<Int>
  ) async throws -> Task<Void, any Error> {
    let task = Task {
      try await queue.wait()
      log.add(number)
      await Task.yield()
      queue.pass()
    }
    try await Task.sleep(for: .milliseconds(50))
    return task
  }

  @Test("turns are given in the order of asking")
  func order() async throws {
    let queue = TurnQueue()
    let log = Collector<Int>()
    try await queue.wait()
    var tasks: [Task<Void, any Error>] = []
    for number in 0..<5 { tasks.append(try await waiter(number, in: queue, log)) }
    #expect(log.values == [])
    queue.pass()
    for task in tasks { try await task.value }
    #expect(log.values == [0, 1, 2, 3, 4])
  }

  @Test("a waiter that is cancelled leaves the queue, the others keep their places")
  func cancelledWaiter() async throws {
    let queue = TurnQueue()
    let log = Collector<Int>()
    try await queue.wait()
    var tasks: [Task<Void, any Error>] = []
    for number in 0..<4 { tasks.append(try await waiter(number, in: queue, log)) }
    for number in [0, 2] {
      tasks[number].cancel()
      try await requireDropError(.cancelled) { try await tasks[number].value }
    }
    queue.pass()
    for number in [1, 3] { try await tasks[number].value }
    #expect(log.values == [1, 3])
    try await queue.wait()
    queue.pass()
  }

  @Test("a task that is cancelled before it asks does not wait")
  func cancelledBefore() async throws {
    let queue = TurnQueue()
    try await queue.wait()
    let gate = Gate()
    let task = Task {
      await gate.wait()
      try await queue.wait()
    }
    task.cancel()
    gate.open()
    try await requireDropError(.cancelled) { try await task.value }
    queue.pass()
    try await queue.wait()
    queue.pass()
  }

  @Test("cancelling one that has its turn does not take it away")
  func cancelledAfter() async throws {
    let queue = TurnQueue()
    let hasTurn = Gate()
    let task = Task {
      try await queue.wait()
      hasTurn.open()
      try? await Task.sleep(for: .seconds(60))
      queue.pass()
    }
    await hasTurn.wait()
    task.cancel()
    try await task.value
    try await queue.wait()
    queue.pass()
  }

  @Test("never two at once, and every waiter gets its turn, whichever is cancelled when")
  func stress() async throws {
    let queue = TurnQueue()
    let inside = Collector<Int>()
    let outside = Collector<Int>()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<300 {
        group.addTask {
          let task = Task {
            try await queue.wait()
            inside.add(number)
            if inside.values.count - outside.values.count != 1 { Issue.record("two at once") }
            await Task.yield()
            outside.add(number)
            queue.pass()
          }
          if number % 3 == 0 {
            for _ in 0..<(number % 7) { await Task.yield() }
            task.cancel()
          }
          _ = await task.result
        }
      }
    }
    #expect(inside.values.count >= 200)
    #expect(inside.values == outside.values)
    try await queue.wait()
    queue.pass()
  }
}
