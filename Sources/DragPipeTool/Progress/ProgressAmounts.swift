// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Numbers as people read them: short, and never more than they are.
enum ProgressAmounts {
  private static let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"]

  /// Three digits at most, and the unit.
  static func bytes(_ count: UInt64) -> String {
    let (number, unit) = parts(of: count)
    return "\(number) \(unit)"
  }

  /// What is done and what there is to do; the unit once where it is the same.
  static func bytes(_ done: UInt64, of total: UInt64) -> String {
    let (number, unit) = parts(of: done)
    return "\(number)\(unit == parts(of: total).unit ? "" : " \(unit)") of \(bytes(total))"
  }

  private static func parts(of count: UInt64) -> (number: String, unit: String) {
    var unit = 0
    var scale: UInt64 = 1
    while unit < units.count - 1, count / scale >= 1000 {
      unit += 1
      scale *= 1000
    }
    let whole = count / scale
    guard unit > 0, whole < 100 else { return ("\(whole)", units[unit]) }
    return ("\(whole).\(count % scale / (scale / 10))", units[unit])
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
