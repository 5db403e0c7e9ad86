// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import ItemTransfer
import TestSupport
import Testing

@testable import DropTransport

/// Compares the result of a mutating call, which `#expect` does not accept.
private func expect<Value: Equatable>(_ value: Value, _ expected: Value, at location: SourceLocation = #_sourceLocation)
{
  #expect(value == expected, sourceLocation: location)
}

/// The name of an enumeration's case, without its values.
private func name(_ value: some Any) -> String { String("\(value)".prefix { $0.isLetter }) }

/// The state of a session, without threads and frames.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct SessionStateTests {
  private let limits = DropStreamLimits()

  private func offer(items: Int = 1, bytes: Int = 10, actions: DropActions = .copy) -> SessionSourceState.Offer {
    var size = OfferSize()
    size.bytes = bytes
    return SessionSourceState.Offer(items: Array(repeating: [], count: items), size: size, actions: actions)
  }

  private func content(_ number: UInt32, _ credit: UInt64) -> SessionContent {
    SessionContent(number: number, window: credit, progress: ItemProgress())
  }

  /// Returns the outcome that a task finds if it begins to wait now, or `nil` if it would have to wait.
  private func outcome(_ generation: UInt32, of source: inout SessionSourceState) -> SessionSourceState.Outcome? {
    var copy = source
    let found = copy.wait(for: generation, as: SessionWaiter { _ in })
    if found != nil { source = copy }
    return found
  }

  private func error(_ outcome: SessionSourceState.Outcome?) -> DropStreamError.Code? {
    if case .failure(let error) = outcome { error.code } else { nil }
  }

  // MARK: The source

  @Test func offersAreNumberedUpToTheMaximumOfOpenOffers() throws {
    var source = SessionSourceState()
    let maximum = UInt32(SessionSourceState.maximumOpenOffers)
    for number in 1...maximum { expect(try source.begin(offer(), limits: limits), number) }
    let error = #expect(throws: DropStreamError.self) { () throws in try source.begin(offer(), limits: limits) }
    #expect(error?.code == .limitExceeded)
    expect(source.withdraw(7) != nil, true)
    expect(try source.begin(offer(), limits: limits), maximum + 1)
  }

  @Test func aFinishedOfferKeepsItsOutcomeForItsTaskButNotItsSize() async throws {
    var source = SessionSourceState()
    var limits = limits
    limits.openOfferBytes = 10
    expect(try source.begin(offer(), limits: limits), 1)
    expectDropError { try source.begin(offer(), limits: limits) }
    #expect(source.awaitedAction == "a request")
    source.announce(1)
    guard case .finished(_, nil, let servings) = source.finish(1, SessionFinish(action: .copy, kept: [0])) else {
      Issue.record("the finish was not accepted")
      return
    }
    #expect(servings.isEmpty && source.awaitedAction == nil)
    expect(try source.begin(offer(), limits: limits), 2)
    expect(try outcome(1, of: &source)?.get().action, .copy)
    expect(error(outcome(1, of: &source)), .cancelled)
    expect(outcome(2, of: &source) == nil, true)
  }

  @Test func finishesThatContradictTheOfferAreRejected() throws {
    var source = SessionSourceState()
    expect(try source.begin(offer(items: 2, actions: [.copy, .link]), limits: limits), 1)
    // The peer does not know an offer before its end is sent.
    expect(name(source.finish(1, SessionFinish(action: .copy, kept: [0]))), "contradictsOffer")
    source.announce(1)
    for (generation, finish, result) in [
      (1, SessionFinish(action: .move, kept: [0, 1]), "contradictsOffer"),
      (1, SessionFinish(action: .copy, kept: [0, 1, 2]), "contradictsOffer"),
      (1, SessionFinish(kept: [0]), "contradictsOffer"),
      (2, SessionFinish(), "contradictsOffer"),
      (1, SessionFinish(action: .link, kept: [0, 1]), "finished"),
      (1, SessionFinish(), "tooLate"),
    ] as [(UInt32, SessionFinish, String)] {
      expect(name(source.finish(generation, finish)), result)
    }
    expect(source.withdraw(1) == nil, true)
    expect(try source.begin(offer(items: 0), limits: limits), 2)
    source.announce(2)
    expect(name(source.finish(2, SessionFinish(action: .copy, kept: [0]))), "contradictsOffer")
  }

  // MARK: The destination

  @Test func openDropsAreLimitedInNumberAndSize() throws {
    var destination = SessionDestinationState()
    var limits = limits
    limits.openOfferBytes = 64
    var size = OfferSize()
    size.bytes = 1
    for generation in 1...UInt32(SessionSourceState.maximumOpenOffers) {
      try destination.open(generation, size: size, limits: limits)
    }
    #expect(destination.openDropCount == 64)
    var full = destination
    expectDropError { try full.open(65, size: size, limits: limits) }
    expect(destination.close(1), true)
    expect(destination.close(1), false)
    size.bytes = 2
    expectDropError { try destination.open(65, size: size, limits: limits) }
  }

  @Test func framesAreAssignedToTheirRequests() throws {
    var destination = SessionDestinationState()
    let first = try destination.request(content)
    let second = try destination.request(content)
    #expect((first.number, second.number) == (1, 2) && first.window == SessionDestinationState.sharedCredit)
    #expect(second.window == SessionDestinationState.sharedCredit / 2)
    guard case .content(let found) = destination.recipient(of: 2, byteCount: 5, limit: 5), found === second else {
      Issue.record("at the limit")
      return
    }
    expect(name(destination.recipient(of: 2, byteCount: 0, limit: 5)), "content")
    guard case .tooLarge(let excess) = destination.recipient(of: 1, byteCount: 1, limit: 5), excess === first else {
      Issue.record("one past the limit")
      return
    }
    expect(destination.endRequest(1), true)
    expect(destination.endRequest(1), false)
    expect(name(destination.recipient(of: 1, byteCount: 1, limit: 5)), "cancelled")
    expect(name(destination.recipient(of: 3, byteCount: 0, limit: 5)), "neverRequested")
  }

  @Test func countOfReceivedBytesDoesNotOverflow() throws {
    var destination = SessionDestinationState()
    _ = try destination.request(content)
    for _ in 0..<2 { expect(name(destination.recipient(of: 1, byteCount: .max, limit: .max)), "content") }
  }

  // MARK: The session

  @Test func onlyTheFirstErrorEndsASession() async throws {
    var state = SessionState()
    expect(try state.source.begin(offer(), limits: limits), 1)
    _ = try state.destination.request(content)
    let stopped = state.stop(DropStreamError(.peerGone, "the first"))
    let remains = try #require(stopped)
    #expect(remains.isBeforeHandshake && remains.destination.contents.map(\.number) == [1])
    expect(state.stop(DropStreamError(.closed, "the second")) == nil, true)
    #expect(state.failure?.code == .peerGone)
    expectDropError { try state.checkIsOpen() }
    expect(error(outcome(1, of: &state.source)), .peerGone)
    #expect(state.visibleFailure?.code == .peerGone)
    state.endByPeer()
    #expect(state.visibleFailure == nil)
  }

  @Test func silenceCountsOnlyWhileThisSideWaitsForThePeer() throws {
    var state = SessionState()
    state.takeHandshake(SessionHello())
    let start = ContinuousClock.now
    func overdue(after milliseconds: Int, isOfferAwaited: Bool = true) -> String? {
      state.overdueAction(
        at: start + .milliseconds(milliseconds), since: start, limit: .milliseconds(500), waitingDrops: 0,
        isOfferAwaited: isOfferAwaited)
    }
    // At first, this side does not wait for the peer. From the second check on, a task waits for an offer.
    #expect(overdue(after: 900, isOfferAwaited: false) == nil && overdue(after: 1000) == nil)
    #expect(overdue(after: 1500) == nil && overdue(after: 1501) == "an offer")
    // While the program has a drop open, the peer waits for this side, so the peer is not overdue.
    try state.destination.open(1, size: OfferSize(), limits: limits)
    #expect(overdue(after: 2100) == nil)
    expect(state.keepAlive(at: start + .seconds(2), waitingDrops: 0) != nil, true)
    expect(state.keepAlive(at: start + .seconds(2), waitingDrops: 0) == nil, true)
    expect(state.keepAlive(at: start + .seconds(4), waitingDrops: 1) == nil, true)
  }
}
