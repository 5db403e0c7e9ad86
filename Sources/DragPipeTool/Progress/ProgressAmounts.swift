// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Numbers as people read them: short; only totals are rounded up.
enum ProgressAmounts {
  private static let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"]

  /// Three digits at most, and the unit.
  static func bytes(_ count: UInt64) -> String {
    let (number, unit) = parts(of: count)
    return "\(number) \(unit)"
  }

  /// What is done and what there is to do; the unit once where it is the same.
  ///
  /// The total has at least 200 steps, so that both amounts agree with ``percent(_:of:)``. What is done is rounded down and
  /// the total up: they are equal only at the end.
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

  /// The largest unit of which there is at least one.
  private static func unit(of count: UInt64) -> (name: String, scale: UInt64) {
    var unit = 0
    var scale: UInt64 = 1
    while unit < units.count - 1, count / scale >= 1000 {
      unit += 1
      scale *= 1000
    }
    return (units[unit], scale)
  }

  /// The fewest decimals that split `count` into at least this many steps.
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

  /// The part that is done in hundredths; 100 only when nothing is left.
  static func percent(_ done: UInt64, of total: UInt64) -> Int {
    guard done < total else { return 100 }
    return min(99, Int(Double(done) / Double(total) * 100))
  }

  /// Minutes and seconds, hours before them where there are any, or else days.
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
