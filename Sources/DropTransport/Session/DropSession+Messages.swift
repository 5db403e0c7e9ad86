// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import ItemTransfer
internal import Synchronization

/// The handlers of the peer's messages.
///
/// The reading thread makes all calls, one message after the other, so that they must not call the program's code.
extension DropSession {
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
      mailbox.remove { $0.generation == generation }
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
        content.end(.failure(isOpen ? failure.errorOfRepresentation : .withdrawnOffer))
      }
      endRequest(number)
    case .descriptor(let number, let description): try takeDescriptor(number, description, try descriptor())
    case .finish(let generation, let finish): try takeFinish(generation, finish)
    case .acknowledgement(let generation, let isKnown):
      state.withLock { $0.destination.endFinishing(generation) }?.resume(returning: .success(isKnown))
    case .bye:
      state.withLock { $0.endByPeer() }
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
    state.withLock { $0.takeHandshake(hello) }
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
      return state.source.serve(number, request) { representation, onFailure in
        SessionServing(
          number: number, request, representation, output: output, chunkLength: options.chunkLength,
          peerTakesZeros: peerTakesZeros, onFailure: onFailure)
      }
    }
    switch answer {
    case .serving(let serving): return serving
    case .failure(let failure): output.send(.failure(number: number, failure))
    case .tooMany: throw DropStreamError(.limitExceeded, "more than \(SessionHello().requests) concurrent requests")
    case .neverOffered:
      throw DropStreamError(.damaged, "corrupt: a request for a representation that was never offered")
    case nil: break
    }
    return nil
  }

  /// Handles the finish of an offer.
  ///
  /// - Throws: `damaged` if the offer does not exist or does not allow this finish.
  private func takeFinish(
    _ generation: UInt32, _ finish: SessionFinish
  ) throws(DropStreamError) {
    let result = state.withLock { state in
      let result = state.source.finish(generation, finish)
      // The acknowledgement is queued inside the lock: the task that finds this result may end the session, and the
      // close frame must follow the acknowledgement.
      switch result {
      case .finished: output.enqueue(.acknowledgement(generation: generation, isKnown: true))
      case .tooLate: output.enqueue(.acknowledgement(generation: generation, isKnown: false))
      case .contradictsOffer, .movesUndelivered: break
      }
      return result
    }
    switch result {
    case .finished(_, let task, let servings):
      output.writeEnqueued()
      task?.resume(returning: .success(finish))
      for serving in servings { serving.cancel() }
    case .tooLate:
      output.writeEnqueued()
    case .contradictsOffer:
      throw DropStreamError(.damaged, "corrupt: the finish does not match its offer, or the offer does not exist")
    case .movesUndelivered(let item):
      throw DropStreamError(
        .damaged, "corrupt: the peer reports item \(item + 1) as moved, but has not received its content")
    }
  }

  // MARK: Requests of this side

  /// Returns the content that a frame belongs to.
  ///
  /// - Returns: The content; `nil` if the request has ended or was cancelled before, or is cancelled now because it
  ///   exceeds the limit.
  /// - Throws: `damaged` if this side never made the request.
  private func content(_ number: UInt32, growingBy count: UInt64 = 0) throws(DropStreamError) -> SessionContent? {
    let limit = options.limits.bytes
    switch state.withLock({ $0.destination.recipient(of: number, byteCount: count, limit: limit) }) {
    case .content(let content): return content
    case .tooLarge(let content):
      content.end(.failure(.excess(ofBytes: limit)))
      cancel(number)
      return nil
    case .cancelled: return nil
    case .neverRequested:
      throw DropStreamError(.damaged, "corrupt: response to request \(number), which was never sent")
    }
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
      content.end(
        .failure(DropStreamError(.systemCall, "cannot accept a passed file", SystemError(EMFILE, in: "recvmsg"))))
    }
    endRequest(number)
  }

  /// Removes a request and returns its permit.
  func endRequest(_ number: UInt32) {
    if state.withLock({ $0.destination.endRequest(number) }) { permits.signal() }
  }
}
