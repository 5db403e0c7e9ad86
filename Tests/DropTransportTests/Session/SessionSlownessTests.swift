// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// Slow operations of a source, which must not delay its other operations.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct SessionSlownessTests {
  private static let early = Data("early".utf8)

  /// Returns an item whose `.json` loads at once, while each of the other types blocks a thread.
  private static func item(
    blocking types: [UTType], _ wait: BlockingSignals, _ started: Collector<Void>
  ) -> ItemProvider {
    let item = ItemProvider(suggestedName: "item")
    for type in types {
      item.register(type) { _ in
        started.add(())
        wait.receive()
        return Data("late".utf8)
      }
    }
    item.register(.json) { _ in early }
    return item
  }

  /// The loaders end only after the other requests, so a session that waited for a loader would block.
  @Test(arguments: [[UTType.data], [.data, .png, .jpeg, .html]])
  func loadersThatBlockTheirThreadsBlockNoOtherRequest(_ types: [UTType]) async throws {
    let wait = BlockingSignals()
    let started = Collector<Void>()
    try await exchange([Self.item(blocking: types, wait, started)]) { drop in
      let late = types.map { type in Task { try await drop.items[0].data(for: type) } }
      try await TestSupport.wait(for: "the loaders") { started.values.count == types.count }
      for _ in 0..<50 { try await drop.items[0].expect(Self.early, for: .json) }
      wait.send(types.count)
      for one in late { #expect(try await one.value == Data("late".utf8)) }
      // The threads that were blocked are available again.
      for _ in 0..<20 { try await drop.items[0].expect(Self.early, for: .json) }
    }
  }

  @Test(arguments: [false, true]) func slowCancellationOfALoaderBlocksNoOtherRequest(isFinished: Bool) async throws {
    let leave = BlockingSignals()
    // The loader waits for `handled`, which suspends it. Blocking it would take one of the system's few threads.
    let (begun, handled) = (Latch(), Latch())
    let outcome = try await holdSession { session in
      let slow = ItemProvider(named: "slow", loading: .data) { _ in
        begun.open()
        await withTaskCancellationHandler {
          await handled.wait()
        } onCancel: {
          leave.receive()
          handled.open()
        }
        throw CancellationError()
      }
      return try await session.offer([slow, ItemProvider(Array(Self.early))])
    } destination: { session in
      for try await drop in session.drops {
        let load = Task { try await drop.items[0].data(for: .data) }
        await begun.wait()
        if isFinished { try await drop.finish(.copy) } else { load.cancel() }
        await #expect(throws: (any Error).self) { try await load.value }
        if !isFinished {
          for _ in 0..<50 { try await drop.items[1].expect(Self.early) }
        }
        leave.send()
        if !isFinished { try await drop.finish(.copy) }
      }
    }
    try values(of: outcome)
  }

  @Test func loaderThatNeverSuspendedLearnsOfItsCancellation() async throws {
    let started = Gate()
    let heard = Collector<Bool>()
    let result = try await RawPeer.play { session in
      let item = ItemProvider(named: "item", loading: .data) { _ in
        let leave = BlockingSignals()
        await withTaskCancellationHandler {
          started.open()
          leave.receive()
        } onCancel: {
          leave.send()
        }
        heard.add(Task.isCancelled)
        return Data()
      }
      _ = try await session.offer([item])
    } peer: { peer in
      try await peer.say(RawPeer.hello)
      try await peer.waitForOffer()
      try await peer.say(RawPeer.request(1, credit: 1000))
      await started.wait()
      try await peer.say(RawPeer.cancellation(1))
      try await wait(for: "the end of the loader") { !heard.values.isEmpty }
      try await peer.say(RawPeer.finish)
    }
    #expect(heard.values == [true])
    try result.get()
  }

  @Test func destinationObservesTheProgressOfALoader() async throws {
    let seen = Collector<Int64>()
    let isSeen = Gate()
    let item = ItemProvider(named: "item", loading: .data) { progress in
      progress.setTotal(10)
      progress.advance(by: 4)
      await isSeen.wait()
      return Data("made".utf8)
    }
    try await exchange([item]) { drop async throws in
      let progress = ItemProgress()
      let watching = Task {
        for await now in progress.updates {
          seen.add(now.completed)
          if now.completed > 0 { isSeen.open() }
        }
      }
      #expect(try await drop.items[0].data(for: .data, progress: progress) == Data("made".utf8))
      await watching.value
    }
    #expect(seen.values.contains { (1...4).contains($0) }, "\(seen.values)")
  }
}

/// Tasks of a destination.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct SessionTaskTests {
  private static let content = Data("early".utf8)
  private static let item = ItemProvider(Array(content))

  private static func load(_ drop: IncomingDrop, times: Int = 1) async throws {
    for _ in 0..<times { try await drop.items[0].expect(content) }
  }

  /// The number of processors that this process may use, for each of which the runtime has a thread.
  private static let processorCount = {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let mask = status.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed:") }?.dropFirst("Cpus_allowed:".count)
    return mask?.compactMap(\.hexDigitValue).reduce(0) { $0 + $1.nonzeroBitCount } ?? 1
  }()

  /// Runs in a process of its own, since an exit test may block the only other thread of the tasks.
  @Test(.enabled(if: processorCount > 1, "one thread serves all tasks"))
  func blockingDestinationDoesNotBlockItsOtherTasks() async throws {
    await #expect(processExitsWith: .success) {
      try await exchange([Self.item]) { drop in
        let leave = BlockingSignals()
        let gate = Gate()
        async let work: Void = {
          try await Self.load(drop)
          gate.open()
          // Simulates long work.
          leave.receive()
        }()
        await gate.wait()
        try await Self.load(drop, times: 50)
        leave.send()
        try await work
        // The thread that was blocked is available again.
        try await Self.load(drop, times: 50)
      }
    }
  }

  @Test @MainActor func destinationOfAnActorStaysOnTheActor() async throws {
    let pair = try DescriptorPair.socketPair()
    let source = Task.detached {
      try await DropStream.withSession(over: pair.writer) { try await $0.offer([Self.item]) }
    }
    try await DropStream.withSession(over: pair.reader) { session in
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

  @Test func workForAnActorRunsOnTheActorInOrder() async throws {
    actor Counter {
      var count = 0
      func load(_ drop: IncomingDrop) async throws {
        let before = count
        count += 1
        #expect(count == before + 1)
        try await SessionTaskTests.load(drop)
        preconditionIsolated()
      }
    }
    let counter = Counter()
    try await exchange([Self.item]) { drop in
      try await withThrowingTaskGroup { group in
        for _ in 0..<8 { group.addTask { for _ in 0..<20 { try await counter.load(drop) } } }
        try await group.waitForAll()
      }
    }
    #expect(await counter.count == 160)
  }

  @Test func invalidMessageWakesAllWaitingTasks() async throws {
    let woken = Collector<DropStreamError.Code?>()
    _ = try await RawPeer.play { session in
      await withTaskGroup { group in
        for _ in 0..<5 {
          group.addTask { woken.add(await failureCode { try await session.offer([Self.item]) }) }
        }
      }
    } peer: { peer in
      try await peer.say(RawPeer.hello)
      try await peer.waitForBytes(200)
      // Ends an offer that does not exist.
      try await peer.say(.finish(generation: 99, SessionFinish()))
    }
    #expect(woken.values == Array(repeating: .damaged, count: 5))
  }
}
