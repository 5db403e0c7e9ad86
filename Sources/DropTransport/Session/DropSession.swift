// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
public import ItemTransfer
internal import Synchronization

/// A session in which two processes offer items to each other and load them on request.
///
/// Each side may make any number of offers. An offer is a promise: no content is created before the destination
/// requests it. Received content is complete and verified, or the load throws an error. In the end, the destination
/// reports the items that it kept and its action. The source waits for this report.
///
/// ```swift
/// // the source                                        // the destination
/// try await DropStream.withSession(over: endpoint) {   try await DropStream.withSession(over: endpoint) {
///   let receipt = try await $0.offer(                    for try await drop in $0.drops {
///     [ItemProvider(hero)], allowing: [.copy, .move])      let hero = try await drop.items[0].value(as: Hero.self)
///   if receipt.action == .move { heroes.remove(hero) }     try await drop.finish(.move)
/// }                                                    } }
/// ```
///
/// Each side has at most 32 loads in progress; further loads wait. Loaders on both sides that load from the same
/// session can deadlock when they occupy all loads. With ``DropStreamOptions/idleTimeout``, such loads fail.
///
/// ``DropStream/withSession(over:options:isolation:_:)`` creates a session.
public final class DropSession: Sendable {
  /// The maximum number of open offers of each side.
  static let maximumOpenOffers = 64
  /// The maximum number of running loaders, including loaders of cancelled requests.
  static let maximumRunning = 256
  /// The interval of progress reports and idle timeout checks.
  static let tick = Duration.milliseconds(100)
  /// The intervals of keep-alive frames: for a side that works on an offer, and for an idle side.
  static let (busyInterval, idleInterval) = (Duration.seconds(1), Duration.seconds(60))
  /// The interval of clock checks on an idle side.
  static let idleTick = Duration.seconds(30)
  /// The credit in bytes that all requests of one side share, and the minimum credit of a request.
  static let (windowsTogether, leastWindow): (UInt64, UInt64) = (4 << 20, 512 << 10)

  /// An offer of this side that the peer has not finished.
  struct OwnOffer {
    var items: [[ItemRepresentation]]
    var size: OfferSize
    var actions: DropActions
    /// Called with each failure to create content of the offer.
    var onFailure: @Sendable (DropStreamError) -> Void = { _ in }
    var answer: CheckedContinuation<Result<SessionFinish, DropStreamError>, Never>?
    /// The result that arrived before a task waited for it.
    var early: Result<SessionFinish, DropStreamError>?
  }

  /// A task that waits for the source's acknowledgement, and the start of the wait.
  struct Finishing {
    var answer: CheckedContinuation<Result<Bool, DropStreamError>, Never>
    var start = ContinuousClock.now
  }

  struct State {
    var peer: SessionHello?
    /// The content of this side's requests.
    var contents: [UInt32: SessionContent] = [:]
    var lastRequest: UInt32 = 0
    /// The total number of content bytes received.
    var receivedBytes: UInt64 = 0
    /// The responses to the peer's requests.
    var servings: [UInt32: SessionServing] = [:]
    /// The running responses, including cancelled ones whose loaders still run.
    var running: [UInt32: SessionServing] = [:]
    var offers: [UInt32: OwnOffer] = [:]
    var lastGeneration: UInt32 = 0
    /// The peer's offers that this side has not finished.
    var openDrops: [UInt32: OfferSize] = [:]
    /// Finished offers of the peer without an acknowledgement yet.
    var finishing: [UInt32: Finishing] = [:]
    /// Whether the peer has requested something.
    var hasServed = false
    /// The time when this side last sent a keep-alive frame.
    var lastKeepAlive = ContinuousClock.now
    var wait = SessionWait()
    /// The reason why the session accepts no more requests and offers.
    var failure: DropStreamError?
    /// Whether the peer has sent its close frame.
    var isEndedByPeer = false
  }

  let state = Lock(State())
  let output: SessionOutput
  let options: DropStreamOptions
  let handsDescriptors: Bool
  /// The longest wait for the peer's handshake.
  let handshakeTimeout: Duration
  /// The longest wait for a peer without a sign of life if the program has set no idle timeout; `nil` for no limit.
  let silenceTimeout: Duration?
  let start = ContinuousClock.now
  /// Opens when the peer's handshake has arrived or the session has failed.
  let greeting = Latch()
  /// The number of concurrent requests that the peer allows; 0 before its handshake.
  let permits = AsyncSemaphore(permits: 0)
  /// Serializes offers: the frames of an offer are contiguous, and offers follow the order of their generations.
  private let offerTurns = AsyncSemaphore()
  /// Open offers of the peer that the program has not taken.
  let mailbox = Mailbox<SessionOffer>()

  /// The credentials of the peer, if the carrier is a local socket and a process of this user created its other end.
  public let peer: PeerCredentials?
  /// The identifier of the process that was started for the session, if any.
  package let childProcessIdentifier: Int32?
  /// The visibility level of the peer.
  ///
  /// Representations that are not visible at this level are not offered.
  public let audience: ItemVisibility

  init(
    output: SessionOutput, options: DropStreamOptions, handsDescriptors: Bool, handshakeTimeout: Duration,
    silenceTimeout: Duration? = nil, peer: PeerCredentials?, audience: ItemVisibility,
    childProcessIdentifier: Int32? = nil
  ) {
    self.childProcessIdentifier = childProcessIdentifier
    self.output = output
    self.handshakeTimeout = handshakeTimeout
    self.silenceTimeout = silenceTimeout
    self.options = options
    self.handsDescriptors = handsDescriptors
    self.peer = peer
    self.audience = audience
  }

