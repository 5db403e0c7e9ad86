// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// Tasks of a destination that continue on the reading thread.
///
/// The program must not notice the difference.
@Suite(.serialized, .limited, .timeLimit(.minutes(10))) struct SessionTaskExecutorTests {
  private static let content = Data("early".utf8)

  private static func source(_ session: DropSession) async throws(DropStreamError) -> DropReceipt {
    let item = ItemProvider(suggestedName: "item")
    item.register(.json) { _ in content }
    return try await session.offer([item])
  }

  private static func load(_ drop: IncomingDrop, times: Int = 1) async throws {
    for _ in 0..<times { #expect(try await drop.items[0].data(for: .json) == content) }
  }

  /// Blocks a thread until it is signalled or five minutes have passed, and returns whether it was signalled.
  private static func blocks(until leave: DispatchSemaphore) -> Bool {
    leave.wait(timeout: .now() + .seconds(300)) == .success
  }

  @Test("a destination that blocks its thread does not block its other tasks")
  func blockingDestinationDoesNotBlockItsOtherTasks() async throws {
    let outcome = try await holdSession(source: Self.source) { session in
      for try await drop in session.drops {
        let leave = DispatchSemaphore(value: 0)
        let gate = Gate()
        async let isTold = {
          try await Self.load(drop)
          gate.open()
          // Simulates long work. No other task of all tests may block, since the system has few threads for all tasks.
          return Self.blocks(until: leave)
        }()
        await gate.wait()
        try await Self.load(drop, times: 50)
        leave.signal()
        #expect(try await isTold)
        // The thread that was blocked is available again.
        try await Self.load(drop, times: 50)
        try await drop.finish(.copy)
      }
    }
    _ = try outcome.destination.get()
    _ = try outcome.source.get()
  }

  @Test("a destination that belongs to an actor stays there") @MainActor
  func destinationOfAnActorStaysOnTheActor() async throws {
    let pair = try DescriptorPair.socketPair()
    let source = Task.detached { try await DropStream.withSession(over: .descriptor(pair.write), Self.source) }
    try await DropStream.withSession(over: .descriptor(pair.read)) { session in
      for try await drop in session.drops {
        for _ in 0..<20 {
          MainActor.assertIsolated()
          try await Self.load(drop)
        }
        MainActor.assertIsolated()
        try await drop.finish(.copy)
      }
    }
    #expect(try await source.value.action == .copy)
  }

  @Test("work for an actor runs on the actor, in order")
  func workForAnActorRunsOnTheActorInOrder() async throws {
    actor Counter {
      var count = 0
      func load(_ drop: IncomingDrop) async throws {
        let before = count
        count += 1
        #expect(count == before + 1)
        try await SessionTaskExecutorTests.load(drop)
        preconditionIsolated()
      }
    }
    let outcome = try await holdSession(source: Self.source) { session in
      let counter = Counter()
      for try await drop in session.drops {
        try await withThrowingTaskGroup { group in
          for _ in 0..<8 { group.addTask { for _ in 0..<20 { try await counter.load(drop) } } }
          try await group.waitForAll()
        }
        try await drop.finish(.copy)
      }
      return await counter.count
    }
    #expect(try outcome.destination.get() == 160)
    _ = try outcome.source.get()
  }

  private final class ChosenExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      DispatchQueue.global().async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
  }

  @Test("a task executor that was chosen for the task stays its executor", arguments: [false, true])
  func chosenTaskExecutorIsKept(isChosen: Bool) async throws {
    let pair = try DescriptorPair.socketPair()
    async let receipt = DropStream.withSession(over: .descriptor(pair.write), Self.source)
    let chosen = ChosenExecutor()
    try await withTaskExecutorPreference(isChosen ? chosen : nil) {
      try await DropStream.withSession(over: .descriptor(pair.read)) { session in
        for try await drop in session.drops {
          try await Self.load(drop, times: 20)
          let executor = withUnsafeCurrentTask { $0?.unownedTaskExecutor }
          #expect(executor != nil && (executor == chosen.asUnownedTaskExecutor()) == isChosen)
          try await drop.finish(.copy)
        }
      }
      #expect((withUnsafeCurrentTask { $0?.unownedTaskExecutor } != nil) == isChosen)
    }
    #expect(try await receipt.action == .copy)
  }

  @Test("an invalid message wakes all waiting tasks")
  func invalidMessageWakesAllWaitingTasks() async throws {
    let pair = try DescriptorPair.socketPair()
    let peer = RawPeer(pair.write)
    let woken = Collector<DropStreamError.Code>()
    let session = Task {
      try await DropStream.withSession(over: .descriptor(pair.read)) { session in
        await withTaskGroup { group in
          for _ in 0..<5 {
            group.addTask {
              do throws(DropStreamError) { _ = try await Self.source(session) } catch {
                woken.add(error.code)
              }
            }
          }
        }
      }
    }
    try await peer.say(RawPeer.hello)
    try await peer.waitForBytes(200)
    // Ends an offer that does not exist.
    try await peer.say(.finish(generation: 99, SessionFinish()))
    #expect(await ends { _ = await session.result })
    #expect(woken.values == Array(repeating: .damaged, count: 5))
    close(pair.write)
  }
}
