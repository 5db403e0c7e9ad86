// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import ItemTransfer
internal import Synchronization

/// The handlers of the peer's messages.
///
/// The reading thread makes all calls, one message after the other.
extension DropSession {
  /// Handles a message.
  ///
  /// - Parameters:
  ///   - message: The received message.
  ///   - descriptor: Returns the file descriptor that arrived with the message; `nil` if this process could not accept
  ///     it.
  /// - Returns: The responses that the peer no longer wants. The caller cancels them, because that calls the program's
  ///   code, which may take long.
  /// - Throws: `DropStreamError` if the peer violates the protocol or a limit.
  func take(
    _ message: SessionMessage, _ descriptor: () throws(DropStreamError) -> SharedDescriptor?
  ) throws(DropStreamError) -> [SessionServing] {
    switch message {
    case .hello(let hello): try greet(hello)
    case .offer(let offer): try takeOffer(offer)
    case .withdrawal(let generation, _):
      state.withLock { _ = $0.openDrops.removeValue(forKey: generation) }
      mailbox.remove { $0.generation == generation }
    case .request(let number, let request): try serving(of: number, request)?.start(in: self)
    case .credit(let number, let bytes): state.withLock { $0.servings[number] }?.allow(bytes)
    case .cancellation(let number, _):
      return state.withLock { $0.servings.removeValue(forKey: number).map { [$0] } } ?? []
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
      try content(number)?.end(.failure(failure.errorOfRepresentation))
      endRequest(number)
    case .descriptor(let number, let description): try takeDescriptor(number, description, try descriptor())
    case .finish(let generation, let finish): return try takeFinish(generation, finish)
    case .acknowledgement(let generation, let isKnown):
      state.withLock { $0.finishing.removeValue(forKey: generation) }?
        .answer.resume(returning: .success(isKnown))
    case .bye:
      state.withLock { $0.isEndedByPeer = true }
      fail(DropStreamError(.peerGone, "the other side has ended the session"))
    }
    return []
  }

  private func greet(_ hello: SessionHello) throws(DropStreamError) {
    guard hello.versions.overlaps(SessionHello.versions) else {
      throw DropStreamError(
        .unsupported,
        "the other side speaks versions \(hello.versions) of a session, this one \(SessionHello.versions)")
    }
    for _ in 0..<min(hello.requests, SessionHello().requests) { permits.signal() }
    state.withLock { $0.peer = hello }
    greeting.open()
  }

  private func takeOffer(_ offer: SessionOffer) throws(DropStreamError) {
    let (count, size) = state.withLock { state in
      state.openDrops[offer.generation] = offer.size
      return (state.openDrops.count, state.openDrops.values.sum)
    }
    guard count <= Self.maximumOpenOffers else {
      throw DropStreamError(.limitExceeded, "the other side has more than \(Self.maximumOpenOffers) open offers")
    }
    if let excess = size.excess(over: options.limits) {
      throw DropStreamError(.limitExceeded, "the other side has \(excess)")
    }
    mailbox.put(offer)
  }

  // MARK: Requests of the peer

  /// Registers a request, so that it can be cancelled.
  ///
  /// The caller starts the response.
  ///
  /// - Returns: The response; `nil` if a failure was sent instead or the session has failed.
  /// - Throws: `limitExceeded` for too many requests at once; `damaged` for a request that violates the protocol.
  func serving(of number: UInt32, _ request: SessionRequest) throws(DropStreamError) -> SessionServing? {
    enum Answer {
      case serving(SessionServing)
      case failure(SenderFailure)
      case tooMany
      case neverOffered
      case notNegotiated
      case none
    }
    let answer: Answer = state.withLock { state in
      if state.failure != nil { return .none }
      let handsDescriptors = handsDescriptors && state.peer?.features.contains(.descriptors) == true
      guard handsDescriptors || request.accepts.isDisjoint(with: .all) else { return .notNegotiated }
      guard let offer = state.offers[request.generation], offer.early == nil else {
        let wasOffered = request.generation > 0 && request.generation <= state.lastGeneration
        return wasOffered ? .failure(SenderFailure(kind: .withdrawn, reason: "")) : .neverOffered
      }
      guard Int(request.item) < offer.items.count,
        Int(request.representation) < offer.items[Int(request.item)].count
      else { return .neverOffered }
      guard state.servings.count < Int(SessionHello().requests) else { return .tooMany }
      guard state.running.count < Self.maximumRunning else {
        return .failure(SenderFailure(kind: .failed, reason: "too much that was given up is still being made"))
      }
      let representation = offer.items[Int(request.item)][Int(request.representation)]
      let serving = SessionServing(
        number: number, request, representation, output: output, chunkLength: options.chunkLength,
        peerTakesZeros: state.peer?.features.contains(.zeros) == true, onFailure: offer.onFailure)
      state.servings[number] = serving
      state.hasServed = true
      state.running[number] = serving
      return .serving(serving)
    }
    switch answer {
    case .serving(let serving): return serving
    case .failure(let failure): output.send(.failure(number: number, failure))
    case .tooMany: throw DropStreamError(.limitExceeded, "more than \(SessionHello().requests) requests at once")
    case .neverOffered: throw DropStreamError(.damaged, "corrupt: a request for what was never offered")
    case .notNegotiated:
      throw DropStreamError(.damaged, "corrupt: request \(number) accepts open files, which were not agreed on")
    case .none: break
    }
    return nil
  }

