// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Synchronization

/// The early end of a session.
extension DropSession {
  /// Ends all work in progress, accepts no more work, and sends nothing more.
  ///
  /// The first error counts.
  ///
  /// - Parameters:
  ///   - error: The reason.
  ///   - lastWords: The failure that the final frame reports to the peer; `nil` for no final frame.
  func fail(_ error: DropStreamError, lastWords: SenderFailure? = nil) {
    var failing: SessionOutput.Failing?
    stop(error) { failing = output.beginFailing(error, lastWords: lastWords.map { .lastWords($0) }) }
    if let failing { output.endFailing(failing) }
  }

  /// Ends all work in progress and accepts no more.
  ///
  /// The first error counts.
  ///
  /// - Parameters:
  ///   - error: The reason.
  ///   - first: Called with the lock held, unless the session was stopped before. A task that notices the end may close
  ///     the session. The final frame must be queued by then.
  func stop(_ error: DropStreamError, first: () -> Void = {}) {
    var old = State()
    let isFirst = state.withLock { state in
      guard state.failure == nil else { return false }
      state.failure = error
      first()
      old = state
      state.contents = [:]
      state.servings = [:]
      state.finishing = [:]
      // An offer without a waiting task keeps the error until its task waits.
      state.offers = state.offers.filter { $0.value.answer == nil }.mapValues { offer in
        var offer = offer
        offer.early = offer.early ?? .failure(error)
        return offer
      }
      return true
    }
    guard isFirst else { return }
    for content in old.contents.values {
      content.end(.failure(error))
      permits.signal()
    }
    for offer in old.offers.values { offer.answer?.resume(returning: .failure(error)) }
    for finishing in old.finishing.values { finishing.answer.resume(returning: .failure(error)) }
    if old.peer == nil {
      // Tasks that wait for a request permit find the failure.
      for _ in 0..<SessionHello().requests { permits.signal() }
    }
    greeting.open()
    mailbox.close()
    // Last, because cancellation calls the program's code, which may take long.
    for serving in old.servings.values { serving.cancel() }
  }
}
