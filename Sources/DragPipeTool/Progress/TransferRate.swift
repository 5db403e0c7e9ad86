// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// How fast bytes move: the mean of the last few seconds.
///
/// Times are handed in, from whatever start, so that a test needs no clock.
struct TransferRate: Sendable {
  /// What the mean is taken over; long enough for a number that can be read, short enough to tell of a stop.
  static let window = Duration.seconds(4)
  /// Less than this says nothing yet.
  private static let leastSpan = Duration.milliseconds(250)

  private struct Sample {
    var time: Duration
    var bytes: UInt64
  }

  private var samples: [Sample] = []

  /// Notes how many bytes have moved in all by `time`, which is never before the last one.
  mutating func add(_ bytes: UInt64, at time: Duration) {
    samples.append(Sample(time: time, bytes: bytes))
    // The last one that is too old stays: the samples span the whole window that way.
    while samples.count > 2, time - samples[1].time >= Self.window { samples.removeFirst() }
  }

  /// The mean; `nil` as long as too little has been seen for one.
  var bytesPerSecond: UInt64? {
    guard let first = samples.first, let last = samples.last, last.time - first.time >= Self.leastSpan else {
      return nil
    }
    guard last.bytes > first.bytes else { return 0 }
    return UInt64(exactly: (Double(last.bytes - first.bytes) / ((last.time - first.time) / .seconds(1))).rounded())
  }

  /// How long it takes at this rate until `byteCount` more have moved, rounded up; `nil` where nobody can say.
  func secondsRemaining(for byteCount: UInt64) -> UInt64? {
    guard byteCount > 0 else { return 0 }
    guard let bytesPerSecond, bytesPerSecond > 0 else { return nil }
    let (seconds, rest) = byteCount.quotientAndRemainder(dividingBy: bytesPerSecond)
    return seconds + (rest > 0 ? 1 : 0)
  }
}
