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
    let mailbox = mailbox.load
    if let frame = state.withLock({ $0.keepAlive(at: now, waitingDrops: mailbox.count) }) {
      output.sendIfIdle(frame)
    }
    guard let limit = options.idleTimeout ?? silenceTimeout else { return }
    // Without an idle timeout, any byte shows that the peer is alive. With it, idle keep-alive frames do not suffice.
    let sign = options.idleTimeout == nil ? signs.byte : signs.word
    endIdleLoads(at: now, since: sign, limit)
    let action = state.withLock { state in
      state.overdueAction(
        at: now, since: sign, limit: limit, waitingDrops: mailbox.count, isOfferAwaited: mailbox.isAwaited)
    }
    guard let action else { return }
    let error = DropStreamError(.timedOut, "waiting for \(action): the peer sent nothing for \(limit)")
    fail(error, finalFailure: SenderFailure(kind: .failed, reason: error.description))
  }

  private func endIdleLoads(at now: ContinuousClock.Instant, since sign: ContinuousClock.Instant, _ limit: Duration) {
    // While the peer sends anything, a response may be queued behind a long transfer.
    guard now - sign > limit else { return }
    for content in state.withLock({ $0.destination.requestedContents }) where content.isIdle(for: limit, at: now) {
      content.end(.failure(DropStreamError(.timedOut, "waiting for content: no byte was transferred within \(limit)")))
      cancel(content.number)
    }
    for generation in state.withLock({ $0.destination.lateFinishes(at: now, limit: limit) }) {
      endFinishing(
        generation,
        DropStreamError(.timedOut, "waiting for the acknowledgement: the peer sent nothing for \(limit)"))
    }
  }
}