  /// The offers of the peer, as one drop for each offer.
  ///
  /// The sequence is a single pass. It ends when the peer ends the session. It skips offers that are withdrawn before
  /// the program takes them.
  public var drops: Drops { Drops(session: self) }

  /// Offers items and waits until the destination has finished with them.
  ///
  /// A loader runs in its own task when the destination requests its representation. Several offers may be open at
  /// once. Cancelling the task withdraws the offer: its loads end, and the destination is notified.
  ///
  /// - Parameters:
  ///   - items: The items. Only their representations that are visible to the peer are offered.
  ///   - actions: The actions that the destination may take.
  ///   - onFailure: Called on any thread with each failure to create content for the destination. Failures that the
  ///     destination received before its finish are reported before this function returns.
  /// - Returns: The kept items and the action of the destination. Remove only items that were moved and kept.
  /// - Throws: `refused` with the destination's reason if it kept nothing. `peerGone`, `timedOut` and similar errors if
  ///   the session has failed; the kept items are then unknown. `cancelled`. `limitExceeded` above the limit of open
  ///   offers (``DropStreamLimits/openOfferBytes``).
  public func offer(
    _ items: [ItemProvider], allowing actions: DropActions = .copy,
    onFailure: @escaping @Sendable (DropStreamError) -> Void = { _ in }
  ) async throws(DropStreamError) -> DropReceipt {
    let visible = items.map { $0.representations(visibleTo: audience) }
    var offers: [DropOffer] = []
    var size = OfferSize()
    for (item, representations) in zip(items, visible) {
      let offer = try DropOffer(
        suggestedName: item.suggestedName, attributes: item.fileAttributes, representations, limits: options.limits,
        forSession: true)
      size += OfferSize(of: offer, bytes: offer.maximumLength)
      offers.append(offer)
    }
    let generation = try await send(
      offers, of: OwnOffer(items: visible, size: size, actions: actions, onFailure: onFailure))
    let finish = try await answer(to: generation)
    guard let action = finish.action else {
      let refusal = finish.refusal ?? SenderFailure(kind: .cancelled, reason: "")
      throw DropStreamError(
        .refused, "the destination did not take it" + refusal.words, senderFailure: finish.refusal)
    }
    return DropReceipt(action: action, keptItems: finish.kept.flatMap { $0.map { Int($0) } })
  }

  private func send(_ offers: [DropOffer], of own: OwnOffer) async throws(DropStreamError) -> UInt32 {
    guard await offerTurns.wait() else { throw .cancelled }
    defer { offerTurns.signal() }
    let generation = try begin(own)
    var count: UInt32 = 0
    for offer in offers {
      let frame = OutgoingFrame.offer(offer, generation: generation)
      guard await output.room(for: frame.payloadLength) else {
        // The semaphore is still held: a partial offer is withdrawn before another offer begins.
        if Task.isCancelled { withdraw(generation, SenderFailure(kind: .cancelled, reason: "")) }
        return generation
      }
      output.send(frame, hasRoom: true)
      count += 1
    }
    output.send(.endOfOffers(generation: generation, itemCount: count, actions: own.actions))
    return generation
  }

  private func begin(_ offer: OwnOffer) throws(DropStreamError) -> UInt32 {
    let generation: Result<UInt32, DropStreamError> = state.withLock { state in
      if let failure = state.failure { return .failure(failure) }
      guard state.offers.count < Self.maximumOpenOffers, state.lastGeneration < .max else {
        return .failure(DropStreamError(.limitExceeded, "more than \(Self.maximumOpenOffers) offers at once"))
      }
      // The peer no longer counts offers that it has finished.
      let open = state.offers.values.filter { $0.early == nil }.map(\.size) + [offer.size]
      if let excess = open.sum.excess(over: options.limits) {
        return .failure(DropStreamError(.limitExceeded, excess))
      }
      state.lastGeneration += 1
      state.offers[state.lastGeneration] = offer
      return .success(state.lastGeneration)
    }
    return try generation.get()
  }

  private func answer(to generation: UInt32) async throws(DropStreamError) -> SessionFinish {
    let answer = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let early: Result<SessionFinish, DropStreamError>? = state.withLock { state in
          guard let offer = state.offers[generation] else { return .failure(.cancelled) }
          if let early = offer.early {
            state.offers[generation] = nil
            return early
          }
          state.offers[generation]?.answer = continuation
          return nil
        }
        if let early { continuation.resume(returning: early) }
      }
    } onCancel: {
      withdraw(generation, SenderFailure(kind: .cancelled, reason: ""))
    }
    return try answer.get()
  }

  /// Withdraws an offer, unless the destination has finished with it.
  private func withdraw(_ generation: UInt32, _ reason: SenderFailure) {
    let (offer, servings) = state.withLock { state -> (OwnOffer?, [SessionServing]) in
      guard let offer = state.offers[generation], offer.early == nil else { return (nil, []) }
      state.offers[generation] = nil
      // Inside the lock: an offer that uses the freed capacity must follow the withdrawal.
      output.enqueue(.withdrawal(generation: generation, reason))
      return (offer, state.takeServings(of: generation))
    }
    guard let offer else { return }
    output.writeEnqueued()
    for serving in servings {
      serving.cancel()
      output.send(.failure(number: serving.number, SenderFailure(kind: .withdrawn, reason: "")))
    }
    offer.answer?.resume(returning: .failure(.cancelled))
  }
}

extension DropSession.State {
  mutating func takeServings(of generation: UInt32) -> [SessionServing] {
    let found = servings.values.filter { $0.request.generation == generation }
    for serving in found { servings[serving.number] = nil }
    return found
  }
}
