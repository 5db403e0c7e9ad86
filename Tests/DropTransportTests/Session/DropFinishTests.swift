// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// The destination's report of the kept items, and its validation by the source.
@Suite(.serialized, .limited, .timeLimit(.minutes(10))) struct DropFinishTests {
  @Test("very many items can be kept, all or every other", arguments: isFullRun ? [1, 2] : [2])
  func destinationCanKeepVeryManyItems(_ step: Int) async throws {
    let kept = Array(stride(from: 0, to: 17_000, by: step))
    let outcome = try await holdSession { session in
      try await session.offer((0..<17_000).map { _ in ItemProvider([1]) })
    } destination: { session in
      for try await drop in session.drops { try await drop.finish(.copy, keeping: kept) }
    }
    _ = try outcome.destination.get()
    #expect(try outcome.source.get().keptItems == kept)
  }

  @Test("a cancelled task does not report kept items")
  func cancelledTaskDoesNotReportKeptItems() async throws {
    let outcome = try await holdSession { session in
      try await session.offer([ItemProvider([1])], allowing: [.copy, .move])
    } destination: { session in
      for try await drop in session.drops {
        let finish = Task {
          while !Task.isCancelled { await Task.yield() }
          try await drop.finish(.move)
        }
        finish.cancel()
        #expect(await failureCode { try await finish.value } == .cancelled)
        // The cancelled call did not finish the drop, so it can be finished now.
        try await drop.finish(.copy)
      }
    }
    _ = try outcome.destination.get()
    #expect(try outcome.source.get().action == .copy)
  }

  @Test("a task that waits for drops and is cancelled takes none with it")
  func cancelledTaskThatWaitsForDropsTakesNone() async throws {
    let isWaiting = Gate()
    let outcome = try await holdSession { session in
      await isWaiting.wait()
      return try await session.offer([ItemProvider([1])])
    } destination: { session in
      let first = Task { for try await _ in session.drops {} }
      try await Task.sleep(for: .milliseconds(50))
      first.cancel()
      #expect(await failureCode { try await first.value } == .cancelled)
      isWaiting.open()
      var count = 0
      for try await drop in session.drops {
        count += 1
        try await drop.finish(.copy)
      }
      return count
    }
    #expect(try outcome.destination.get() == 1)
    _ = try outcome.source.get()
  }

  @Test("finishing a drop ends its remaining loads")
  func finishingADropEndsItsRemainingLoads() async throws {
    let started = Gate()
    let outcome = try await holdSession { session in
      let item = ItemProvider(suggestedName: "item")
      item.register(.data) { _ in
        started.open()
        try await Task.sleep(for: .seconds(60))
        return Data()
      }
      return try await session.offer([item])
    } destination: { session in
      for try await drop in session.drops {
        let load = Task { try await drop.items[0].data(for: .data) }
        await started.wait()
        try await drop.finish(.copy)
        #expect(await failureCode { try await load.value } == .closed)
      }
    }
    _ = try outcome.destination.get()
    _ = try outcome.source.get()
  }

  @Test("an action that the source does not allow is an error")
  func actionThatTheSourceDoesNotAllowIsAnError() async throws {
    let pair = try DescriptorPair.socketPair()
    let peer = RawPeer(pair.write)
    try await peer.say(
      RawPeer.hello, .endOfOffers(generation: 1, itemCount: 0, actions: DropActions(rawValue: 0)), .bye)
    try await DropStream.withSession(over: .descriptor(pair.read)) { session in
      for try await drop in session.drops {
        #expect(await failureCode { try await drop.finish(.copy) } == .notAllowed)
      }
    }
    close(pair.write)
  }

  @Test("a finish that keeps an item of an empty offer is rejected")
  func finishThatKeepsAnItemOfAnEmptyOfferIsRejected() async throws {
    let pair = try DescriptorPair.socketPair()
    let peer = RawPeer(pair.write)
    let session = Task {
      try await DropStream.withSession(over: .descriptor(pair.read)) { try await $0.offer([]) }
    }
    try await peer.say(RawPeer.hello)
    try await peer.waitForBytes(100)
    try await peer.say(RawPeer.finish)
    #expect(await failureCode { try await session.value } == .damaged)
    close(pair.write)
  }

  @Test("the source refuses an offer that every peer would refuse, and the session continues")
  func sourceRefusesAnOfferThatEveryPeerWouldRefuse() async throws {
    let outcome = try await holdSession { session in
      let name = String(repeating: "n", count: 1000)
      let items = (0..<16_600).map { _ in ItemProvider([1], name: name) }
      #expect(await failureCode { try await session.offer(items) } == .limitExceeded)
      return try await session.offer([ItemProvider([1])])
    } destination: { session in
      for try await drop in session.drops { try await drop.finish(.copy) }
    }
    _ = try outcome.destination.get()
    #expect(try outcome.source.get().keptItems == [0])
  }

  @Test("a part beyond all ends is empty", arguments: [UInt64(0), 1 << 63])
  func rangeBeyondTheEndIsEmpty(_ start: UInt64) async throws {
    let range = start..<UInt64.max
    let outcome = try await holdSession { session in
      try await session.offer([ItemProvider([1, 2, 3])])
    } destination: { session in
      for try await drop in session.drops {
        let found = try await drop.bytes(range, of: .data, ofItem: 0)
        #expect(found == (range.lowerBound == 0 ? Data([1, 2, 3]) : Data()))
        try await drop.finish(.copy)
      }
    }
    _ = try outcome.destination.get()
    _ = try outcome.source.get()
  }
}
