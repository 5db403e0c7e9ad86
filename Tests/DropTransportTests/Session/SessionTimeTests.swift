// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// Timeouts of a session, with a clock that the test controls.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct SessionTimeTests {
  /// A session without a reading thread.
  private final class Bench: Sendable {
    let session: DropSession
    private let peer: CInt
    private let start: ContinuousClock.Instant

    init(
      idleTimeout: Duration? = .seconds(60), silenceTimeout: Duration? = nil, startedBefore age: Duration = .zero,
      _ messages: SessionMessage...
    ) throws {
      start = .now - age
      let pair = try DescriptorPair.socketPair()
      peer = pair.write
      let descriptor = try StreamDescriptor(
        OwnedDescriptor(pair.read), access: O_WRONLY, interrupt: Interrupt(), idleTimeout: nil)
      let options = DropStreamOptions.setting { $0.idleTimeout = idleTimeout }
      session = DropSession(
        output: SessionOutput(descriptor, idleTimeout: nil) { _ in }, options: options, handsDescriptors: false,
        handshakeTimeout: .seconds(30), silenceTimeout: silenceTimeout, peer: nil, audience: .all)
      for message in messages { try hear(message) }
    }

    deinit { close(peer) }

    func hear(_ message: SessionMessage) throws { _ = try session.take(message) { nil } }

    /// Advances the clock in steps of ten seconds.
    ///
    /// The peer's last byte arrived at second `byte`, its last message at `word`.
    func pass(_ seconds: ClosedRange<Int>, byte: Int = 0, word: Int = 0) {
      var signs = SessionSigns()
      (signs.byte, signs.word) = (start + .seconds(byte), start + .seconds(word))
      for second in stride(from: seconds.lowerBound, through: seconds.upperBound, by: 10) {
        session.passTime(to: start + .seconds(second), signs: signs)
      }
    }

    var failure: DropStreamError? { session.state.withLock { $0.failure } }

    func expectNoFailure(sourceLocation: SourceLocation = #_sourceLocation) {
      #expect(failure == nil, sourceLocation: sourceLocation)
    }

    /// Expects that the session has failed, and so has the operation.
    func expect<Value>(
      _ failure: String, of operation: Task<Value, any Error>, sourceLocation: SourceLocation = #_sourceLocation
    ) async {
      #expect(self.failure?.description == failure, sourceLocation: sourceLocation)
      #expect(await failureCode { try await operation.value } == .timedOut, sourceLocation: sourceLocation)
    }

    /// Expects the flags of the keep-alives that were sent.
    func expect(keepAlives: [FrameFlags], sourceLocation: SourceLocation = #_sourceLocation) {
      var bytes = [UInt8](repeating: 0, count: 1 << 16)
      let count = recv(peer, &bytes, bytes.count, CInt(MSG_PEEK | MSG_DONTWAIT))
      let sent = RawPeer.frames(in: bytes.prefix(max(0, count))).filter { $0.type == .keepAlive }.map(\.flags)
      #expect(sent == keepAlives, sourceLocation: sourceLocation)
    }

    /// Offers an item, and returns when the offer waits for its end.
    func offer(_ item: ItemProvider) async throws -> Task<DropReceipt, any Error> {
      let task = Task { [session] in try await session.offer([item]) }
      try await wait(for: "the offer") { session.state.withLock { $0.source.awaitedAction != nil } }
      return task
    }

    /// Returns the first offer of the peer.
    func drop() async throws -> IncomingDrop {
      var drops = session.drops.makeAsyncIterator()
      return try #require(try await drops.next())
    }
  }

  private static let hello = SessionMessage.hello(SessionHello())
  private static let theirOffer = SessionMessage.offer(
    SessionOffer(generation: 1, items: [SessionScript.offer], actions: .copy))

  private static func request(credit: UInt64) -> SessionMessage {
    .request(number: 1, SessionRequest(generation: 1, item: 0, representation: 0, credit: credit))
  }

  @Test func timeoutNamesAMissingHandshakeFirst() throws {
    let bench = try Bench()
    bench.pass(1...61)
    #expect(bench.failure?.description == "no handshake from the peer within 30.0 seconds")
  }

  @Test func timeoutNamesTheWaitForAnOffer() async throws {
    let bench = try Bench(Self.hello)
    let waiting = Task { for try await _ in bench.session.drops {} }
    try await wait(for: "a task that waits") { bench.session.mailbox.isAwaited }
    bench.pass(1...55)
    bench.expectNoFailure()
    bench.pass(61...91)
    await bench.expect("waiting for an offer: the peer sent nothing for 60.0 seconds", of: waiting)
  }

  @Test(
    arguments: [
      (nil, "a request"), (1000, "the receiver to finish the offer"), (10, "the receiver to accept more content"),
    ] as [(UInt64?, String)])
  func timeoutNamesTheWaitOfAnOffer(credit: UInt64?, awaited: String) async throws {
    let bench = try Bench(Self.hello)
    let offer = try await bench.offer(ItemProvider(pattern(100)))
    if let credit {
      try bench.hear(Self.request(credit: credit))
      try await wait(for: "the content, or the use of all credit") {
        bench.session.state.withLock { credit > 100 ? !$0.source.isServing : $0.source.allServingsAwaitCredit }
      }
    }
    bench.pass(1...91)
    await bench.expect("waiting for \(awaited): the peer sent nothing for 60.0 seconds", of: offer)
  }

  @Test func timeoutNamesTheWaitForContentAndForTheAcknowledgement() async throws {
    let bench = try Bench(Self.hello, Self.theirOffer)
    let drop = try await bench.drop()
    let load = Task { try await drop.bytes(0..<10, of: .plainText, ofItem: 0) }
    let later = ContinuousClock.Instant.now + .seconds(600)
    try await wait(for: "the request") {
      bench.session.state.withLock { $0.destination.requestedContents.contains { $0.isIdle(for: .zero, at: later) } }
    }
    bench.pass(1...91)
    let error = try await requireDropError(.timedOut) { try await load.value }
    #expect(error.description == "waiting for content: no byte was transferred within 60.0 seconds")
    // The session continues, since its peer may only have been slow with this message.
    bench.expectNoFailure()
    let finish = Task { try await drop.finish(.copy) }
    try await wait(for: "the finish") {
      bench.session.state.withLock { !$0.destination.lateFinishes(at: later, limit: .zero).isEmpty }
    }
    bench.pass(91...181)
    let unconfirmed = try await requireDropError(.timedOut) { try await finish.value }
    #expect(unconfirmed.description == "waiting for the acknowledgement: the peer sent nothing for 60.0 seconds")
  }

  @Test func cancelledFinishDoesNotWaitForTheAcknowledgement() async throws {
    let bench = try Bench(Self.hello, Self.theirOffer)
    let drop = try await bench.drop()
    let finish = Task { try await drop.finish(.copy) }
    let later = ContinuousClock.Instant.now + .seconds(600)
    try await wait(for: "the finish") {
      bench.session.state.withLock { !$0.destination.lateFinishes(at: later, limit: .zero).isEmpty }
    }
    finish.cancel()
    await expectFailure(.cancelled) { try await finish.value }
  }

  @Test func ownWorkDoesNotCountAsSilenceOfThePeer() async throws {
    let bench = try Bench(Self.hello)
    let done = Gate()
    let item = ItemProvider(loading: .data) { _ in
      await done.wait()
      return Data()
    }
    let offer = try await bench.offer(item)
    try bench.hear(Self.request(credit: 10))
    bench.pass(1...1001)
    bench.expectNoFailure()
    done.open()
    try await wait(for: "the content") { bench.session.state.withLock { !$0.source.isServing } }
    // From the first tick on, the session waits for the peer.
    bench.pass(1011...1061)
    bench.expectNoFailure()
    bench.pass(1071...1081)
    await expectFailure(.timedOut) { try await offer.value }

    let receiver = try Bench(Self.hello, Self.theirOffer)
    let drop = try await receiver.drop()
    receiver.pass(1...1001)
    receiver.expectNoFailure()
    withExtendedLifetime(drop) {}
  }

  @Test func workingPeerDoesNotTimeOut() async throws {
    let bench = try Bench(Self.hello)
    let offer = try await bench.offer(ItemProvider([1]))
    for second in stride(from: 1, through: 1001, by: 50) { bench.pass(second...second, byte: second, word: second) }
    bench.expectNoFailure()
    // Keep-alive frames of an idle peer do not count as progress.
    bench.pass(1002...1092, byte: 1092, word: 1001)
    await expectFailure(.timedOut) { try await offer.value }
  }

  /// The content is written at second 600.
  @Test func contentThatThePeerTakesShowsThatItIsAlive() async throws {
    let bench = try Bench(startedBefore: .seconds(600), Self.hello)
    let offer = try await bench.offer(ItemProvider(pattern(100)))
    try bench.hear(Self.request(credit: 1000))
    try await wait(for: "the content") { bench.session.state.withLock { !$0.source.isServing } }
    bench.pass(581...651)
    bench.expectNoFailure()
    bench.pass(661...1271)
    await expectFailure(.timedOut) { try await offer.value }
  }

  @Test func listenersWaitForPeersThatSendKeepAlives() async throws {
    let bench = try Bench(idleTimeout: nil, silenceTimeout: DropListener.defaultSilenceTimeout, Self.hello)
    let offer = try await bench.offer(ItemProvider([1]))
    bench.pass(1...1001, byte: 1001)
    bench.expectNoFailure()
    bench.pass(1011...1311, byte: 1001)
    await bench.expect("waiting for a request: the peer sent nothing for 300.0 seconds", of: offer)
  }

  @Test func stoppedProcessRestartsTheWait() {
    let start = ContinuousClock.now
    var state = SessionState()
    let overdue = [0, 1000, 1060, 1061].map { second in
      state.overdueAction(
        at: start + .seconds(second), since: start, limit: .seconds(60), waitingDrops: 0, isOfferAwaited: true)
    }
    #expect(overdue == [nil, nil, nil, "an offer"])
  }

  @Test func keepAlivesReportADropInProgress() async throws {
    let bench = try Bench(idleTimeout: nil, Self.hello, Self.theirOffer)
    bench.pass(31...31)
    bench.expect(keepAlives: [])
    bench.pass(61...61)
    // The offer waits, and no task works on it.
    bench.expect(keepAlives: [[]])
    var drop: IncomingDrop? = try await bench.drop()
    bench.pass(62...62)
    bench.expect(keepAlives: [[], .busy])
    withExtendedLifetime(drop) {}
    drop = nil
    bench.pass(63...63)
    bench.expect(keepAlives: [[], .busy])
    bench.pass(123...123)
    bench.expect(keepAlives: [[], .busy, []])
  }

  @Test func keepAlivesDoNotChangeTheMessages() {
    let frames: [OutgoingFrame] = [
      .keepAlive(isBusy: false), RawPeer.hello, .keepAlive(isBusy: true), .keepAlive(isBusy: false), .bye,
    ]
    let meaning = SessionScript.meaning(of: SessionScript(frames).bytes)
    #expect(meaning == SessionScript.meaning(of: SessionScript([RawPeer.hello, .bye]).bytes))
  }
}
