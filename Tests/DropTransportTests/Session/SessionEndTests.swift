// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// Failures and cancellations that end sessions, offers and requests.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct SessionEndTests {
  /// Returns an item whose loader waits until it is cancelled.
  private static func waitingItem(_ started: Gate, onEnd stopped: Gate = Gate()) -> ItemProvider {
    let item = ItemProvider(named: "item", loading: .data) { _ in
      started.open()
      defer { stopped.open() }
      try await Task.sleep(for: .seconds(60))
      return Data()
    }
    return item
  }

  // MARK: Requests

  @Test(arguments: SessionCarrierKind.allCases)
  func cancelledRequestEndsOnlyItsLoader(_ carrier: SessionCarrierKind) async throws {
    let (started, stopped) = (Gate(), Gate())
    let item = Self.waitingItem(started, onEnd: stopped)
    item.register(.json) { _ in Data("still here".utf8) }
    try await exchange([item], over: carrier) { drop async throws in
      let load = Task { try await drop.items[0].data(for: .data) }
      await started.wait()
      load.cancel()
      let error = await #expect(throws: ItemProviderError.self) { try await load.value }
      #expect(error?.code == .cancelled)
      await stopped.wait()
      try await drop.items[0].expect(Data("still here".utf8), for: .json)
    }
  }

  @Test func abandonedLoadIsCancelledAtTheSource() async throws {
    let stopped = Gate()
    let item = ItemProvider(suggestedName: "item")
    item.registerStream(.data) { _ in
      let report = ReleaseReport(stopped)
      return AsyncStream(unfolding: { withExtendedLifetime(report) { Data(count: 30_000) } })
    }
    try await exchange([item]) { drop in
      for try await _ in try await drop.items[0].bytes(for: .data) { break }
      await stopped.wait()
    }
  }

  @Test func finishingADropEndsItsRemainingLoads() async throws {
    let started = Gate()
    let outcome = try await holdSession { session in
      try await session.offer([Self.waitingItem(started)])
    } destination: { session in
      for try await drop in session.drops {
        let load = Task { try await drop.items[0].data(for: .data) }
        await started.wait()
        try await drop.finish(.copy)
        await expectFailure(.closed) { try await load.value }
      }
    }
    try values(of: outcome)
  }

  // MARK: Offers

  @Test func withdrawnOfferCanBeNeitherRequestedNorFinished() async throws {
    let started = Gate()
    let outcome = try await holdSession { session in
      let offer = Task { try await session.offer([Self.waitingItem(started)]) }
      await started.wait()
      offer.cancel()
      await expectFailure(.cancelled) { try await offer.value }
      return try await session.offer([ItemProvider([2])])
    } destination: { session in
      var drops = session.drops.makeAsyncIterator()
      let withdrawn = try #require(try await drops.next())
      // The first load has begun when the source withdraws the offer.
      for _ in 0..<2 {
        await expectFailure(.withdrawn) { try await withdrawn.items[0].data(for: .data) }
      }
      await expectFailure(.withdrawn) { try await withdrawn.finish(.copy) }
      let next = try #require(try await drops.next())
      try await next.items[0].expect(Data([2]))
      try await next.finish(.copy)
      #expect(try await drops.next() == nil)
    }
    #expect(try values(of: outcome).source.keptItems == [0])
  }

  @Test func offerWithdrawnBeforeItsEndDoesNotArrive() async throws {
    let withdrawal = SenderFailure(kind: .cancelled, reason: "")
    let offer = SessionScript.offer
    let counts = try await RawPeer.play { session in
      var counts: [Int] = []
      for try await drop in session.drops { counts.append(drop.items.count) }
      return counts
    } peer: { peer in
      try await peer.say(
        RawPeer.hello, .offer(offer, generation: 1), .withdrawal(generation: 1, withdrawal),
        .withdrawal(generation: 2, withdrawal), .offer(offer, generation: 3), .offer(offer, generation: 3),
        .endOfOffers(generation: 3, itemCount: 2, actions: .copy), .bye)
    }
    #expect(try counts.get() == [2])
  }

  @Test func sourceCancelledWithinAnOfferCanOfferAgain() async throws {
    let items = (0..<2000).map { ItemProvider(pattern(1), name: "\($0) " + String(repeating: "n", count: 900)) }
    let outcome = try await holdSession(over: .pipes) { session in
      for _ in 0..<(isFullRun ? 20 : 8) {
        let offer = Task { try await session.offer(items) }
        try await Task.sleep(for: .milliseconds(2))
        offer.cancel()
        _ = await offer.result
      }
      return try await session.offer([items[0]])
    } destination: { session in
      var counts: Set<Int> = []
      for try await drop in session.drops {
        counts.insert(drop.items.count)
        // The source may have withdrawn the drop, which then cannot be finished.
        try? await drop.finish(.copy)
      }
      return counts
    }
    #expect(try values(of: outcome).source.keptItems == [0] && values(of: outcome).destination.isSubset(of: [1, 2000]))
  }

  // MARK: Finishes

  @Test func cancelledTaskDoesNotReportKeptItems() async throws {
    let outcome = try await holdSession { session in
      try await session.offer([ItemProvider([1])], allowing: [.copy, .move])
    } destination: { session in
      for try await drop in session.drops {
        _ = try await drop.items[0].data(for: .data)
        let finish = Task {
          while !Task.isCancelled { await Task.yield() }
          try await drop.finish(.move)
        }
        finish.cancel()
        await expectFailure(.cancelled) { try await finish.value }
        // The cancelled call did not finish the drop, so it can be finished now.
        try await drop.finish(.copy)
      }
    }
    #expect(try values(of: outcome).source.action == .copy)
  }

  @Test func cancelledTaskThatWaitsForDropsTakesNone() async throws {
    let isCancelled = Gate()
    let outcome = try await holdSession { session in
      await isCancelled.wait()
      return try await session.offer([ItemProvider([1])])
    } destination: { session in
      let first = Task { for try await _ in session.drops {} }
      try await wait(for: "the first task") { session.mailbox.isAwaited }
      first.cancel()
      await expectFailure(.cancelled) { try await first.value }
      isCancelled.open()
      var count = 0
      for try await drop in session.drops {
        count += 1
        try await drop.finish(.copy)
      }
      return count
    }
    #expect(try values(of: outcome).destination == 1)
  }

  @Test func actionThatTheSourceDoesNotAllowIsAnError() async throws {
    let result = try await RawPeer.play { session in
      for try await drop in session.drops {
        await expectFailure(.notAllowed) { try await drop.finish(.copy) }
      }
    } peer: { peer in
      try await peer.say(
        RawPeer.hello, .endOfOffers(generation: 1, itemCount: 0, actions: DropActions(rawValue: 0)), .bye)
    }
    try result.get()
  }

  @Test func acknowledgementPrecedesTheEndOfTheSession() async throws {
    let pair = try DescriptorPair.socketPair()
    let peer = RawPeer(pair.write)
    try await peer.say(RawPeer.hello)
    let hasBegun = Gate()
    let item = ItemProvider(loading: .data) { _ in
      hasBegun.open()
      try await withTaskCancellationHandler {
        try await Task.sleep(for: .seconds(600))
      } onCancel: {
        // The loader takes some time to cancel.
        usleep(100_000)
      }
      return Data()
    }
    try await DropStream.withSession(over: .descriptor(pair.read)) { session in
      // The offering task does not wait for the response yet.
      #expect(try Self.begin(item, in: session) == 1)
      try await peer.say(RawPeer.request(1, credit: 1000))
      await hasBegun.wait()
      async let ended: Void = {
        try await wait(for: "the finish") { session.state.withLock { $0.source.awaitedAction == nil } }
        session.output.send(.bye)
      }()
      try await onThread {
        try session.take(.finish(generation: 1, SessionFinish(action: .copy))) { nil }
      }
      try await ended
    }
    let types = Self.types(of: try await readAll(pair.write))
    let acknowledgement = try #require(types.firstIndex(of: .acknowledgement))
    #expect(acknowledgement < types.firstIndex(of: .bye) ?? 0, "\(types)")
  }

  @Test func finishedOfferServesNoRequestBeforeItsTaskIsNotified() async throws {
    let pair = try DescriptorPair.socketPair()
    try await RawPeer(pair.write).say(RawPeer.hello)
    try await DropStream.withSession(over: .descriptor(pair.read)) { session in
      #expect(try Self.begin(ItemProvider([1]), in: session) == 1)
      try session.state.withLock { _ = try $0.source.finish(1, SessionFinish()) }
      let request = SessionRequest(generation: 1, item: 0, representation: 0, credit: 1000)
      let serving = try session.serving(of: 1, request)
      #expect(serving == nil)
    }
    let types = Self.types(of: try await readAll(pair.write))
    #expect(types.contains(.failureOfRepresentation), "\(types)")
  }

  /// Opens an offer without sending a frame to the peer.
  private static func begin(_ item: ItemProvider, in session: DropSession) throws -> UInt32 {
    let offer = SessionSourceState.Offer(items: [item.representations], size: OfferSize(), actions: .copy)
    return try session.state.withLock { state in
      let generation = try state.source.begin(offer, limits: DropStreamLimits())
      state.source.announce(generation)
      return generation
    }
  }

  private static func types(of bytes: [UInt8]) -> [FrameType] { RawPeer.frames(in: bytes).map(\.type) }

  // MARK: Sessions

  /// It does not matter which side closes first.
  @Test(arguments: SessionCarrierKind.allCases)
  func peerAlwaysReceivesTheReasonOfARejection(_ carrier: SessionCarrierKind) async throws {
    let options = DropStreamOptions.setting { $0.limits.items = 1 }
    for _ in 0..<100 {
      let outcome = try await holdSession(over: carrier, destinationOptions: options) { session in
        try await session.offer([ItemProvider([1]), ItemProvider([2])])
      } destination: { session in
        for try await _ in session.drops {}
      }
      let codes = [outcome.destination.streamError?.code, outcome.source.streamError?.code]
      #expect(codes == [.limitExceeded, .senderFailed])
      #expect(outcome.source.streamError?.reason.contains("more than 1 item at byte") == true)
    }
  }

  @Test func failedSideSendsItsReasonAndKeepsNoDescriptorOpen() async throws {
    // Keeps the drop, since a drop that is released would be refused before the session fails.
    let kept = Collector<IncomingDrop>()
    let pair = try DescriptorPair.socketPair()
    let links = [try link(of: pair.read), try link(of: pair.write)]
    async let source = failureOfOffer(pair.reader)
    await #expect(throws: TestFailure("the table is full")) {
      try await DropStream.withSession(over: pair.writer) { session in
        for try await drop in session.drops {
          kept.add(drop)
          _ = try await drop.items[0].data(for: .data)
          throw TestFailure("the table is full")
        }
      }
    }
    let error = try await source
    #expect(error.senderFailure?.reason.contains("the table is full") == true)
    for link in links { try expectOpenDescriptors(to: link, 0) }
  }

  private func failureOfOffer(_ endpoint: DropEndpoint) async throws -> DropStreamError {
    try await requireDropError(.senderFailed) {
      try await DropStream.withSession(over: endpoint) { try await $0.offer([ItemProvider(pattern(500_000))]) }
    }
  }

  /// A peer that closes in order is not a failure.
  @Test(arguments: SessionCarrierKind.allCases) func deadPeerIsAFailure(_ carrier: SessionCarrierKind) async throws {
    let (near, far) = try carrier.endpoints()
    async let survivor = failureCode {
      try await DropStream.withSession(over: near) { session in for try await _ in session.drops {} }
    }
    // Sends a handshake, and then closes the socket.
    guard let raw = try SessionCarrier.open(far) else { throw TestFailure("no room") }
    let bytes = SessionScript([RawPeer.hello]).bytes
    #expect(try bytes.withUnsafeBytes { try raw.output.writeWithoutWaiting($0) } == bytes.count)
    _ = consume raw
    #expect(await survivor == .peerGone)
  }

  @Test(arguments: SessionCarrierKind.allCases)
  func cancelledSessionEndsOnBothSides(_ carrier: SessionCarrierKind) async throws {
    let (near, far) = try carrier.endpoints()
    let source = Task {
      try await DropStream.withSession(over: near) { try await $0.offer([ItemProvider([1])]) }
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
    await expectFailure(.cancelled) { try await source.value }
    destination.cancel()
    _ = try await finishing("the end of the destination") { await destination.result }
  }
}

/// An object that opens a gate when it is released.
private final class ReleaseReport: Sendable {
  private let gate: Gate

  init(_ gate: Gate) {
    self.gate = gate
  }

  deinit {
    gate.open()
  }
}
