// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import ItemTransfer
internal import Synchronization

/// The reading thread of a session, and its handlers of the peer's messages.
///
/// The thread never runs the program's code, which may take any time: loaders, tasks and cancellation handlers run on
/// other threads.
extension DropSession {
  /// Reads until the session ends or is interrupted.
  func read(_ input: inout SessionInput?) {
    var lastTick = ContinuousClock.now
    do throws(DropStreamError) {
      while true {
        let limit = tickInterval
        var now = input?.signs.byte ?? .now
        switch try input?.next(atMost: limit) ?? .end {
        case .message(let message): try take(message) { () throws(DropStreamError) in try input?.takeDescriptor() }
        case .nothing: now = .now
        case .end: return
        }
        guard now - lastTick >= limit else { continue }
        lastTick = now
        passTime(to: now, signs: input?.signs ?? SessionSigns())
      }
    } catch {
      fail(error, finalFailure: error.isOfPeer ? SenderFailure(kind: .failed, reason: error.description) : nil)
    }
  }

  /// Handles a message.
  ///
  /// - Parameters:
  ///   - message: The received message.
  ///   - descriptor: Returns the file descriptor that arrived with the message; `nil` if this process could not accept
  ///     it.
  /// - Throws: `DropStreamError` if the peer violates the protocol or a limit.
  func take(
    _ message: SessionMessage, _ descriptor: () throws(DropStreamError) -> SharedDescriptor?
  ) throws(DropStreamError) {
    switch message {
    case .hello(let hello): try greet(hello)
    case .offer(let offer): try takeOffer(offer)
    case .withdrawal(let generation, _):
      state.withLock { _ = $0.destination.close(generation) }
      mailbox.change { $0.removeAll { $0.generation == generation } }
    case .request(let number, let request): try serving(of: number, request)?.start(in: self)
    case .credit(let number, let bytes): state.withLock { $0.source.serving(number) }?.allow(bytes)
    case .cancellation(let number, _): state.withLock { $0.source.removeServing(number) }?.cancel()
    case .preparation(let number, let completed, let total):
      try content(number)?.showPreparation(completed: completed, total: total)
    case .data(let number, let data, let isWhole):
      let isWanted = try content(number, growingBy: UInt64(data.count))?.append(data, isWhole: isWhole)
      if isWhole { endRequest(number) } else if isWanted == false { cancel(number) }
    case .zeros(let number, let count): try content(number, growingBy: count)?.append(zeros: count)
    case .endOfRepresentation(let number, let byteCount):
      try content(number)?.end(byteCount: byteCount)
      endRequest(number)
    case .failure(let number, let failure):
      if let content = try content(number) {
        let isOpen = state.withLock { $0.destination.isOpen(content.generation) }
        content.end(isOpen ? failure.errorOfRepresentation : .withdrawnOffer)
      }
      endRequest(number)
    case .descriptor(let number, let description): try takeDescriptor(number, description, try descriptor())
    case .finish(let generation, let finish): try takeFinish(generation, finish)
    case .acknowledgement(let generation, let isKnown):
      state.withLock { $0.destination.endFinishing(generation) }?(.success(isKnown))
    case .bye:
      state.withLock { $0.isEndedByPeer = true }
      fail(DropStreamError(.peerGone, "the peer has ended the session"))
    }
  }

  private func greet(_ hello: SessionHello) throws(DropStreamError) {
    guard hello.versions.overlaps(SessionHello.versions) else {
      throw DropStreamError(
        .unsupported,
        "the peer supports versions \(hello.versions) of a session, this process \(SessionHello.versions)")
    }
    for _ in 0..<min(hello.requests, SessionHello().requests) { permits.signal() }
    state.withLock { $0.peer = hello }
    greeting.open()
  }

  private func takeOffer(_ offer: SessionOffer) throws(DropStreamError) {
    try state.withLock { state throws(DropStreamError) in
      try state.destination.open(offer.generation, size: offer.size, limits: options.limits)
    }
    mailbox.put(offer)
  }

  // MARK: Requests of the peer

