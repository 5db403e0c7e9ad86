// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// Failures that end sessions, offers and requests.
@Suite(.serialized, .limited, .timeLimit(.minutes(10))) struct SessionEndTests {
  @Test("a request that is cancelled ends its loader, and nothing else", arguments: SessionCarrierKind.allCases)
  func cancelledRequestEndsOnlyItsLoader(_ carrier: SessionCarrierKind) async throws {
    let (started, stopped) = (Gate(), Gate())
    let outcome = try await holdSession(over: carrier) { session in
      let item = ItemProvider(suggestedName: "item")
      item.register(.data) { _ in
        started.open()
        defer { stopped.open() }
        try await Task.sleep(for: .seconds(60))
        return Data()
      }
      item.register(.json) { _ in Data("still here".utf8) }
      return try await session.offer([item])
    } destination: { session in
      for try await drop in session.drops {
        let load = Task { try await drop.items[0].data(for: .data) }
        await started.wait()
        load.cancel()
        let result = await load.result
        #expect((result.cause as? ItemProviderError)?.code == .cancelled)
        await stopped.wait()
        #expect(try await drop.items[0].data(for: .json) == Data("still here".utf8))
        try await drop.finish(.copy)
      }
    }
    _ = try outcome.destination.get()
    _ = try outcome.source.get()
  }

  @Test(
    "the peer always receives the reason of a rejection, regardless of which side closes first",
    arguments: SessionCarrierKind.allCases)
  func peerAlwaysReceivesTheReasonOfARejection(_ carrier: SessionCarrierKind) async throws {
    var options = DropStreamOptions()
    options.limits.items = 1
    for _ in 0..<100 {
      let outcome = try await holdSession(over: carrier, destinationOptions: options) { session in
        try await session.offer([ItemProvider([1]), ItemProvider([2])])
      } destination: { session in
        for try await _ in session.drops {}
      }
      #expect(outcome.destination.streamError?.code == .limitExceeded)
      #expect(outcome.source.streamError?.code == .senderFailed)
      #expect(outcome.source.streamError?.reason.contains("more than 1 item at byte") == true)
    }
  }

  @Test("a load that is abandoned midway is cancelled at the source")
  func abandonedLoadIsCancelledAtTheSource() async throws {
    let stopped = Gate()
    let outcome = try await holdSession { session in
      let item = ItemProvider(suggestedName: "item")
      item.registerStream(.data) { _ in EndlessChunks(atEnd: stopped) }
      return try await session.offer([item])
    } destination: { session in
      for try await drop in session.drops {
        for try await _ in try await drop.items[0].bytes(for: .data) { break }
        await stopped.wait()
        try await drop.finish(.copy)
      }
    }
    _ = try outcome.destination.get()
    _ = try outcome.source.get()
  }

  @Test("a withdrawn offer can be neither requested nor finished")
  func withdrawnOfferCanBeNeitherRequestedNorFinished() async throws {
    let (arrived, gone) = (Gate(), Gate())
    let outcome = try await holdSession { session in
      let offer = Task { try await session.offer([ItemProvider([1])]) }
      await arrived.wait()
      offer.cancel()
      let result = await offer.result
      #expect((result.cause as? DropStreamError)?.code == .cancelled)
      gone.open()
      return try await session.offer([ItemProvider([2])])
    } destination: { session in
      var number = 0
      for try await drop in session.drops {
        number += 1
        if number == 1 {
          arrived.open()
          await gone.wait()
          #expect(await failureCode { try await drop.items[0].data(for: .data) } == .withdrawn)
          #expect(await failureCode { try await drop.finish(.copy) } == .withdrawn)
        } else {
          #expect(try await drop.items[0].data(for: .data) == Data([2]))
          try await drop.finish(.copy)
        }
      }
      return number
    }
    #expect(try outcome.destination.get() == 2)
    _ = try outcome.source.get()
  }

  @Test("an offer that is withdrawn during a load fails with that reason")
  func offerWithdrawnDuringALoadFailsWithThatReason() async throws {
    let started = Gate()
    let outcome = try await holdSession { session in
      let item = ItemProvider(suggestedName: "item")
      item.register(.data) { _ in
        started.open()
        try await Task.sleep(for: .seconds(60))
        return Data()
      }
      let offer = Task { try await session.offer([item]) }
      await started.wait()
      offer.cancel()
      _ = await offer.result
      _ = try? await session.offer([])
    } destination: { session in
      for try await drop in session.drops {
        if drop.items.isEmpty {
          try await drop.finish(.copy)
          continue
        }
        #expect(await failureCode { try await drop.items[0].data(for: .data) } == .withdrawn)
      }
    }
    _ = try outcome.destination.get()
    _ = try outcome.source.get()
  }

  @Test("a side that fails sends its reason")
  func failedSideSendsItsReason() async throws {
    // Keeps the drop, since a drop that is released would be refused before the session fails.
    let kept = Collector<IncomingDrop>()
    let outcome = try await holdSession { session in
      let _: DropReceipt = try await session.offer([ItemProvider([1])])
    } destination: { session in
      for try await drop in session.drops {
        kept.add(drop)
        throw TestFailure("the table is full")
      }
    }
    let error = try #require(outcome.source.streamError)
    #expect(error.code == .senderFailed)
    #expect(error.senderFailure?.reason.contains("the table is full") == true)
  }

  @Test("a peer that dies and a peer that closes are different endings", arguments: SessionCarrierKind.allCases)
  func deadPeerAndClosingPeerAreDifferentEndings(_ carrier: SessionCarrierKind) async throws {
    let (near, far) = try carrier.endpoints()
    async let survivor: Void = DropStream.withSession(over: near) { session in
      for try await _ in session.drops {}
    }
    // Sends a handshake, and then closes the socket.
    guard let raw = try SessionCarrier.open(far) else { throw TestFailure("no room") }
    var bytes = Preamble.bytes
    var digest = StreamDigest(preambleCheck: Preamble.check)
    var hello = OutgoingFrame.hello(SessionHello())
    hello.seal(sequence: 0, digest: &digest)
    bytes += hello.bytes
    #expect(try bytes.withUnsafeBytes { try raw.output.writeWithoutWaiting($0) } == bytes.count)
    _ = consume raw
    do {
      try await survivor
      Issue.record("the other side is dead")
    } catch {
      #expect((error as? DropStreamError)?.code == .peerGone)
    }
  }

  @Test("a session that is cancelled ends on both sides", arguments: SessionCarrierKind.allCases)
  func cancelledSessionEndsOnBothSides(_ carrier: SessionCarrierKind) async throws {
    let (near, far) = try carrier.endpoints()
    let open = Gate()
    let source = Task {
      try await DropStream.withSession(over: near) { session in
        open.open()
        return try await session.offer([ItemProvider([1])])
      }
    }
    let destination = Task {
      try await DropStream.withSession(over: far) { session in
        for try await drop in session.drops {
          source.cancel()
          _ = try await drop.items[0].data(for: .data)
          try await Task.sleep(for: .seconds(60))
        }
      }
    }
    let first = await source.result
    #expect((first.cause as? DropStreamError)?.code == .cancelled)
    destination.cancel()
    _ = await destination.result
  }

  @Test("no descriptor stays open after any end of a session")
  func noDescriptorStaysOpenAfterASession() async throws {
    let pair = try DescriptorPair.socketPair()
    let links = [try link(of: pair.read), try link(of: pair.write)]
    async let one: Void = DropStream.withSession(over: .descriptor(pair.read)) { session in
      _ = try await session.offer([ItemProvider(pattern(500_000))])
    }
    async let other: Void = DropStream.withSession(over: .descriptor(pair.write)) { session in
      for try await drop in session.drops {
        _ = try await drop.items[0].data(for: .data)
        throw TestFailure("enough")
      }
    }
    _ = try? await one
    _ = try? await other
    for link in links { #expect(try openDescriptors(to: link) == 0) }
  }
}

/// An endless sequence of chunks, whose iterator reports its release.
private struct EndlessChunks: AsyncSequence, Sendable {
  typealias Element = Data
  typealias Failure = Never

  let atEnd: Gate

  func makeAsyncIterator() -> Iterator { Iterator(atEnd: atEnd) }

  final class Iterator: AsyncIteratorProtocol {
    let atEnd: Gate

    init(atEnd: Gate) {
      self.atEnd = atEnd
    }

    deinit {
      atEnd.open()
    }

    func next() async -> Data? { Data(count: 30_000) }
  }
}

extension Result {
  fileprivate var cause: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}
