// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Synchronization

/// The timers of a session.
///
/// The reading thread makes all calls.
extension DropSession {
  /// The longest time that the reading thread may wait for bytes before it checks the clock.
  var tickInterval: Duration {
    if options.idleTimeout != nil { return Self.tick }
    return state.withLock { state in
      if !state.servings.isEmpty || state.peer == nil { return Self.tick }
      return state.openDrops.isEmpty ? Self.idleTick : Self.busyInterval
    }
  }

  /// Reports the progress of loaders, sends keep-alive frames, and fails loads and sessions that time out.
  ///
  /// - Parameters:
  ///   - now: The current time.
  ///   - signs: The times when the peer last sent something.
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
    // Without an idle timeout, the session waits as long as its peer is alive.
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
    // A response may be queued behind a long transfer.
    guard now - sign > limit else { return }
    for content in state.withLock({ Array($0.contents.values) }) where content.isIdle(for: limit, at: now) {
      content.end(.failure(DropStreamError(.timedOut, "waiting for content: no byte was transferred within \(limit)")))
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
  /// Returns the action that this side waits for; `nil` while the peer may wait for this side.
  ///
  /// - Parameters:
  ///   - waitingDrops: The number of the peer's offers that the program has not taken.
  ///   - isOfferAwaited: Whether a task waits for the next offer.
  /// - Returns: The end of a sentence that begins with "waiting for".
  fileprivate func phaseOfPeer(_ waitingDrops: Int, isOfferAwaited: Bool) -> String? {
    guard openDrops.count <= waitingDrops, servings.values.allSatisfy(\.awaitsCredit) else { return nil }
    if offers.values.contains(where: { $0.early == nil }) {
      if !servings.isEmpty { return "the receiver to accept more content" }
      return hasServed ? "the receiver to finish the offer" : "a request"
    }
    return isOfferAwaited ? "an offer" : nil
  }
}
