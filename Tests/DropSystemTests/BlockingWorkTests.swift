// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import DropSystem

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct BlockingWorkTests {
  private struct Failure: Error, Equatable {}

  @Test func errorIsRethrown() async {
    await #expect(throws: Failure()) { try await runBlocking { throw Failure() } }
  }

  @Test func cancellationDoesNotInterruptTheWork() async throws {
    let task = Task {
      await Gate().wait()  // until the cancellation
      return try await runBlocking { 7 }
    }
    task.cancel()
    #expect(try await task.value == 7)
  }

  @Test func blockedWorkLeavesTheCooperativePoolFree() async throws {
    let signals = BlockingSignals()
    let count = ProcessInfo.processInfo.activeProcessorCount + 1
    try await withThrowingTaskGroup { group in
      for _ in 0..<count { group.addTask { try await runBlocking { signals.receive() } } }
      // If the waits used the cooperative pool, no thread would be left for this task.
      group.addTask { signals.send(count) }
      try await group.waitForAll()
    }
  }

  @Test func blockedTasksOfAnExecutorLeaveTheCooperativePoolFree() async {
    let signals = BlockingSignals()
    let before = BlockingTaskExecutor.isCurrent
    let during = await withTaskExecutorPreference(BlockingTaskExecutor(label: "test")) {
      let first = BlockingTaskExecutor.isCurrent
      let count = ProcessInfo.processInfo.activeProcessorCount
      // If the executor used the cooperative pool, these tasks could not run while this task blocks.
      for _ in 0..<count { Task.detached { signals.send() } }
      signals.receive(count)
      let detached = await Task.detached { BlockingTaskExecutor.isCurrent }.value
      return [first, detached, BlockingTaskExecutor.isCurrent]
    }
    #expect([before] + during + [BlockingTaskExecutor.isCurrent] == [false, true, false, true, false])
  }

  private actor Blocker {
    private let executor = BlockingExecutor()

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func run(_ work: @Sendable () -> Void) { work() }
  }

  @Test func moreActorsMayBlockThanDispatchHasThreads() async throws {
    let (started, gate) = (BlockingSignals(), BlockingSignals())
    let count = 300
    try await withThrowingTaskGroup { group in
      for _ in 0..<count {
        let blocker = Blocker()
        group.addTask {
          await blocker.run {
            started.send()
            gate.receive()
          }
        }
      }
      try await onThread(within: waitingLimit * 2) { started.receive(count) }
      gate.send(count)
      try await group.waitForAll()
    }
  }

  @Test func anActorRunsOneJobAtATime() async {
    let (blocker, numbers) = (Blocker(), Collector<Int>())
    await withTaskGroup { group in
      for number in 0..<200 {
        group.addTask {
          await blocker.run {
            numbers.add(number)
            sched_yield()
            numbers.add(number)
          }
        }
      }
    }
    let values = numbers.values
    #expect(values.count == 400 && stride(from: 0, to: 400, by: 2).allSatisfy { values[$0] == values[$0 + 1] })
  }
}
