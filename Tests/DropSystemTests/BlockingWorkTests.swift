// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import TestSupport
import Testing

@testable import DropSystem

@Suite(.serialized, .limited) struct BlockingWorkTests {
  private struct Failure: Error, Equatable {}

  @Test("the work's value comes back")
  func value() async throws {
    #expect(try await runBlocking { 7 } == 7)
  }

  @Test("the work's error comes back")
  func error() async {
    await #expect(throws: Failure()) { try await runBlocking { throw Failure() } }
  }

  @Test("work that blocks leaves the cooperative pool free")
  func poolStaysFree() async throws {
    let gate = DispatchSemaphore(value: 0)
    let count = ProcessInfo.processInfo.activeProcessorCount + 1
    try await withThrowingTaskGroup { group in
      for _ in 0..<count { group.addTask { try await runBlocking { gate.wait() } } }
      // On the pool the waiting would leave no thread to open the gate on.
      group.addTask { for _ in 0..<count { gate.signal() } }
      try await group.waitForAll()
    }
  }

  @Test("cancellation does not interrupt the work: it runs to its end once")
  func cancellation() async throws {
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
