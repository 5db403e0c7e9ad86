// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

@Suite(.serialized, .limited, .timeLimit(.minutes(10))) struct SessionTests {
  @Test("offered items can be requested, and the source learns which were kept", arguments: SessionCarrierKind.allCases)
  func sourceLearnsWhichOfTheRequestedItemsWereKept(_ carrier: SessionCarrierKind) async throws {
    let outcome = try await holdSession(over: carrier) { session in
      try await session.offer(
        [ItemProvider(pattern(100), name: "small"), ItemProvider(pattern(3_000_000), name: "large")],
        allowing: [.copy, .move])
    } destination: { session in
      var found: [String: Data] = [:]
      for try await drop in session.drops {
        #expect(drop.actions == [.copy, .move])
        for item in drop.items { found[item.suggestedName ?? ""] = try await item.data(for: .data) }
        try await drop.finish(.move, keeping: [1])
      }
      return found
    }
    #expect(try outcome.source.get() == DropReceipt(action: .move, keptItems: [1]))
    #expect(try outcome.destination.get() == ["small": Data(pattern(100)), "large": Data(pattern(3_000_000))])
  }

  @Test("a loader runs once for each request, and only then")
  func loaderRunsOnceForEachRequestOnly() async throws {
    let (asked, never) = (Collector<Int>(), Collector<Int>())
    let outcome = try await holdSession { session in
      let item = ItemProvider(suggestedName: "item")
      item.register(.data) { _ in
        asked.add(1)
        return Data("yes".utf8)
      }
      item.register(.json) { _ in
        never.add(1)
        return Data("no".utf8)
      }
      return try await session.offer([item])
    } destination: { session in
      for try await drop in session.drops {
        #expect(drop.items[0].contentTypes == [.data, .json])
        for _ in 0..<2 { #expect(try await drop.items[0].data(for: .data) == Data("yes".utf8)) }
        try await drop.finish(.copy)
      }
    }
    _ = try outcome.destination.get()
    #expect(try outcome.source.get().keptItems == [0])
    #expect(asked.values.count == 2)
    #expect(never.values.isEmpty)
  }

  @Test("the source learns which representations failed, but not which were abandoned")
  func sourceLearnsWhichRepresentationsFailed() async throws {
    let failures = Collector<DropStreamError.Code>()
    let outcome = try await holdSession { session in
      let item = ItemProvider(Data("yes".utf8))
      item.register(.json) { _ throws in throw CocoaError(.fileNoSuchFile) }
      item.registerFile(.html) { _ in SentTransferredFile(URL(fileURLWithPath: "/nowhere")) }
      item.register(.png) { _ in
        try await Task.sleep(for: .seconds(60))
        return Data()
      }
      return try await session.offer([item]) { failures.add($0.code) }
    } destination: { session in
      for try await drop in session.drops {
        for type in [UTType.json, .html] {
          await #expect(throws: ItemProviderError.self) { try await drop.items[0].data(for: type) }
        }
        let impatient = Task { try await drop.items[0].data(for: .png) }
        impatient.cancel()
        await #expect(throws: ItemProviderError.self) { try await impatient.value }
        #expect(try await drop.items[0].data(for: .data) == Data("yes".utf8))
        try await drop.finish(.copy)
      }
    }
    _ = try outcome.destination.get()
    #expect(try outcome.source.get().keptItems == [0])
    #expect(failures.values == [.representationFailed, .representationFailed])
  }

  @Test("both sides offer, several times, in one session")
  func bothSidesOfferSeveralTimesInOneSession() async throws {
    @Sendable func takePart(_ session: DropSession) async throws -> [Int] {
      async let taken = take(from: session, count: 5)
      for number in 0..<5 { _ = try await session.offer([ItemProvider([UInt8(number)])]) }
      return try await taken
    }
    @Sendable func take(from session: DropSession, count: Int) async throws -> [Int] {
      var numbers: [Int] = []
      for try await drop in session.drops {
        numbers.append(Int(try await drop.items[0].data(for: .data)[0]))
        try await drop.finish(.copy)
        if numbers.count == count { break }
      }
      return numbers
    }
    let outcome = try await holdSession(source: takePart, destination: takePart)
    #expect(try outcome.source.get() == [0, 1, 2, 3, 4])
    #expect(try outcome.destination.get() == [0, 1, 2, 3, 4])
  }

  @Test("a representation without a reader does not block another")
  func unreadRepresentationDoesNotBlockAnother() async throws {
    let outcome = try await holdSession { session in
      try await session.offer([ItemProvider(pattern(9_000_000), name: "slow"), ItemProvider(pattern(5_000_000))])
    } destination: { session in
      for try await drop in session.drops {
        let slow = try await drop.items[0].bytes(for: .data)
        var iterator = slow.makeAsyncIterator()
        var count = try await iterator.next()?.count ?? 0
        // Meanwhile, the rest of the first item waits, since nothing reads it.
        #expect(try await drop.items[1].data(for: .data) == Data(pattern(5_000_000)))
        while let chunk = try await iterator.next() { count += chunk.count }
        #expect(count == 9_000_000)
        try await drop.finish(.copy)
      }
    }
    _ = try outcome.destination.get()
    _ = try outcome.source.get()
  }

  @Test("requests beyond the limit wait")
  func requestsBeyondTheLimitWait() async throws {
    let outcome = try await holdSession { session in
      try await session.offer((0..<200).map { ItemProvider(pattern($0), name: "\($0)") })
    } destination: { session in
      for try await drop in session.drops {
        try await withThrowingTaskGroup(of: Void.self) { group in
          for (number, item) in drop.items.enumerated() {
            group.addTask {
              let count = try await item.data(for: .data).count
              #expect(count == number)
            }
          }
          try await group.waitForAll()
        }
        try await drop.finish(.copy)
      }
    }
    _ = try outcome.destination.get()
    #expect(try outcome.source.get().keptItems.count == 200)
  }

  @Test("empty, failed and refused loads are different results")
  func emptyFailedAndRefusedLoadsAreDifferentResults() async throws {
    let outcome = try await holdSession { session in
      let item = ItemProvider(suggestedName: "item")
      item.register(.data) { _ in Data() }
      item.register(.json) { _ in throw TestFailure("the ink is dry") }
      do {
        _ = try await session.offer([item])
        Issue.record("it was refused")
      } catch {
        #expect((error as? DropStreamError)?.code == .refused)
        #expect((error as? DropStreamError)?.senderFailure?.reason == "no room")
      }
    } destination: { session in
      for try await drop in session.drops {
        #expect(try await drop.items[0].data(for: .data).isEmpty)
        do {
          _ = try await drop.items[0].data(for: .json)
          Issue.record("it has failed")
        } catch {
          let failure = try #require((error as? ItemProviderError)?.underlyingError as? DropStreamError)
          #expect(failure.code == .senderFailed)
          #expect(failure.senderFailure?.reason.contains("the ink is dry") == true)
        }
        try await drop.refuse(because: "no room")
      }
    }
    _ = try outcome.source.get()
    _ = try outcome.destination.get()
  }

  @Test("a released drop has kept no item")
  func releasedDropHasKeptNoItem() async throws {
    let outcome = try await holdSession { session in
      try await session.offer([ItemProvider([1])])
    } destination: { session in
      for try await _ in session.drops {}
    }
    #expect(outcome.source.streamError?.code == .refused)
    // The source's scope has thrown that error, so the session reports a failure to the destination.
    #expect(outcome.destination.streamError?.code == .senderFailed)
  }

  @Test("a request for a range returns the bytes of the range")
  func requestForARangeReturnsItsBytes() async throws {
    let outcome = try await holdSession { session in
      let item = ItemProvider(pattern(1_000_000))
      item.registerStream(.json) { _ in
        AsyncStream { continuation in
          for start in stride(from: 0, to: 1_000_000, by: 7000) {
            continuation.yield(Data(pattern(1_000_000)[start..<min(1_000_000, start + 7000)]))
          }
          continuation.finish()
        }
      }
      return try await session.offer([item])
    } destination: { session in
      for try await drop in session.drops {
        for type in [UTType.data, .json] {
          for range: Range<UInt64> in [
            0..<0, 0..<1, 6999..<7001, 500_000..<900_000, 999_999..<2_000_000, 5_000_000..<5_000_001,
          ] {
            let wanted = range.clamped(to: 0..<1_000_000)
            let bytes = try await drop.bytes(range, of: type, ofItem: 0)
            #expect(bytes == Data(pattern(1_000_000)[Int(wanted.lowerBound)..<Int(wanted.upperBound)]), "\(range)")
          }
        }
        try await drop.finish(.copy)
      }
    }
    _ = try outcome.destination.get()
    _ = try outcome.source.get()
  }
}
