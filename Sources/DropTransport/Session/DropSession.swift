// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
public import ItemTransfer
internal import Synchronization

/// A session in which two processes offer items to each other and load them on request.
///
/// Each side may make any number of offers, of which 64 may be open at once. An offer is a promise: no content is
/// created before the destination requests it. Received content is complete and verified, or the load throws an error.
/// Only files of the source that arrive as open descriptors (``IncomingDrop/uncheckedTypes(ofItem:)``) are not
/// verified. In the end, the destination reports the items that it kept and its action. The source waits for this
/// report.
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
/// Each side has at most 32 loads in progress; further loads wait. If loaders on both sides load from the same session,
/// they can deadlock when all these loads are in use. With ``DropStreamOptions/idleTimeout``, such loads fail.
///
/// ``DropStream/withSession(over:options:isolation:_:)`` creates a session.
public final class DropSession: Sendable {
  /// The interval of progress reports and idle timeout checks.
  static let tick = Duration.milliseconds(100)
  /// The interval of clock checks on an idle side without an idle timeout.
  static let idleTick = Duration.seconds(30)

  let state = Lock(SessionState())
  let output: SessionOutput
  let options: DropStreamOptions
  let handsDescriptors: Bool
  /// The longest wait for the peer's handshake.
  let handshakeTimeout: Duration
  /// The longest silence of the peer if the program has set no idle timeout; `nil` for no limit.
  let silenceTimeout: Duration?
  let start = ContinuousClock.now
  /// Opens when the peer's handshake has arrived or the session has failed.
  let greeting = Latch()
  /// One permit for each concurrent request that both sides allow; none before the peer's handshake.
  let permits = AsyncSemaphore(permits: 0)
  /// Serializes offers: the frames of an offer are contiguous, and offers follow the order of their generations.
  private let offerTurns = AsyncSemaphore()
  /// Open offers of the peer that the program has not taken.
  let mailbox = Mailbox<SessionOffer>()

  /// The credentials of the peer, if the session has one local socket and a process of this user created its other end.
  ///
  /// It is `nil` for a pair of descriptors, even if both are the same socket.
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
  /// - Throws: `refused` if the destination refused the offer, with its reason, or released the drop without finishing
  ///   it. `peerGone`, `timedOut` and similar errors if the session has failed; the kept items are then unknown.
  ///   `cancelled`. `limitExceeded` above the limits of open offers: their number, ``DropStreamLimits/openOfferBytes``
  ///   and ``DropStreamLimits/openOfferTypes``. `representationFailed` if an item exceeds another limit.
  public func offer(
    _ items: [ItemProvider], allowing actions: DropActions = .copy,
    onFailure: @escaping @Sendable (DropStreamError) -> Void = { _ in }
  ) async throws(DropStreamError) -> DropReceipt {
    var visible: [[ItemRepresentation]] = []
    var offers: [DropOffer] = []
    var size = OfferSize()
    for item in items {
      let offered = await item.offered(to: audience)
      visible.append(offered.representations)
      let offer = try DropOffer(
        suggestedName: offered.suggestedName, attributes: offered.fileAttributes, offered.representations,
        limits: options.limits, forSession: true)
      size += OfferSize(of: offer, bytes: offer.maximumLength)
      offers.append(offer)
    }
    let generation = try await send(
      offers, of: SessionSourceState.Offer(items: visible, size: size, actions: actions, onFailure: onFailure))
    let finish = try await answer(to: generation)
    guard let action = finish.action else {
      let refusal = finish.refusal ?? SenderFailure(kind: .cancelled, reason: "")
      throw DropStreamError(
        .refused, "the destination refused the items" + refusal.words, senderFailure: finish.refusal)
    }
    return DropReceipt(action: action, keptItems: finish.kept.flatMap { $0.map { Int($0) } })
  }

  private func send(_ offers: [DropOffer], of own: SessionSourceState.Offer) async throws(DropStreamError) -> UInt32 {
    guard await offerTurns.wait() else { throw .cancelled }
    defer { offerTurns.signal() }
    let generation = try state.withLock { state throws(DropStreamError) in
      try state.checkIsOpen()
      return try state.source.begin(own, limits: options.limits)
    }
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
    state.withLock { $0.source.announce(generation) }
    output.send(.endOfOffers(generation: generation, itemCount: count, actions: own.actions))
    return generation
  }

  private func answer(to generation: UInt32) async throws(DropStreamError) -> SessionFinish {
    let answer = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let early = state.withLock { $0.source.wait(for: generation, as: SessionWaiter(continuation)) }
        if let early { continuation.resume(returning: early) }
      }
    } onCancel: {
      withdraw(generation, SenderFailure(kind: .cancelled, reason: ""))
    }
    return try answer.get()
  }

  /// Withdraws an offer, unless the destination has finished with it.
  private func withdraw(_ generation: UInt32, _ reason: SenderFailure) {
    let withdrawn = state.withLock { state in
      let withdrawn = state.source.withdraw(generation)
      // The withdrawal is queued inside the lock: an offer that uses the freed capacity must follow it.
      if withdrawn != nil { output.enqueue(.withdrawal(generation: generation, reason)) }
      return withdrawn
    }
    guard let withdrawn else { return }
    output.writeEnqueued()
    for serving in withdrawn.servings {
      serving.cancel()
      output.send(.failure(number: serving.number, SenderFailure(kind: .withdrawn, reason: "")))
    }
    withdrawn.task?.resume(returning: .failure(.cancelled))
  }
}