  /// Handles the finish of an offer.
  ///
  /// - Returns: The responses of the offer that are still in progress.
  /// - Throws: `damaged` if the offer does not exist or does not allow this finish.
  private func takeFinish(
    _ generation: UInt32, _ finish: SessionFinish
  ) throws(DropStreamError) -> [SessionServing] {
    var answer: CheckedContinuation<Result<SessionFinish, DropStreamError>, Never>?
    let (isAllowed, servings) = state.withLock { state -> (Bool, [SessionServing]) in
      guard let offer = state.offers[generation], offer.early == nil else {
        let wasOffered = generation <= state.lastGeneration
        if wasOffered { output.enqueue(.acknowledgement(generation: generation, isKnown: false)) }
        return (wasOffered, [])
      }
      let isAllowed =
        (finish.action.map { offer.actions.contains($0) } ?? finish.kept.isEmpty)
        && Int(finish.kept.last?.upperBound ?? 0) <= offer.items.count
      guard isAllowed else { return (false, []) }
      // Inside the lock: the task that finds this result may end the session. The close frame must follow the
      // acknowledgement.
      output.enqueue(.acknowledgement(generation: generation, isKnown: true))
      answer = offer.answer
      state.offers[generation] = offer.answer == nil ? offer : nil
      state.offers[generation]?.early = .success(finish)
      return (true, state.takeServings(of: generation))
    }
    guard isAllowed else {
      throw DropStreamError(.damaged, "corrupt: the end of an offer that was made otherwise, or never")
    }
    output.writeEnqueued()
    answer?.resume(returning: .success(finish))
    return servings
  }

  // MARK: Requests of this side

  /// Returns the content that a frame belongs to.
  ///
  /// - Returns: The content; `nil` if it was cancelled before, or is cancelled now because it exceeds the limit.
  /// - Throws: `damaged` if this side never made the request.
  private func content(_ number: UInt32, growingBy count: UInt64 = 0) throws(DropStreamError) -> SessionContent? {
    let limit = options.limits.bytes
    let (content, isAsked, isTooMuch) = state.withLock { state in
      let content = state.contents[number]
      if content != nil {
        let (sum, overflow) = state.receivedBytes.addingReportingOverflow(count)
        state.receivedBytes = overflow ? .max : sum
      }
      return (content, number <= state.lastRequest, state.receivedBytes > limit)
    }
    guard isAsked else {
      throw DropStreamError(.damaged, "corrupt: response to request \(number), which was never made")
    }
    guard let content, count > 0, isTooMuch else { return content }
    content.end(.failure(DropStreamError(.limitExceeded, "more than \(limit) bytes")))
    cancel(number)
    return nil
  }

  private func takeDescriptor(
    _ number: UInt32, _ description: SessionDescriptor, _ descriptor: SharedDescriptor?
  ) throws(DropStreamError) {
    guard let content = try content(number, growingBy: description.byteCount) else { return }
    guard content.accepts.contains(description.kind.acceptance) else {
      throw DropStreamError(.damaged, "corrupt: a file was passed that was not requested")
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
    if state.withLock({ $0.contents.removeValue(forKey: number) }) != nil { permits.signal() }
  }
}
