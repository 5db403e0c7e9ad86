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
  let mailbox = AsyncQueue<SessionOffer>()

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

  /// Whether the peer has stated that it takes drops and offers none.
  package var peerOnlyTakesDrops: Bool { state.withLock { $0.peer?.features.contains(.onlyTakes) == true } }

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
      guard await output.room() else {
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
        let early = state.withLock { $0.source.wait(for: generation) { continuation.resume(returning: $0) } }
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
    withdrawn.task?(.failure(.cancelled))
  }
}

/// The requests of a destination.
extension DropSession {
  /// Requests a representation.
  ///
  /// Waits while as many requests are in progress as both sides allow.
  ///
  /// - Parameters:
  ///   - item: The index of the item.
  ///   - representation: The index of the representation.
  ///   - generation: The generation of the offer.
  ///   - range: The requested bytes; `nil` for the complete content.
  ///   - startDigest: The ``StartDigest`` of all bytes before the range, which the source compares with its content.
  ///   - promised: The number of bytes of the complete content, if the offer declares it.
  ///   - inPlace: Whether the source's own file is preferred to its bytes.
  ///   - progress: Shows the progress of the source's loader.
  /// - Returns: The content of the response. The caller reads it to its end or cancels the request.
  /// - Throws: The failure of the session; `limitExceeded` when the request numbers are exhausted; `cancelled`.
  func ask(
    for item: UInt32, _ representation: UInt32, of generation: UInt32, range: Range<UInt64>? = nil,
    startDigest: [UInt8]? = nil, promised: UInt64? = nil, inPlace: Bool = false, progress: ItemProgress
  ) async throws(DropStreamError) -> SessionContent {
    guard await permits.wait() else { throw .cancelled }
    let accepts: SessionRequest.Acceptance = range == nil ? acceptance(inPlace: inPlace) : []
    let part = promised.map { all in range.map { min($0.upperBound, all) - min($0.lowerBound, all) } ?? all }
    do throws(DropStreamError) {
      let content = try state.withLock { state throws(DropStreamError) in
        try state.checkIsOpen()
        let content = try state.destination.request { number, credit in
          SessionContent(
            number: number, generation: generation, window: credit, accepts: accepts, promised: part,
            zerosEnd: part ?? (startDigest == nil ? range.map { $0.upperBound - $0.lowerBound } : nil) ?? 0,
            progress: progress)
        }
        // The request is queued inside the lock, because request numbers must arrive in ascending order.
        let request = SessionRequest(
          generation: generation, item: item, representation: representation, accepts: accepts,
          credit: content.window, range: range, startDigest: startDigest)
        output.enqueue(.request(number: content.number, request))
        return content
      }
      output.writeEnqueued()
      return content
    } catch {
      permits.signal()
      throw error
    }
  }

  private func acceptance(inPlace: Bool) -> SessionRequest.Acceptance {
    guard handsDescriptors, state.withLock({ $0.peer?.features.contains(.descriptors) == true }) else { return [] }
    var accepts: SessionRequest.Acceptance =
      options.acceptsUncheckedFiles ? [.sealedMemory, .fileToCopy] : .sealedMemory
    if inPlace { accepts.insert(.originalFile) }
    return accepts
  }

  /// Cancels a request if it is still in progress.
  func cancel(_ number: UInt32) {
    guard state.withLock({ $0.destination.endRequest(number) }) else { return }
    output.send(.cancellation(number: number, SenderFailure(kind: .cancelled, reason: "")))
    // The permit is returned after the cancellation is queued: the peer must receive it before the next request.
    permits.signal()
  }

  /// Reports the kept items and waits for the source's acknowledgement.
  ///
  /// - Parameters:
  ///   - contents: The contents of the offer, which are marked as finished when the report is about to be sent.
  ///   - finish: The report.
  /// - Throws: `closed` if the drop was finished before; `withdrawn` if the offer is no longer open; `timedOut` if no
  ///   acknowledgement arrives in time; the failure of the session. `cancelled` if the task is cancelled. If it was
  ///   cancelled before the call, nothing is sent or set, so another task can still finish the drop. If it is cancelled
  ///   later, the outcome is unknown.
  func finish(_ contents: DropContents, _ finish: SessionFinish) async throws(DropStreamError) {
    let generation = contents.offer.generation
    let answer = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        do throws(DropStreamError) {
          try state.withLock { state throws(DropStreamError) in
            if Task.isCancelled { throw .cancelled }
            if contents.isFinished.withLock({ $0 }) { throw DropStreamError(.closed, "the drop is finished") }
            try state.checkIsOpen()
            try state.destination.finish(generation, at: .now) { continuation.resume(returning: $0) }
            contents.isFinished.withLock { $0 = true }
          }
        } catch {
          return continuation.resume(returning: .failure(error))
        }
        endContents(of: generation)
        output.send(.finish(generation: generation, finish))
        if Task.isCancelled { endFinishing(generation, .cancelled) }
      }
    } onCancel: {
      endFinishing(generation, .cancelled)
    }
    guard try answer.get() else { throw DropStreamError.withdrawnOffer }
  }

  /// Ends the loads of a finished offer.
  ///
  /// They fail with `closed`.
  private func endContents(of generation: UInt32) {
    let contents = state.withLock { $0.destination.requestedContents }
    for content in contents where content.generation == generation {
      content.end(DropStreamError(.closed, "the drop is finished"))
      cancel(content.number)
    }
  }

  /// Ends the wait for the source's acknowledgement with an error.
  func endFinishing(_ generation: UInt32, _ error: DropStreamError) {
    state.withLock { $0.destination.endFinishing(generation) }?(.failure(error))
  }

  /// Finishes an offer that is still open, and reports that nothing was kept.
  ///
  /// Does not wait for the acknowledgement.
  func endIfOpen(_ generation: UInt32) {
    guard state.withLock({ $0.destination.close(generation) }) else { return }
    output.send(.finish(generation: generation, SessionFinish()))
  }
}

extension DropSession {
  /// The offers of the peer.
  public struct Drops: AsyncSequence, Sendable {
    /// An offer.
    public typealias Element = IncomingDrop
    /// The error that ends the sequence.
    public typealias Failure = DropStreamError

    let session: DropSession

    /// Returns an iterator.
    ///
    /// All iterators share a single pass.
    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(session: session)
    }

    /// An iterator over the offers.
    public struct AsyncIterator: AsyncIteratorProtocol {
      let session: DropSession

      /// Waits for the next offer.
      ///
      /// Returns `nil` when the peer has ended the session.
      ///
      /// - Throws: The failure of the session, such as `peerGone` when the peer has died. `cancelled` when the task is
      ///   cancelled; another task may continue.
      public mutating func next(
        isolation actor: isolated (any Actor)? = #isolation
      ) async throws(DropStreamError) -> IncomingDrop? {
        if let offer = await session.mailbox.next() { return IncomingDrop(offer, session: session) }
        if Task.isCancelled { throw .cancelled }
        if let failure = session.state.withLock(\.visibleFailure) { throw failure }
        return nil
      }
    }
  }
}

@available(*, unavailable)
extension DropSession.Drops.AsyncIterator: Sendable {}
