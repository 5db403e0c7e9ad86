// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DropSystem

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct AsyncSemaphoreTests {
  /// Starts tasks that wait for a permit, and waits until all have joined the queue in their order.
  ///
  /// - Returns: The tasks. The value of each is whether it got a permit.
  private func waiters(
    _ count: Int, for semaphore: AsyncSemaphore, _ log: Collector<Int>
  ) -> [Task<Bool, Never>] {
    // Each task runs in the caller until it is suspended in the queue.
    (0..<count).map { number in
      Task.immediate {
        guard await semaphore.wait() else { return false }
        log.add(number)
        semaphore.signal()
        return true
      }
    }
  }

  private func values(_ tasks: [Task<Bool, Never>]) async throws -> [Bool] {
    try await finishing("the tasks of the queue") {
      var values: [Bool] = []
      for task in tasks { values.append(await task.value) }
      return values
    }
  }

  @Test func tasksGetPermitsInOrder() async throws {
    let (semaphore, log) = (AsyncSemaphore(), Collector<Int>())
    #expect(await semaphore.wait())
    let tasks = waiters(5, for: semaphore, log)
    #expect(log.values == [])
    semaphore.signal()
    #expect(try await values(tasks) == [true, true, true, true, true])
    #expect(log.values == [0, 1, 2, 3, 4])
  }

  @Test func cancelledWaiterLeavesTheQueue() async throws {
    let (semaphore, log) = (AsyncSemaphore(), Collector<Int>())
    #expect(await semaphore.wait())
    let tasks = waiters(4, for: semaphore, log)
    for number in [0, 2] {
      tasks[number].cancel()
      #expect(try await values([tasks[number]]) == [false])
    }
    semaphore.signal()
    #expect(try await values([tasks[1], tasks[3]]) == [true, true])
    #expect(log.values == [1, 3] && semaphore.tryWait())
  }

  @Test func cancelledTaskDoesNotWait() async throws {
    let semaphore = AsyncSemaphore()
    #expect(await semaphore.wait())
    let task = Task {
      await Gate().wait()  // until the cancellation
      return await semaphore.wait()
    }
    task.cancel()
    #expect(try await values([task]) == [false])
    semaphore.signal()
    #expect(semaphore.tryWait())
  }

  @Test func permitsLimitTheNumberOfTasks() async throws {
    let semaphore = AsyncSemaphore(permits: 2)
    #expect(await semaphore.wait())
    let second = [semaphore.tryWait(), semaphore.tryWait()]
    semaphore.signal()
    #expect(second + [semaphore.tryWait()] == [true, false, true])
  }

  @Test func onePermitAdmitsOneTaskDespiteCancellations() async throws {
    let semaphore = AsyncSemaphore()
    let (inside, outside) = (Collector<Int>(), Collector<Int>())
    try await finishing("300 tasks") {
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
    }
    #expect(inside.values.count >= 200 && inside.values == outside.values && semaphore.tryWait())
  }
}

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct AsyncQueueTests {
  private let queue = AsyncQueue<Int>()

  @Test func closedQueueDeliversItsElementsInOrder() async {
    for number in 1...3 { queue.put(number) }
    queue.close()
    queue.put(4)
    var found: [Int] = []
    while let number = await queue.next() { found.append(number) }
    #expect(found == [1, 2, 3])
    #expect(await queue.next() == nil)
  }

  @Test func discardedElementsAreNotDelivered() async {
    queue.put(1)
    queue.close(discarding: true)
    #expect(await queue.next() == nil)
  }

  @Test func fullQueueDropsElementsAndAcceptsReplacements() async {
    for number in [1, 2, 3] { queue.put(number, limit: 2) }
    queue.put(12, limit: 2) { last, new in last % 10 == new % 10 }
    queue.close()
    #expect(await [queue.next(), queue.next(), queue.next()] == [1, 12, nil])
  }

  @Test func removedElementsEndNoWait() async throws {
    for number in 1...3 { queue.put(number) }
    queue.change { $0.removeAll { $0 != 2 } }
    #expect(await queue.next() == 2)
    let task = Task { [queue] in await queue.next() }
    try await wait(for: "the task") { queue.isAwaited }
    queue.put(4)
    #expect(await task.value == 4)
  }

  @Test func cancelledTaskTakesNoElement() async throws {
    let task = Task { [queue] in await queue.next() }
    try await wait(for: "the task") { queue.isAwaited }
    task.cancel()
    #expect(await task.value == nil)
    queue.put(1)
    #expect(await queue.next() == 1)
  }
}

@Suite(.timeLimit(minutes: 5)) struct FIFOQueueTests {
  @Test func elementsLeaveInTheirOrderHoweverCallsAlternate() {
    var queue = FIFOQueue<Int>()
    var (appended, popped) = (0, 0)
    var generator = SeededGenerator.announced("elements of a queue")
    for _ in 0..<10_000 {
      if Bool.random(using: &generator) {
        queue.append(appended)
        appended += 1
      } else if let element = queue.popFirst() {
        #expect(element == popped)
        popped += 1
      } else {
        #expect(popped == appended)
      }
      #expect(queue.count == appended - popped)
      #expect(queue.elements.isEmpty == (appended == popped))
      #expect(queue.last == (appended == popped ? nil : appended - 1))
    }
    #expect(queue.elements == Array(popped..<appended))
  }

  @Test(arguments: 1...3) func lastElementCanBeReplaced(popCount: Int) {
    var queue = FIFOQueue<Int>()
    for number in 0..<4 { queue.append(number) }
    for _ in 0..<popCount { _ = queue.popFirst() }
    queue.replaceLast(with: 9)
    #expect(queue.elements == Array((0..<4).dropFirst(popCount).dropLast()) + [9])
  }

  @Test func editSeesTheElementsInTheirOrder() {
    var queue = FIFOQueue<Int>()
    for number in 0..<4 { queue.append(number) }
    _ = queue.popFirst()
    for number in 4..<8 { queue.append(number) }
    queue.edit { elements in
      #expect(elements == Array(1..<8))
      elements.removeAll { $0.isMultiple(of: 2) }
    }
    #expect(queue.elements == [1, 3, 5, 7])
    queue.removeAll()
    #expect(queue.popFirst() == nil)
  }

  @Test func emptyQueueKeepsLittleMemory() {
    var queue = FIFOQueue<Int>()
    for number in 0..<100_000 { queue.append(number) }
    while queue.popFirst() != nil {}
    #expect(queue.front.capacity + queue.back.capacity <= 2 * FIFOQueue<Int>.keptCapacity)
  }
}
