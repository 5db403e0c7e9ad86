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
    let remains = state.withLock { state in
      let remains = state.stop(error)
      if remains != nil { first() }
      return remains
    }
    guard let remains else { return }
    for content in remains.destination.contents {
      content.end(.failure(error))
      permits.signal()
    }
    for task in remains.source.waitingTasks { task.resume(returning: .failure(error)) }
    for task in remains.destination.waitingTasks { task.resume(returning: .failure(error)) }
    if remains.isBeforeHandshake {
      // Tasks that wait for a request permit find the failure.
      for _ in 0..<SessionHello().requests { permits.signal() }
    }
    greeting.open()
    mailbox.close()
    // Last, because cancellation calls the program's code, which may take long.
    for serving in remains.source.servings { serving.cancel() }
  }
}