  /// Registers a request of the peer, so that a later message can cancel it.
  ///
  /// The caller starts the response.
  ///
  /// - Returns: The response; `nil` if a failure was sent instead or the session has failed.
  /// - Throws: `limitExceeded` for too many requests at once; `damaged` for a request that violates the protocol.
  func serving(of number: UInt32, _ request: SessionRequest) throws(DropStreamError) -> SessionServing? {
    let answer = try state.withLock { state throws(DropStreamError) -> SessionSourceState.RequestAnswer? in
      if state.failure != nil { return nil }
      let handsDescriptors = handsDescriptors && state.peer?.features.contains(.descriptors) == true
      guard handsDescriptors || request.accepts.isDisjoint(with: .all) else {
        throw DropStreamError(.damaged, "corrupt: request \(number) accepts descriptors, which the handshakes exclude")
      }
      let peerTakesZeros = state.peer?.features.contains(.zeros) == true
      return try state.source.serve(number, request) { representation, onFailure in
        SessionServing(
          number: number, request, representation, output: output, chunkLength: options.chunkLength,
          peerTakesZeros: peerTakesZeros, onFailure: onFailure)
      }
    }
    if case .serving(let serving) = answer { return serving }
    if case .failure(let failure) = answer { output.send(.failure(number: number, failure)) }
    return nil
  }

  /// Handles the finish of an offer.
  ///
  /// - Throws: `damaged` if the offer does not exist or does not allow this finish.
  private func takeFinish(
    _ generation: UInt32, _ finish: SessionFinish
  ) throws(DropStreamError) {
    let ended = try state.withLock { state throws(DropStreamError) in
      let ended = try state.source.finish(generation, finish)
      // The acknowledgement is queued inside the lock: the task that finds this result may end the session, and the
      // close frame must follow the acknowledgement.
      output.enqueue(.acknowledgement(generation: generation, isKnown: ended != nil))
      return ended
    }
    output.writeEnqueued()
    guard let ended else { return }
    ended.task?(.success(finish))
    for serving in ended.servings { serving.cancel() }
  }

  // MARK: Requests of this side

  /// Returns the content that a frame belongs to.
  ///
  /// - Returns: The content; `nil` if the request has ended or was cancelled before, or is cancelled now because it
  ///   exceeds the limit.
  /// - Throws: `damaged` if this side never made the request.
  private func content(_ number: UInt32, growingBy count: UInt64 = 0) throws(DropStreamError) -> SessionContent? {
    let limit = options.limits.bytes
    let found = try state.withLock { state throws(DropStreamError) in
      try state.destination.recipient(of: number, byteCount: count, limit: limit)
    }
    guard let found, found.isTooLarge else { return found?.content }
    found.content.end(.excess(ofBytes: limit))
    cancel(number)
    return nil
  }

  private func takeDescriptor(
    _ number: UInt32, _ description: SessionDescriptor, _ descriptor: SharedDescriptor?
  ) throws(DropStreamError) {
    guard let content = try content(number, growingBy: description.byteCount) else { return }
    guard content.accepts.contains(description.kind.acceptance) else {
      throw DropStreamError(.damaged, "corrupt: request \(number) does not accept the passed descriptor")
    }
    if let descriptor {
      try content.append(description, descriptor)
    } else {
      content.end(DropStreamError(.systemCall, "cannot accept a passed file", SystemError(EMFILE, in: "recvmsg")))
    }
    endRequest(number)
  }

  /// Removes a request and returns its permit.
  func endRequest(_ number: UInt32) {
    if state.withLock({ $0.destination.endRequest(number) }) { permits.signal() }
  }
}

/// The timers of a session.
///
/// The reading thread makes all calls.
extension DropSession {
  /// The longest time that the reading thread may wait for bytes before it checks the clock.
  var tickInterval: Duration {
    if options.idleTimeout != nil { return Self.tick }
    return state.withLock { state in
      if state.source.isServing || state.peer == nil { return Self.tick }
      return state.destination.openDropCount == 0 ? Self.idleTick : SessionState.busyInterval
    }
  }

