// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Functions that format numbers for readers.
///
/// Three significant digits are as exact as the measurements.
package enum Figures {
  /// Returns a number with three digits: its complete integer part, and at most three decimals.
  package static func number(_ value: Double) -> String {
    guard value.isFinite else { return "-" }
    let size = abs(value)
    if size >= 99.95 { return whole(value) }
    let factor: Double = size >= 9.995 ? 10 : size >= 0.0995 ? 100 : 1000
    let scaled = Int((size * factor).rounded())
    let digits = factor == 10 ? 1 : factor == 100 ? 2 : 3
    let fraction = "\(scaled % Int(factor))"
    let padded = String(repeating: "0", count: digits - fraction.count) + fraction
    return (value < 0 ? "-" : "") + "\(scaled / Int(factor)).\(padded)"
  }

  /// Returns a duration in a unit between nanoseconds and seconds.
  package static func seconds(_ value: Double) -> String {
    switch abs(value) {
    case ..<1e-6: "\(number(value * 1e9)) ns"
    case ..<1e-3: "\(number(value * 1e6)) µs"
    case ..<1: "\(number(value * 1e3)) ms"
    default: "\(number(value)) s"
    }
  }

  /// Returns a number of bytes in a unit that is a power of 1024.
  package static func bytes(_ value: Double) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"]
    var (value, index) = (value, 0)
    while abs(value) >= 1024, index + 1 < units.count {
      value /= 1024
      index += 1
    }
    return index == 0 ? "\(short(value)) B" : "\(number(value)) \(units[index])"
  }

  /// Returns a count, in thousands, millions or thousands of millions if it is large.
  package static func count(_ value: Double) -> String {
    switch abs(value) {
    case ..<1000: short(value)
    case ..<1e6: "\(number(value / 1e3)) k"
    case ..<1e9: "\(number(value / 1e6)) M"
    default: "\(number(value / 1e9)) G"
    }
  }

  /// Returns a rate per second.
  package static func rate(_ value: Double, _ unit: WorkUnit) -> String {
    switch unit {
    case .bytes: "\(bytes(value))/s"
    case .items: "\(count(value))/s"
    }
  }

  /// Returns an amount with its unit.
  package static func amount(_ value: Double, _ unit: WorkUnit) -> String {
    unit == .bytes ? bytes(value) : count(value)
  }

  /// Returns a ratio and its interval.
  package static func ratio(_ estimate: Estimate) -> String {
    guard let low = estimate.low, let high = estimate.high else { return "\(number(estimate.median)) x" }
    return "\(number(estimate.median)) x [\(number(low)), \(number(high))]"
  }

  /// Returns a round value for an axis.
  package static func tick(_ value: Double) -> String {
    switch value {
    case ..<1: "\((value * 1000).rounded() / 1000)"
    case ..<100_000: whole(value)
    default: count(value.rounded())
    }
  }

  /// Returns a round amount for an axis, without needless decimals.
  package static func axis(_ value: Double, _ unit: WorkUnit) -> String {
    let words = (unit == .bytes ? bytes(value) : count(value)).split(separator: " ", maxSplits: 1)
    guard let number = words.first else { return "" }
    let short = number.contains(".") ? trimmed(String(number)) : String(number)
    return words.count > 1 ? "\(short) \(words[1])" : short
  }

  /// Removes zeros at the end of a decimal fraction.
  private static func trimmed(_ number: String) -> String {
    var digits = Substring(number)
    while digits.last == "0" { digits.removeLast() }
    return String(digits.last == "." ? digits.dropLast() : digits)
  }

  /// Returns the nearest integer; integers from 10¹⁵ on have an exponent.
  package static func whole(_ value: Double) -> String {
    guard value.isFinite else { return "-" }
    let rounded = value.rounded()
    return abs(rounded) < 1e15 ? "\(Int(rounded))" : "\(rounded)"
  }

  /// Returns a number with three significant digits, or all digits if it is an integer.
  private static func short(_ value: Double) -> String {
    value == value.rounded() ? whole(value) : number(value)
  }
}
