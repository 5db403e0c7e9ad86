// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import TestSupport
import Testing

@testable import DropSystem

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct BlockingWorkTests {
  private struct Failure: Error, Equatable {}

  @Test func valueIsReturned() async throws {
    #expect(try await runBlocking { 7 } == 7)
  }

  @Test func errorIsRethrown() async {
    await #expect(throws: Failure()) { try await runBlocking { throw Failure() } }
  }

  @Test func blockedWorkLeavesTheCooperativePoolFree() async throws {
    let gate = DispatchSemaphore(value: 0)
    let count = ProcessInfo.processInfo.activeProcessorCount + 1
    try await withThrowingTaskGroup { group in
      for _ in 0..<count { group.addTask { try await runBlocking { gate.wait() } } }
      // If the waits used the cooperative pool, no thread would be left for this task.
      group.addTask { for _ in 0..<count { gate.signal() } }
      try await group.waitForAll()
    }
  }

  @Test func blockedTasksOfAnExecutorLeaveTheCooperativePoolFree() async {
    let gate = DispatchSemaphore(value: 0)
    let executor = BlockingTaskExecutor(label: "test")
    #expect(!BlockingTaskExecutor.isCurrent)
    await withTaskExecutorPreference(executor) {
      #expect(BlockingTaskExecutor.isCurrent)
      let count = ProcessInfo.processInfo.activeProcessorCount
      // If the executor used the cooperative pool, these tasks could not run while this task blocks.
      for _ in 0..<count { Task.detached { gate.signal() } }
      func wait() { for _ in 0..<count { gate.wait() } }
      wait()
      await Task.detached { #expect(!BlockingTaskExecutor.isCurrent) }.value
      #expect(BlockingTaskExecutor.isCurrent)
    }
    #expect(!BlockingTaskExecutor.isCurrent)
  }

  private actor Blocker {
    private let executor = BlockingExecutor()

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func run(_ work: @Sendable () -> Void) { work() }
  }

  @Test func moreActorsMayBlockThanDispatchHasThreads() async throws {
    let (started, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let count = 300
    try await withThrowingTaskGroup { group in
      for _ in 0..<count {
        let blocker = Blocker()
        group.addTask {
          await blocker.run {
            started.signal()
            gate.wait()
          }
        }
      }
      let allStarted = await withCheckedContinuation { continuation in
        Thread {
          let all = (0..<count).allSatisfy { _ in started.wait(timeout: .now() + 120) == .success }
          continuation.resume(returning: all)
        }.start()
      }
      #expect(allStarted)
      for _ in 0..<count { gate.signal() }
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
    #expect(values.count == 400)
    #expect(stride(from: 0, to: values.count, by: 2).allSatisfy { values[$0] == values[$0 + 1] })
  }

  @Test func cancellationDoesNotInterruptTheWork() async throws {
    let runs = Collector<Bool>()
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await runBlocking {
        runs.add(true)
        return 7
      }
    }
    task.cancel()
    #expect(try await task.value == 7)
    #expect(runs.values.count == 1)
  }
}
