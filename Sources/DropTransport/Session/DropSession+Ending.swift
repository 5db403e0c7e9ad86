// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Synchronization

/// How a session ends before its time.
extension DropSession {
  /// Ends everything that is under way, takes no more, and says no more; the first reason counts.
  ///
  /// - Parameters:
  ///   - error: Why.
  ///   - lastWords: What the peer is told, if it is.
  func fail(_ error: DropStreamError, lastWords: SenderFailure? = nil) {
    var failing: SessionOutput.Failing?
    stop(error) { failing = output.beginFailing(error, lastWords: lastWords.map { .lastWords($0) }) }
    if let failing { output.endFailing(failing) }
  }

  /// Ends everything that is under way, and takes no more.
  ///
  /// - Parameters:
  ///   - error: Why.
  ///   - first: Called, with a lock held, where it had not been stopped before: whoever finds out by this that the session
  ///     has ended may close it, and what is to be said must have its place by then.
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
      // Those whose makers do not wait yet find out when they do.
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
      // Whoever waits for the peer's leave finds out.
      for _ in 0..<SessionHello().requests { permits.signal() }
    }
    greeting.open()
    mailbox.close()
    // Last, because it calls what the program does then, which may take its time.
    for serving in old.servings.values { serving.cancel() }
  }
}
