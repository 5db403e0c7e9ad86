// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import TestSupport
import Testing

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct AsyncSemaphoreTests {
  /// Starts a task that waits for a permit, and gives it time to join the queue.
  ///
  /// - Returns: The task. Its value is whether it got a permit.
  private func waiter(
    _ number: Int, for semaphore: AsyncSemaphore, _ log: Collector<Int>
  ) async throws -> Task<Bool, Never> {
    let task = Task {
      guard await semaphore.wait() else { return false }
      log.add(number)
      await Task.yield()
      semaphore.signal()
      return true
    }
    try await Task.sleep(for: .milliseconds(50))
    return task
  }

  @Test func tasksGetPermitsInOrder() async throws {
    let semaphore = AsyncSemaphore()
    let log = Collector<Int>()
    #expect(await semaphore.wait())
    var tasks: [Task<Bool, Never>] = []
    for number in 0..<5 { tasks.append(try await waiter(number, for: semaphore, log)) }
    #expect(log.values == [])
    semaphore.signal()
    for task in tasks { #expect(await task.value) }
    #expect(log.values == [0, 1, 2, 3, 4])
  }

  @Test func cancelledWaiterLeavesTheQueue() async throws {
    let semaphore = AsyncSemaphore()
    let log = Collector<Int>()
    #expect(await semaphore.wait())
    var tasks: [Task<Bool, Never>] = []
    for number in 0..<4 { tasks.append(try await waiter(number, for: semaphore, log)) }
    for number in [0, 2] {
      tasks[number].cancel()
      #expect(await !tasks[number].value)
    }
    semaphore.signal()
    for number in [1, 3] { #expect(await tasks[number].value) }
    #expect(log.values == [1, 3])
    #expect(await semaphore.wait())
  }

  @Test func cancelledTaskDoesNotWait() async throws {
    let semaphore = AsyncSemaphore()
    #expect(await semaphore.wait())
    let gate = Gate()
    let task = Task {
      await gate.wait()
      return await semaphore.wait()
    }
    task.cancel()
    gate.open()
    #expect(await !task.value)
    semaphore.signal()
    #expect(await semaphore.wait())
  }

  @Test func cancelledTaskKeepsItsPermit() async throws {
    let semaphore = AsyncSemaphore()
    let hasPermit = Gate()
    let task = Task {
      #expect(await semaphore.wait())
      hasPermit.open()
      try? await Task.sleep(for: .seconds(60))
      #expect(!semaphore.tryWait())
      semaphore.signal()
    }
    await hasPermit.wait()
    task.cancel()
    await task.value
    #expect(semaphore.tryWait())
  }

  @Test func permitsLimitTheNumberOfTasks() async throws {
    let semaphore = AsyncSemaphore(permits: 2)
    #expect(await semaphore.wait())
    #expect(semaphore.tryWait())
    #expect(!semaphore.tryWait())
    semaphore.signal()
    #expect(semaphore.tryWait())
  }

  @Test func onePermitAdmitsOneTaskDespiteCancellations() async throws {
    let semaphore = AsyncSemaphore()
    let inside = Collector<Int>()
    let outside = Collector<Int>()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<300 {
        group.addTask {
          let task = Task {
            guard await semaphore.wait() else { return }
            inside.add(number)
            if inside.values.count - outside.values.count != 1 { Issue.record("two tasks have the permit") }
            await Task.yield()
            outside.add(number)
            semaphore.signal()
          }
          if number % 3 == 0 {
            for _ in 0..<(number % 7) { await Task.yield() }
            task.cancel()
          }
          await task.value
        }
      }
    }
    #expect(inside.values.count >= 200)
    #expect(inside.values == outside.values)
    #expect(semaphore.tryWait())
  }
}
