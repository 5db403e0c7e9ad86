// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct SessionTests {
  @Test(arguments: SessionCarrierKind.allCases)
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

  @Test(arguments: isFullRun ? [1, 2] : [2]) func destinationCanKeepVeryManyItems(_ step: Int) async throws {
    let kept = Array(stride(from: 0, to: 17_000, by: step))
    let outcome = try await holdSession { session in
      try await session.offer((0..<17_000).map { _ in ItemProvider([1]) })
    } destination: { session in
      for try await drop in session.drops { try await drop.finish(.copy, keeping: kept) }
    }
    #expect(try values(of: outcome).source.keptItems == kept)
  }

  @Test func loaderRunsOnceForEachRequestOnly() async throws {
    let (asked, never) = (Collector<Void>(), Collector<Void>())
    let item = ItemProvider(named: "item", loading: .data) { _ in
      asked.add(())
      return Data("yes".utf8)
    }
    item.register(.json) { _ in
      never.add(())
      return Data("no".utf8)
    }
    try await exchange([item]) { drop async throws in
      #expect(drop.items[0].contentTypes == [.data, .json])
      for _ in 0..<2 { try await drop.items[0].expect(Data("yes".utf8)) }
    }
    #expect(asked.values.count == 2 && never.values.isEmpty)
  }

  @Test func bothSidesOfferSeveralTimesInOneSession() async throws {
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
    #expect(try values(of: outcome).source == [0, 1, 2, 3, 4] && values(of: outcome).destination == [0, 1, 2, 3, 4])
  }

  @Test func unreadRepresentationDoesNotBlockAnother() async throws {
    try await exchange([ItemProvider(pattern(9_000_000), name: "slow"), ItemProvider(pattern(5_000_000))]) { drop in
      let slow = try await drop.items[0].bytes(for: .data)
      var iterator = slow.makeAsyncIterator()
      var count = try await iterator.next()?.count ?? 0
      // Meanwhile, the rest of the first item waits, since nothing reads it.
      try await drop.items[1].expect(Data(pattern(5_000_000)))
      while let chunk = try await iterator.next() { count += chunk.count }
      #expect(count == 9_000_000)
    }
  }

  @Test func requestsBeyondTheLimitWait() async throws {
    let receipt = try await exchange((0..<200).map { ItemProvider(pattern($0), name: "\($0)") }) { drop in
      try await withThrowingTaskGroup(of: Bool.self) { group in
        for (number, item) in drop.items.enumerated() {
          group.addTask { try await item.data(for: .data).count == number }
        }
        let isRight = try await group.reduce(into: [Bool]()) { $0.append($1) }
        #expect(isRight == Array(repeating: true, count: 200))
      }
    }
    #expect(receipt.keptItems.count == 200)
  }

  @Test func emptyFailedAbandonedAndRefusedLoadsAreDifferentResults() async throws {
    let failures = Collector<DropStreamError.Code>()
    let outcome = try await holdSession { session in
      let item = ItemProvider(named: "item", loading: .data) { _ in Data() }
      item.register(.json) { _ in throw TestFailure("the ink is dry") }
      item.registerFile(.html) { _ in SentTransferredFile(URL(fileURLWithPath: "/nowhere")) }
      item.register(.png) { _ in
        try await Task.sleep(for: .seconds(60))
        return Data()
      }
      let error = try await requireDropError(.refused) {
        try await session.offer([item]) { failures.add($0.code) }
      }
      #expect(error.senderFailure?.reason == "no room")
    } destination: { session in
      for try await drop in session.drops {
        for (type, words) in [(UTType.json, "the ink is dry"), (.html, "/nowhere")] {
          let error = await #expect(throws: ItemProviderError.self) { try await drop.items[0].data(for: type) }
          let failure = try #require(error?.underlyingError as? DropStreamError)
          #expect(failure.code == .representationFailed && failure.senderFailure?.reason.contains(words) == true)
        }
        let impatient = Task { try await drop.items[0].data(for: .png) }
        impatient.cancel()
        await #expect(throws: ItemProviderError.self) { try await impatient.value }
        #expect(try await drop.items[0].data(for: .data).isEmpty)
        try await drop.refuse(because: "no room")
      }
    }
    try values(of: outcome)
    // The source learns which representations failed, but not which were abandoned.
    #expect(failures.values == [.representationFailed, .representationFailed])
  }

  @Test func releasedDropHasKeptNoItem() async throws {
    let outcome = try await holdSession { session in
      try await session.offer([ItemProvider([1])])
    } destination: { session in
      for try await _ in session.drops {}
    }
    #expect(outcome.source.streamError?.code == .refused)
    // The source's scope has thrown that error, so the session reports a failure to the destination.
    #expect(outcome.destination.streamError?.code == .senderFailed)
  }

  @Test func requestForARangeReturnsItsBytes() async throws {
    let content = pattern(1_000_000)
    let item = ItemProvider(content)
    item.registerStream(.json) { _ in
      AsyncStream { continuation in
        for start in stride(from: 0, to: 1_000_000, by: 7000) {
          continuation.yield(Data(content[start..<min(1_000_000, start + 7000)]))
        }
        continuation.finish()
      }
    }
    try await exchange([item]) { drop in
      for type in [UTType.data, .json] {
        for range: Range<UInt64> in [
          0..<0, 0..<1, 6999..<7001, 500_000..<900_000, 999_999..<2_000_000, 5_000_000..<5_000_001, 0..<(.max),
          1 << 63..<(.max),
        ] {
          let wanted = range.clamped(to: 0..<1_000_000)
          let bytes = try await drop.bytes(range, of: type, ofItem: 0)
          #expect(bytes == Data(content[Int(wanted.lowerBound)..<Int(wanted.upperBound)]), "\(range)")
        }
      }
    }
  }
}

