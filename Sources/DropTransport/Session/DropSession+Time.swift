// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Synchronization

/// What a session does as time passes; all of it is called by the thread that reads.
extension DropSession {
  /// How long that thread may wait for bytes before it looks at the clock.
  var tickInterval: Duration {
    if options.idleTimeout != nil { return Self.tick }
    return state.withLock { state in
      if !state.servings.isEmpty || state.peer == nil { return Self.tick }
      return state.openDrops.isEmpty ? Self.idleTick : Self.busyInterval
    }
  }

  /// Reports how far a making is, shows that this side is alive, and gives up what does not move.
  ///
  /// - Parameters:
  ///   - now: The time.
  ///   - signs: When something came from the other side.
  func passTime(to now: ContinuousClock.Instant, signs: SessionSigns) {
    for serving in state.withLock({ Array($0.servings.values) }) { serving.reportPreparation() }
    guard state.withLock({ $0.peer != nil }) else {
      if now - start > handshakeTimeout {
        fail(DropStreamError(.timedOut, "no handshake from the other side within \(handshakeTimeout)"))
      }
      return
    }
    let mailbox = mailbox.load
    showLife(at: now, waitingDrops: mailbox.count)
    guard let limit = options.idleTimeout ?? silenceTimeout else { return }
    // A program that set no limit waits for as long as its peer is alive.
    let sign = options.idleTimeout == nil ? signs.byte : signs.word
    endIdleLoads(at: now, since: sign, limit)
    let (phase, isTooLong) = state.withLock { state in
      let phase = state.phaseOfPeer(mailbox.count, isOfferAwaited: mailbox.isAwaited)
      return (phase, state.wait.isTooLong(at: now, isWaiting: phase != nil, since: sign, limit: limit))
    }
    guard let phase, isTooLong else { return }
    let error = DropStreamError(.timedOut, "waiting for \(phase): nothing came from the other side for \(limit)")
    fail(error, lastWords: SenderFailure(kind: .failed, reason: error.description))
  }

  private func showLife(at now: ContinuousClock.Instant, waitingDrops: Int) {
    let frame: OutgoingFrame? = state.withLock { state in
      let isBusy = state.openDrops.count > waitingDrops
      guard now - state.lastKeepAlive >= (isBusy ? Self.busyInterval : Self.idleInterval) else { return nil }
      state.lastKeepAlive = now
      return .keepAlive(isBusy: isBusy)
    }
    if let frame { output.sendWhereQuiet(frame) }
  }

  private func endIdleLoads(at now: ContinuousClock.Instant, since sign: ContinuousClock.Instant, _ limit: Duration) {
    // What is asked for may be behind something long.
    guard now - sign > limit else { return }
    for content in state.withLock({ Array($0.contents.values) }) where content.isIdle(for: limit, at: now) {
      content.end(.failure(DropStreamError(.timedOut, "waiting for content: nothing moved for \(limit)")))
      cancel(content.number)
    }
    let late = state.withLock { state in state.finishing.filter { now - $0.value.start > limit }.map(\.key) }
    for generation in late {
      endFinishing(
        generation,
        DropStreamError(.timedOut, "waiting for the acknowledgement: nothing came from the other side for \(limit)"))
    }
  }
}

extension DropSession.State {
  /// What the peer has to do next; `nil` while this side has something to do that the peer may wait for.
  ///
  /// - Parameters:
  ///   - waitingDrops: How many of the peer's offers the program has not taken yet.
  ///   - isOfferAwaited: Whether a task waits for one more.
  /// - Returns: The end of a sentence.
  fileprivate func phaseOfPeer(_ waitingDrops: Int, isOfferAwaited: Bool) -> String? {
    guard openDrops.count <= waitingDrops, servings.values.allSatisfy(\.awaitsCredit) else { return nil }
    if offers.values.contains(where: { $0.early == nil }) {
      if !servings.isEmpty { return "the receiver to accept more content" }
      return hasServed ? "the receiver to finish the offer" : "a request"
    }
    return isOfferAwaited ? "an offer" : nil
  }
}
