// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Synchronization

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
    var failing: SessionOutput.Failing?
    stop(error) { failing = output.beginFailing(error, finalFailure: finalFailure.map { .finalFailure($0) }) }
    if let failing { output.endFailing(failing) }
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
      content.end(.failure(error))
      permits.signal()
    }
    for task in remains.source.waitingTasks { task.resume(returning: .failure(error)) }
    for task in remains.destination.waitingTasks { task.resume(returning: .failure(error)) }
    if remains.isBeforeHandshake {
      // Tasks that wait for a request permit resume, and then find the failure.
      for _ in 0..<SessionHello().requests { permits.signal() }
    }
    greeting.open()
    mailbox.close()
    for serving in remains.source.servings { serving.cancel() }
  }
}
