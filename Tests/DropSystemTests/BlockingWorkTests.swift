// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import TestSupport
import Testing

@testable import DropSystem

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct BlockingWorkTests {
  private struct Failure: Error, Equatable {}

  /// A semaphore whose waits block a thread, and have a limit.
  private struct Signals: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func send(_ count: Int = 1) { for _ in 0..<count { semaphore.signal() } }

    func receive(_ count: Int = 1) throws {
      for number in 1...count where semaphore.wait(timeout: .now() + 60) == .timedOut {
        throw WaitTimedOut("signal \(number) of \(count)", within: waitingLimit)
      }
    }
  }

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
    let signals = Signals()
    let count = ProcessInfo.processInfo.activeProcessorCount + 1
    try await withThrowingTaskGroup { group in
      for _ in 0..<count { group.addTask { try await runBlocking { try signals.receive() } } }
      // If the waits used the cooperative pool, no thread would be left for this task.
      group.addTask { signals.send(count) }
      try await group.waitForAll()
    }
  }

  @Test func blockedTasksOfAnExecutorLeaveTheCooperativePoolFree() async throws {
    let signals = Signals()
    #expect(!BlockingTaskExecutor.isCurrent)
    try await withTaskExecutorPreference(BlockingTaskExecutor(label: "test")) {
      #expect(BlockingTaskExecutor.isCurrent)
      let count = ProcessInfo.processInfo.activeProcessorCount
      // If the executor used the cooperative pool, these tasks could not run while this task blocks.
      for _ in 0..<count { Task.detached { signals.send() } }
      try signals.receive(count)
      #expect(await !Task.detached { BlockingTaskExecutor.isCurrent }.value)
      #expect(BlockingTaskExecutor.isCurrent)
    }
    #expect(!BlockingTaskExecutor.isCurrent)
  }

  private actor Blocker {
    private let executor = BlockingExecutor()

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func run(_ work: @Sendable () throws -> Void) rethrows { try work() }
  }

  @Test func moreActorsMayBlockThanDispatchHasThreads() async throws {
    let (started, gate) = (Signals(), Signals())
    let count = 300
    try await withThrowingTaskGroup { group in
      for _ in 0..<count {
        let blocker = Blocker()
        group.addTask {
          try await blocker.run {
            started.send()
            try gate.receive()
          }
        }
      }
      try await onThread(within: waitingLimit * 2) { try started.receive(count) }
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
    #expect(values.count == 400)
    #expect(stride(from: 0, to: values.count, by: 2).allSatisfy { values[$0] == values[$0 + 1] })
  }
}
