// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import DropSystem
import Foundation
import Glibc
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// Slow operations, which must not delay other operations.
@Suite(.serialized, .limited, .timeLimit(.minutes(10))) struct SessionSlownessTests {
  @Test("a loader that blocks its thread blocks no other request")
  func loaderThatBlocksItsThreadBlocksNoOtherRequest() async throws {
    // The loader is released only after the other requests are complete. A session that waited for it would block
    // forever.
    let leave = DispatchSemaphore(value: 0)
    let outcome = try await holdSession { session in
      let item = ItemProvider(suggestedName: "item")
      item.register(.data) { _ in
        Self.blocks(until: leave) ? Data("late".utf8) : Data("too late".utf8)
      }
      item.register(.json) { _ in Data("early".utf8) }
      return try await session.offer([item])
    } destination: { session in
      for try await drop in session.drops {
        async let late = drop.items[0].data(for: .data)
        for _ in 0..<50 { #expect(try await drop.items[0].data(for: .json) == Data("early".utf8)) }
        leave.signal()
        #expect(try await late == Data("late".utf8))
        try await drop.finish(.copy)
      }
    }
    _ = try outcome.destination.get()
    _ = try outcome.source.get()
  }

  private static func blocks(until leave: DispatchSemaphore) -> Bool {
    leave.wait(timeout: .now() + .seconds(300)) == .success
  }

  @Test("a loader that reacts slowly to its cancellation blocks no other request", arguments: [false, true])
  func slowCancellationOfALoaderBlocksNoOtherRequest(isFinished: Bool) async throws {
    let leave = DispatchSemaphore(value: 0)
    let begun = Gate()
    // The loader waits for a latch, which suspends it. Blocking it would take one of the system's few threads.
    let handled = Latch()
    let outcome = try await holdSession { session in
      let slow = ItemProvider(suggestedName: "slow")
      slow.register(.data) { _ in
        begun.open()
        await withTaskCancellationHandler {
          await handled.wait()
        } onCancel: {
          #expect(Self.blocks(until: leave))
          handled.open()
        }
        throw CancellationError()
      }
      let quick = ItemProvider(suggestedName: "quick")
      quick.register(.data) { _ in Data("early".utf8) }
      return try await session.offer([slow, quick])
    } destination: { session in
      for try await drop in session.drops {
        let load = Task { try await drop.items[0].data(for: .data) }
        await begun.wait()
        if isFinished { try await drop.finish(.copy) } else { load.cancel() }
        await #expect(throws: (any Error).self) { try await load.value }
        if !isFinished {
          for _ in 0..<50 { #expect(try await drop.items[1].data(for: .data) == Data("early".utf8)) }
        }
        leave.signal()
        if !isFinished { try await drop.finish(.copy) }
      }
    }
    _ = try outcome.destination.get()
    _ = try outcome.source.get()
  }

  @Test("consecutive loaders that block their threads block no other request")
  func consecutiveBlockingLoadersBlockNoOtherRequest() async throws {
    let leave = DispatchSemaphore(value: 0)
    let started = Collector<Void>()
    let slow: [UTType] = [.data, .png, .jpeg, .html]
    let outcome = try await holdSession { session in
      let item = ItemProvider(suggestedName: "item")
      for type in slow {
        item.register(type) { _ in
          started.add(())
          return Self.blocks(until: leave) ? Data("late".utf8) : Data("too late".utf8)
        }
      }
      item.register(.json) { _ in Data("early".utf8) }
      return try await session.offer([item])
    } destination: { session in
      for try await drop in session.drops {
        let late = slow.map { type in Task { try await drop.items[0].data(for: type) } }
        #expect(try await eventually { started.values.count == slow.count })
        for _ in 0..<20 { #expect(try await drop.items[0].data(for: .json) == Data("early".utf8)) }
        for _ in slow { leave.signal() }
        for one in late { #expect(try await one.value == Data("late".utf8)) }
        // The threads that were blocked are available again.
        for _ in 0..<20 { #expect(try await drop.items[0].data(for: .json) == Data("early".utf8)) }
        try await drop.finish(.copy)
      }
    }
    _ = try outcome.destination.get()
    _ = try outcome.source.get()
  }

  @Test("a loader that has not waited for anything yet learns that its request was cancelled")
  func loaderThatNeverSuspendedLearnsOfItsCancellation() async throws {
    let pair = try DescriptorPair.socketPair()
    let peer = RawPeer(pair.write)
    let started = Gate()
    let heard = Collector<Bool>()
    let session = Task {
      try await DropStream.withSession(over: .descriptor(pair.read)) { session in
        let item = ItemProvider(suggestedName: "item")
        item.register(.data) { _ in
          let leave = DispatchSemaphore(value: 0)
          let isTold = await withTaskCancellationHandler {
            started.open()
            return Self.blocks(until: leave)
          } onCancel: {
            leave.signal()
          }
          heard.add(isTold && Task.isCancelled)
          return Data()
        }
        _ = try await session.offer([item])
      }
    }
    try await peer.say(RawPeer.hello)
    try await peer.waitForBytes(140)
    try await peer.say(RawPeer.request(1, credit: 1000))
    await started.wait()
    try await peer.say(.cancellation(number: 1, SenderFailure(kind: .cancelled, reason: "")))
    #expect(try await eventually { !heard.values.isEmpty })
    #expect(heard.values == [true])
    try await peer.say(RawPeer.finish)
    #expect(await ends { _ = await session.result })
    close(pair.write)
  }

  @Test("several loaders that block do not block the session permanently")
  func severalBlockingLoadersDoNotBlockTheSession() async throws {
    let outcome = try await holdSession { session in
      try await session.offer(
        (0..<6).map { number in
          let item = ItemProvider(suggestedName: "\(number)")
          item.register(.data) { _ in
            usleep(30_000)
            return Data([UInt8(number)])
          }
          return item
        })
    } destination: { session in
      for try await drop in session.drops {
        let all = try await withThrowingTaskGroup(of: UInt8.self) { group in
          for item in drop.items { group.addTask { try await item.data(for: .data)[0] } }
          return try await group.reduce(into: Set<UInt8>()) { $0.insert($1) }
        }
        #expect(all == Set(0..<6))
        try await drop.finish(.copy)
      }
    }
    _ = try outcome.destination.get()
    _ = try outcome.source.get()
  }

  @Test("the destination can observe the progress of a loader")
  func destinationObservesTheProgressOfALoader() async throws {
    let seen = Collector<Int64>()
    let isSeen = Gate()
    let outcome = try await holdSession { session in
      let item = ItemProvider(suggestedName: "item")
      item.register(.data) { progress in
        progress.setTotal(10)
        progress.advance(by: 4)
        await isSeen.wait()
        return Data("made".utf8)
      }
      return try await session.offer([item])
    } destination: { session in
      for try await drop in session.drops {
        let progress = ItemProgress()
        let watching = Task {
          for await now in progress.updates {
            seen.add(now.completed)
            if now.completed > 0 { isSeen.open() }
          }
        }
        #expect(try await drop.items[0].data(for: .data, progress: progress) == Data("made".utf8))
        await watching.value
        try await drop.finish(.copy)
      }
    }
    _ = try outcome.destination.get()
    _ = try outcome.source.get()
    #expect(seen.values.contains { (1...4).contains($0) }, "\(seen.values)")
  }

  @Test("a source that stalls times out", arguments: SessionCarrierKind.allCases)
  func stalledSourceTimesOut(_ carrier: SessionCarrierKind) async throws {
    var options = DropStreamOptions()
    options.idleTimeout = .seconds(2)
    let outcome = try await holdSession(over: carrier, options: options) { session in
      let item = ItemProvider(suggestedName: "item")
      item.register(.data) { _ in
        try await Task.sleep(for: .seconds(60))
        return Data()
      }
      return try await session.offer([item])
    } destination: { session in
      for try await drop in session.drops {
        #expect(await failureCode { try await drop.items[0].data(for: .data) } == .timedOut)
        try await drop.finish(.copy, keeping: [])
      }
    }
    _ = try outcome.destination.get()
    #expect(try outcome.source.get().keptItems.isEmpty)
  }

  @Test("a peer that sends no handshake times out")
  func peerThatSendsNoHandshakeTimesOut() async throws {
    let pair = try DescriptorPair.socketPair()
    var options = DropStreamOptions()
    options.idleTimeout = .milliseconds(200)
    do {
      try await DropStream.withSession(over: .descriptor(pair.read), options: options) { _ in }
      Issue.record("nobody greeted")
    } catch {
      #expect((error as? DropStreamError)?.code == .timedOut)
    }
    try SystemCalls.close(pair.write)
  }
}