  /// Reports the progress of loaders, sends keep-alive frames, and fails overdue loads, overdue waits for an
  /// acknowledgement, or the session.
  ///
  /// - Parameters:
  ///   - now: The current time.
  ///   - signs: The times when the peer last sent something.
  func passTime(to now: ContinuousClock.Instant, signs: SessionSigns) {
    for serving in state.withLock({ $0.source.wantedServings }) { serving.reportPreparation() }
    guard state.withLock({ $0.peer != nil }) else {
      if now - start > handshakeTimeout {
        fail(DropStreamError(.timedOut, "no handshake from the peer within \(handshakeTimeout)"))
      }
      return
    }
    let (waitingDrops, isOfferAwaited) = (mailbox.count, mailbox.isAwaited)
    if let frame = state.withLock({ $0.keepAlive(at: now, waitingDrops: waitingDrops) }) {
      output.sendIfIdle(frame)
    }
    guard let limit = options.idleTimeout ?? silenceTimeout else { return }
    // Without an idle timeout, any byte shows that the peer is alive. With it, idle keep-alive frames do not suffice.
    let sign = options.idleTimeout == nil ? signs.byte : signs.word
    endIdleLoads(at: now, since: sign, limit)
    // A peer that reads slowly is silent until it has read the queued content.
    let lastSign = max(sign, output.lastContentProgress ?? sign)
    let action = state.withLock { state in
      state.overdueAction(
        at: now, since: lastSign, limit: limit, waitingDrops: waitingDrops, isOfferAwaited: isOfferAwaited)
    }
    guard let action else { return }
    let error = DropStreamError(.timedOut, "waiting for \(action): the peer sent nothing for \(limit)")
    fail(error, finalFailure: SenderFailure(kind: .failed, reason: error.description))
  }

  private func endIdleLoads(at now: ContinuousClock.Instant, since sign: ContinuousClock.Instant, _ limit: Duration) {
    // While the peer sends anything, a response may be queued behind a long transfer.
    guard now - sign > limit else { return }
    for content in state.withLock({ $0.destination.requestedContents }) where content.isIdle(for: limit, at: now) {
      content.end(DropStreamError(.timedOut, "waiting for content: no byte was transferred within \(limit)"))
      cancel(content.number)
    }
    for generation in state.withLock({ $0.destination.lateFinishes(at: now, limit: limit) }) {
      endFinishing(
        generation,
        DropStreamError(.timedOut, "waiting for the acknowledgement: the peer sent nothing for \(limit)"))
    }
  }
}

/// The end of a session's work.
extension DropSession {
  /// Ends all work in progress, accepts no more work, and sends nothing more except the final frame.
  ///
  /// Has no effect if the session has ended before.
  ///
  /// - Parameters:
  ///   - error: The reason.
  ///   - finalFailure: The failure that the final frame reports to the peer; `nil` for no final frame.
  func fail(_ error: DropStreamError, finalFailure: SenderFailure? = nil) {
    stop(error) { output.beginFailing(finalFailure: finalFailure.map { .finalFailure($0) }) }
    output.endFailing()
  }

  /// Ends all work in progress and accepts no more.
  ///
  /// Has no effect if the session has ended before.
  ///
  /// - Parameters:
  ///   - error: The reason.
  ///   - first: Called with the lock held, unless the session has ended before. It queues the final frame before any
  ///     task can notice the end and close the session.
  func stop(_ error: DropStreamError, first: () -> Void = {}) {
    let remains = state.withLock { state in
      let remains = state.stop(error)
      if remains != nil { first() }
      return remains
    }
    guard let remains else { return }
    for content in remains.destination.contents {
      content.end(error)
      permits.signal()
    }
    for task in remains.source.waitingTasks { task(.failure(error)) }
    for task in remains.destination.waitingTasks { task(.failure(error)) }
    if remains.isBeforeHandshake {
      // Tasks that wait for a request permit resume, and then find the failure.
      for _ in 0..<SessionHello().requests { permits.signal() }
    }
    greeting.open()
    mailbox.close()
    for serving in remains.source.servings { serving.cancel() }
  }
}
