// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport
import Testing

@testable import DropSystem

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct BlockingExecutorTests {
  private struct Failure: Error, Equatable {}

  @Test func errorIsRethrown() async {
    await #expect(throws: Failure()) { try await runBlocking { () throws(Failure) in throw Failure() } }
  }

  @Test func cancelledTaskRunsTheWorkWhichLearnsOfTheCancellation() async {
    let task = Task {
      await Gate().wait()  // until the cancellation
      return await runBlocking { Task.isCancelled }
    }
    task.cancel()
    #expect(await task.value)
  }

  @Test func blockedWorkLeavesTheCooperativePoolFree() async throws {
    let signals = BlockingSignals()
    let count = ProcessInfo.processInfo.activeProcessorCount + 1
    try await withThrowingTaskGroup { group in
      for _ in 0..<count { group.addTask { await runBlocking { signals.receive() } } }
      // If the waits used the cooperative pool, no thread would be left for this task.
      group.addTask { signals.send(count) }
      try await group.waitForAll()
    }
  }

  @Test func blockedTasksOfAnExecutorLeaveTheCooperativePoolFree() async {
    let signals = BlockingSignals()
    let before = BlockingExecutor.isCurrent
    let during = await withTaskExecutorPreference(BlockingExecutor.shared) {
      let first = BlockingExecutor.isCurrent
      let count = ProcessInfo.processInfo.activeProcessorCount
      // If the executor used the cooperative pool, these tasks could not run while this task blocks.
      for _ in 0..<count { Task.detached { signals.send() } }
      signals.receive(count)
      let detached = await Task.detached { BlockingExecutor.isCurrent }.value
      return [first, detached, BlockingExecutor.isCurrent]
    }
    #expect([before] + during + [BlockingExecutor.isCurrent] == [false, true, false, true, false])
  }

  @Test func moreTasksMayBlockThanDispatchHasThreads() async throws {
    let (started, gate) = (BlockingSignals(), BlockingSignals())
    let count = 300
    try await withThrowingTaskGroup { group in
      for _ in 0..<count {
        group.addTask {
          await runBlocking {
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

  @Test func workInsideWorkStaysOnItsThread() async {
    let isSame = await withTaskExecutorPreference(BlockingExecutor.shared) {
      let outer = pthread_self()
      return await runBlocking { pthread_self() } == outer
    }
    #expect(isSame)
  }

  @Test func workOfAnActorReturnsToTheActor() async {
    actor Caller {
      func run() async -> Bool {
        let isThere = await runBlocking { BlockingExecutor.isCurrent }
        preconditionIsolated()
        return isThere && !BlockingExecutor.isCurrent
      }
    }
    #expect(await Caller().run())
  }
}
