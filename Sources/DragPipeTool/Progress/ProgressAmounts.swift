// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Functions that shorten numbers.
///
/// They round totals up and all other numbers down.
enum ProgressAmounts {
  private static let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"]

  /// Returns an amount with at most three digits and its unit.
  static func bytes(_ count: UInt64) -> String {
    let (number, unit) = parts(of: count)
    return "\(number) \(unit)"
  }

  /// Returns the amount done and the total, as in `12.3 of 27.1 MB`.
  ///
  /// A common unit appears once.
  ///
  /// A total of at least 200 bytes is shown in at least 200 steps, so the amounts agree with ``percent(_:of:)``. The
  /// amount done is rounded down and the total up, so they look equal only at the end.
  static func bytes(_ done: UInt64, of total: UInt64) -> String {
    let unit = unit(of: total)
    let decimals = unit.scale == 1 ? 0 : decimals(atLeast: 200, for: total, unit.scale)
    let shownTotal = "\(fixed(total, unit.scale, decimals, roundsUp: true)) \(unit.name)"
    let doneUnit = self.unit(of: done)
    guard doneUnit == unit else { return "\(bytes(done)) of \(shownTotal)" }
    return "\(fixed(done, unit.scale, decimals, roundsUp: done == total)) of \(shownTotal)"
  }

  private static func parts(of count: UInt64) -> (number: String, unit: String) {
    let unit = unit(of: count)
    let hasDecimal = unit.scale > 1 && count / unit.scale < 100
    return (fixed(count, unit.scale, hasDecimal ? 1 : 0), unit.name)
  }

  /// Returns the largest unit that does not exceed `count`.
  private static func unit(of count: UInt64) -> (name: String, scale: UInt64) {
    var unit = 0
    var scale: UInt64 = 1
    while unit < units.count - 1, count / scale >= 1000 {
      unit += 1
      scale *= 1000
    }
    return (units[unit], scale)
  }

  /// Returns the smallest number of decimals, at most 3, that divides `count` into at least `steps` steps.
  private static func decimals(atLeast steps: UInt64, for count: UInt64, _ scale: UInt64) -> Int {
    (0...3).first { count / step(scale, $0) >= steps } ?? 3
  }

  private static func step(_ scale: UInt64, _ decimals: Int) -> UInt64 {
    (0..<decimals).reduce(scale) { step, _ in step / 10 }
  }

  private static func fixed(_ count: UInt64, _ scale: UInt64, _ decimals: Int, roundsUp: Bool = false) -> String {
    let step = step(scale, decimals)
    let steps = count / step + (roundsUp && count % step > 0 ? 1 : 0)
    let (whole, part) = steps.quotientAndRemainder(dividingBy: scale / step)
    guard decimals > 0 else { return "\(whole)" }
    let digits = "\(part)"
    return "\(whole).\(String(repeating: "0", count: decimals - digits.count))\(digits)"
  }

  /// Returns the percentage done, rounded down.
  ///
  /// It is 100 only at the end.
  static func percent(_ done: UInt64, of total: UInt64) -> Int {
    guard done < total else { return 100 }
    return min(99, Int(Double(done) / Double(total) * 100))
  }

  /// Returns a time as minutes and seconds, with hours from one hour on, or as days from 100 hours on.
  static func time(_ seconds: UInt64) -> String {
    let (minutes, second) = seconds.quotientAndRemainder(dividingBy: 60)
    let (hours, minute) = minutes.quotientAndRemainder(dividingBy: 60)
    if hours >= 100 { return ToolHelp.count(min(hours / 24, 9999), "day") }
    return hours > 0 ? "\(hours):\(pad(minute)):\(pad(second))" : "\(minute):\(pad(second))"
  }

  private static func pad(_ number: UInt64) -> String {
    number < 10 ? "0\(number)" : "\(number)"
  }
}

/// The mean rate of a transfer over the last few seconds.
///
/// All times are parameters and are relative to the same start, so tests need no clock.
struct TransferRate: Sendable {
  /// The period of the mean: long enough for a steady number, short enough to show a stop.
  static let window = Duration.seconds(4)
  /// The minimum period for a mean.
  private static let leastSpan = Duration.milliseconds(250)

  private struct Sample {
    var time: Duration
    var bytes: UInt64
  }

  private var samples: [Sample] = []

  /// Records that `bytes` bytes were moved until `time`.
  ///
  /// The time must not precede the previous time.
  mutating func add(_ bytes: UInt64, at time: Duration) {
    samples.append(Sample(time: time, bytes: bytes))
    // Keeps one sample that is older than the period, so that the samples span the complete period.
    while samples.count > 2, time - samples[1].time >= Self.window { samples.removeFirst() }
  }

  /// The mean rate; `nil` until the samples span the minimum period.
  var bytesPerSecond: UInt64? {
    guard let first = samples.first, let last = samples.last, last.time - first.time >= Self.leastSpan else {
      return nil
    }
    guard last.bytes > first.bytes else { return 0 }
    return UInt64(exactly: (Double(last.bytes - first.bytes) / ((last.time - first.time) / .seconds(1))).rounded())
  }

  /// Returns the seconds that `byteCount` more bytes will take, rounded up; `nil` if the rate is unknown or 0.
  func secondsRemaining(for byteCount: UInt64) -> UInt64? {
    guard byteCount > 0 else { return 0 }
    guard let bytesPerSecond, bytesPerSecond > 0 else { return nil }
    let (seconds, rest) = byteCount.quotientAndRemainder(dividingBy: bytesPerSecond)
    return seconds + (rest > 0 ? 1 : 0)
  }
}
