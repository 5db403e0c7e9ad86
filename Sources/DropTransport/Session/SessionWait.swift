// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// When the peer has last sent something.
struct SessionSigns: Sendable {
  /// Any byte.
  var byte = ContinuousClock.now
  /// Anything but keep-alives of a peer that has nothing to do.
  var word = ContinuousClock.now
}

/// How long this side has waited for its peer without a sign of it: pure.
struct SessionWait: Sendable {
  private var start: ContinuousClock.Instant?
  private var lastLook: ContinuousClock.Instant?

  /// A clock that is looked at less often than that was stopped.
  private static let longestTick = Duration.seconds(1)

  /// Looks at the clock.
  ///
  /// - Parameters:
  ///   - now: The time.
  ///   - isWaiting: Whether it is the peer's turn. The wait starts when this is first seen.
  ///   - sign: When the peer has last sent something.
  ///   - limit: The longest silence. Where nothing looked at the clock for as long, this process was stopped, and the
  ///     wait starts again.
  /// - Returns: Whether the silence has lasted for longer.
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
