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
    let found = copy.wait(for: generation) { _ in }
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
    let finished = try source.finish(1, SessionFinish(action: .copy, kept: [0]))
    let ended = try #require(finished)
    #expect(ended.task == nil && ended.servings.isEmpty && source.awaitedAction == nil)
    expect(try source.begin(offer(), limits: limits), 2)
    expect(try outcome(1, of: &source)?.get().action, .copy)
    expect(error(outcome(1, of: &source)), .cancelled)
    expect(outcome(2, of: &source) == nil, true)
  }

  @Test func finishesThatContradictTheOfferAreRejected() throws {
    var source = SessionSourceState()
    expect(try source.begin(offer(items: 2, actions: [.copy, .link]), limits: limits), 1)
    // The peer does not know an offer before its end is sent.
    expectDropError { try source.finish(1, SessionFinish(action: .copy, kept: [0])) }
    source.announce(1)
    for (generation, finish) in [
      (1, SessionFinish(action: .move, kept: [0, 1])), (1, SessionFinish(action: .copy, kept: [0, 1, 2])),
      (1, SessionFinish(kept: [0])), (2, SessionFinish()),
    ] as [(UInt32, SessionFinish)] {
      expectDropError { try source.finish(generation, finish) }
    }
    expect(try source.finish(1, SessionFinish(action: .link, kept: [0, 1])) != nil, true)
    // The second finish is too late.
    expect(try source.finish(1, SessionFinish()) == nil, true)
    expect(source.withdraw(1) == nil, true)
    expect(try source.begin(offer(items: 0), limits: limits), 2)
    source.announce(2)
    expectDropError { try source.finish(2, SessionFinish(action: .copy, kept: [0])) }
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
    let atLimit = try destination.recipient(of: 2, byteCount: 5, limit: 5)
    #expect(atLimit?.content === second && atLimit?.isTooLarge == false)
    expect(try destination.recipient(of: 2, byteCount: 0, limit: 5)?.isTooLarge, false)
    let pastLimit = try destination.recipient(of: 1, byteCount: 1, limit: 5)
    #expect(pastLimit?.content === first && pastLimit?.isTooLarge == true)
    expect(destination.endRequest(1), true)
    expect(destination.endRequest(1), false)
    expect(try destination.recipient(of: 1, byteCount: 1, limit: 5) == nil, true)
    expectDropError { try destination.recipient(of: 3, byteCount: 0, limit: 5) }
  }

  @Test func countOfReceivedBytesDoesNotOverflow() throws {
    var destination = SessionDestinationState()
    _ = try destination.request(content)
    for _ in 0..<2 {
      expect(try destination.recipient(of: 1, byteCount: .max, limit: .max)?.isTooLarge, false)
    }
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
    state.isEndedByPeer = true
    #expect(state.visibleFailure == nil)
  }

  @Test func silenceCountsOnlyWhileThisSideWaitsForThePeer() throws {
    var state = SessionState()
    state.peer = SessionHello()
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
