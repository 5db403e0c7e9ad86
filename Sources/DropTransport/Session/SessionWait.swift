// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A task that waits for an answer of the peer.
///
/// The states of a session are values that tests copy, so they do not contain a continuation itself.
struct SessionWaiter<Answer: Sendable>: Sendable {
  private let body: @Sendable (Answer) -> Void

  init(_ continuation: CheckedContinuation<Answer, Never>) {
    body = { continuation.resume(returning: $0) }
  }

  init(_ body: @escaping @Sendable (Answer) -> Void) {
    self.body = body
  }

  func resume(returning answer: Answer) { body(answer) }
}

/// The times when the peer last sent something.
struct SessionSigns: Sendable {
  /// The time of the last byte.
  var byte = ContinuousClock.now
  /// The time of the last input other than keep-alive frames of an idle peer.
  var word = ContinuousClock.now
}

/// A measurement of the time that this side has waited for a silent peer.
///
/// It performs no I/O.
struct SessionWait: Sendable {
  private var start: ContinuousClock.Instant?
  private var lastLook: ContinuousClock.Instant?

  /// The longest regular interval between clock checks.
  ///
  /// A longer interval means that the process was stopped.
  private static let longestTick = Duration.seconds(1)

  /// Checks the clock.
  ///
  /// - Parameters:
  ///   - now: The current time.
  ///   - isWaiting: Whether this side waits for the peer. The wait starts with the first check that passes `true`.
  ///   - sign: The time when the peer last sent something.
  ///   - limit: The longest silence. If the interval between two checks is longer than this limit and than one second,
  ///     this process was stopped, and the wait restarts.
  /// - Returns: Whether the silence exceeds the limit.
  mutating func isTooLong(
    at now: ContinuousClock.Instant, isWaiting: Bool, since sign: ContinuousClock.Instant, limit: Duration
  ) -> Bool {
    let hasStopped = lastLook.map { now - $0 > max(limit, Self.longestTick) } ?? false
    lastLook = now
    guard isWaiting else {
      start = nil
      return false
    }
    let begin = hasStopped ? now : start ?? now
    start = begin
    return now - max(begin, sign) > limit
  }
}