/// The audience of a session.
///
/// A peer is near only on a socket, and only if the kernel reports the same user for it.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct SessionAudienceTests {
  /// Offers an item with a representation of each visibility, and expects that only the visible types arrive.
  private static func expect(
    _ types: [UTType], over endpoints: (DropEndpoint, DropEndpoint), audience: ItemVisibility = .all,
    near: ItemVisibility, isKnown: Bool, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let options = DropStreamOptions.setting { $0.audience = audience }
    async let source: Void = DropStream.withSession(over: endpoints.0, options: options) { session in
      #expect(session.audience == near, sourceLocation: sourceLocation)
      #expect((session.peer != nil) == isKnown, sourceLocation: sourceLocation)
      let item = ItemProvider(suggestedName: "item")
      for (type, visibility) in [
        (.data, .ownProcess), (.json, .team), (.plainText, .group), (.png, .all),
      ] as [(UTType, ItemVisibility)] {
        item.register(type, visibility: visibility) { _ in Data() }
      }
      _ = try await session.offer([item])
    }
    let found = try await DropStream.withSession(over: endpoints.1, options: options) { session in
      var types: [UTType] = []
      for try await drop in session.drops {
        types += drop.items[0].contentTypes
        try await drop.finish(.copy)
      }
      return types
    }
    try await source
    #expect(found == types, sourceLocation: sourceLocation)
  }

  @Test func peerOfASocketIsKnown() async throws {
    let kind = SessionCarrierKind.socketPair
    try await Self.expect([.json, .plainText, .png], over: kind.endpoints(), near: .team, isKnown: true)
    try await Self.expect(
      [.data, .json, .plainText, .png], over: kind.endpoints(), audience: .ownProcess, near: .ownProcess, isKnown: true)
  }

  @Test(arguments: [SessionCarrierKind.pipes, .nonBlockingPipes])
  func peerOfAPipeIsUnknown(_ kind: SessionCarrierKind) async throws {
    try await Self.expect([.png], over: kind.endpoints(), near: .all, isKnown: false)
    try await Self.expect(
      [.plainText, .png], over: kind.endpoints(), audience: .group, near: .group, isKnown: false)
  }

  /// They may belong to a tunnel.
  @Test func peerOfTwoDescriptorsIsUnknown() async throws {
    let pair = try DescriptorPair.socketPair()
    let endpoints = (
      DropEndpoint.descriptors(input: pair.read, output: try SystemCalls.duplicate(pair.read)),
      DropEndpoint.descriptors(input: pair.write, output: try SystemCalls.duplicate(pair.write))
    )
    try await Self.expect([.png], over: endpoints, near: .all, isKnown: false)
  }
}
