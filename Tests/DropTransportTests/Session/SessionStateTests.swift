// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import ItemTransfer
import TestSupport
import Testing

@testable import DropTransport

/// The state of a session, without threads and frames.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct SessionStateTests {
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
  private func outcome(_ generation: UInt32, of source: inout SessionSourceState) async -> SessionSourceState.Outcome? {
    var found: SessionSourceState.Outcome?
    var copy = source
    _ = await withCheckedContinuation { continuation in
      found = copy.wait(for: generation, as: continuation)
      continuation.resume(returning: .failure(.cancelled))
    }
    if found != nil { source = copy }
    return found
  }

  private func error(_ outcome: SessionSourceState.Outcome?) -> DropStreamError.Code? {
    if case .failure(let error) = outcome { error.code } else { nil }
  }

  // MARK: The source

  @Test func offersAreNumberedUpToTheMaximumOfOpenOffers() throws {
    var source = SessionSourceState()
    for number in 1...UInt32(SessionSourceState.maximumOpenOffers) {
      let generation = try source.begin(offer(), limits: limits)
      #expect(generation == number)
    }
    let error = #expect(throws: DropStreamError.self) { () throws in try source.begin(offer(), limits: limits) }
    #expect(error?.code == .limitExceeded)
    let withdrawn = source.withdraw(7)
    #expect(withdrawn != nil)
    let next = try source.begin(offer(), limits: limits)
    #expect(next == UInt32(SessionSourceState.maximumOpenOffers) + 1)
  }

  @Test func aFinishedOfferKeepsItsOutcomeForItsTaskButNotItsSize() async throws {
    var source = SessionSourceState()
    var limits = limits
    limits.openOfferBytes = 10
    let first = try source.begin(offer(), limits: limits)
    #expect(first == 1)
    #expect(throws: DropStreamError.self) { () throws in try source.begin(offer(), limits: limits) }
    #expect(source.awaitedAction == "a request")
    guard case .finished(_, nil, let servings) = source.finish(1, SessionFinish(action: .copy, kept: [0])) else {
      Issue.record("the finish was not accepted")
      return
    }
    #expect(servings.isEmpty)
    #expect(source.awaitedAction == nil)
    let second = try source.begin(offer(), limits: limits)
    #expect(second == 2)
    #expect(try await outcome(1, of: &source)?.get().action == .copy)
    #expect(error(await outcome(1, of: &source)) == .cancelled)
    #expect(await outcome(2, of: &source) == nil)
  }

  @Test func finishesThatContradictTheOfferAreRejected() throws {
    var source = SessionSourceState()
    let generation = try source.begin(offer(items: 2, actions: [.copy, .link]), limits: limits)
    #expect(generation == 1)
    for finish in [
      SessionFinish(action: .move, kept: [0, 1]), SessionFinish(action: .copy, kept: [0, 1, 2]),
      SessionFinish(kept: [0]),
    ] {
      guard case .contradictsOffer = source.finish(1, finish) else {
        Issue.record("accepted: \(finish)")
        continue
      }
    }
    guard case .contradictsOffer = source.finish(2, SessionFinish()) else {
      Issue.record("accepted for an offer that was never made")
      return
    }
    guard case .finished = source.finish(1, SessionFinish(action: .link, kept: [0, 1])) else {
      Issue.record("refused")
      return
    }
    guard case .tooLate = source.finish(1, SessionFinish()) else {
      Issue.record("accepted twice")
      return
    }
    let withdrawn = source.withdraw(1)
    #expect(withdrawn == nil)
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
    #expect(throws: DropStreamError.self) { () throws in try full.open(65, size: size, limits: limits) }
    let wasOpen = destination.close(1)
    #expect(wasOpen)
    let isStillOpen = destination.close(1)
    #expect(!isStillOpen)
    size.bytes = 2
    #expect(throws: DropStreamError.self) { () throws in try destination.open(65, size: size, limits: limits) }
  }

  @Test func framesAreAssignedToTheirRequests() throws {
    var destination = SessionDestinationState()
    let first = try destination.request(content)
    let second = try destination.request(content)
    #expect((first.number, second.number) == (1, 2))
    #expect(first.window == SessionDestinationState.sharedCredit)
    #expect(second.window == SessionDestinationState.sharedCredit / 2)
    guard case .content(let found) = destination.recipient(of: 2, byteCount: 5, limit: 5), found === second else {
      Issue.record("at the limit")
      return
    }
    guard case .content = destination.recipient(of: 2, byteCount: 0, limit: 5) else {
      Issue.record("no further byte")
      return
    }
    guard case .tooLarge(let excess) = destination.recipient(of: 1, byteCount: 1, limit: 5), excess === first else {
      Issue.record("one past the limit")
      return
    }
    let wasInProgress = destination.endRequest(1)
    #expect(wasInProgress)
    let isStillInProgress = destination.endRequest(1)
    #expect(!isStillInProgress)
    guard case .cancelled = destination.recipient(of: 1, byteCount: 1, limit: 5) else {
      Issue.record("a request that was cancelled")
      return
    }
    guard case .neverRequested = destination.recipient(of: 3, byteCount: 0, limit: 5) else {
      Issue.record("a request that was never made")
      return
    }
  }

  @Test func countOfReceivedBytesDoesNotOverflow() throws {
    var destination = SessionDestinationState()
    _ = try destination.request(content)
    for _ in 0..<2 {
      guard case .content = destination.recipient(of: 1, byteCount: .max, limit: .max) else {
        Issue.record("the limit is the largest number")
        return
      }
    }
  }

  // MARK: The session

  @Test func onlyTheFirstErrorEndsASession() async throws {
    var state = SessionState()
    let generation = try state.source.begin(offer(), limits: limits)
    #expect(generation == 1)
    _ = try state.destination.request(content)
    let stopped = state.stop(DropStreamError(.peerGone, "the first"))
    let remains = try #require(stopped)
    #expect(remains.isBeforeHandshake)
    #expect(remains.destination.contents.map(\.number) == [1])
    let secondRemains = state.stop(DropStreamError(.closed, "the second"))
    #expect(secondRemains == nil)
    #expect(state.failure?.code == .peerGone)
    #expect(throws: DropStreamError.self) { () throws in try state.checkIsOpen() }
    #expect(error(await outcome(1, of: &state.source)) == .peerGone)
    #expect(state.visibleFailure?.code == .peerGone)
    state.endByPeer()
    #expect(state.visibleFailure == nil)
  }

  @Test func silenceCountsOnlyWhileThisSideWaitsForThePeer() throws {
    var state = SessionState()
    state.takeHandshake(SessionHello())
    let start = ContinuousClock.now
    let limit = Duration.milliseconds(500)
    func overdue(after time: Duration, waitingDrops: Int = 0, isOfferAwaited: Bool = false) -> String? {
      state.overdueAction(
        at: start + time, since: start, limit: limit, waitingDrops: waitingDrops, isOfferAwaited: isOfferAwaited)
    }
    // At first, this side does not wait for the peer. From the second check on, a task waits for an offer.
    #expect(overdue(after: .milliseconds(900)) == nil)
    #expect(overdue(after: .milliseconds(1000), isOfferAwaited: true) == nil)
    #expect(overdue(after: .milliseconds(1500), isOfferAwaited: true) == nil)
    #expect(overdue(after: .milliseconds(1501), isOfferAwaited: true) == "an offer")
    // While the program has a drop open, the peer waits for this side, so the peer is not overdue.
    try state.destination.open(1, size: OfferSize(), limits: limits)
    #expect(overdue(after: .milliseconds(2100), isOfferAwaited: true) == nil)
    let frame = state.keepAlive(at: start + .seconds(2), waitingDrops: 0)
    #expect(frame != nil)
    let repeatedFrame = state.keepAlive(at: start + .seconds(2), waitingDrops: 0)
    #expect(repeatedFrame == nil)
    let idleFrame = state.keepAlive(at: start + .seconds(4), waitingDrops: 1)
    #expect(idleFrame == nil)
  }
}
