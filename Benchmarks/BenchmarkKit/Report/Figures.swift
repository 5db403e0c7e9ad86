// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Numbers as people read them: three figures are as many as are true.
package enum Figures {
  /// Three significant figures, without an exponent.
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

  /// A duration in the unit that fits.
  package static func seconds(_ value: Double) -> String {
    switch abs(value) {
    case ..<1e-6: "\(number(value * 1e9)) ns"
    case ..<1e-3: "\(number(value * 1e6)) µs"
    case ..<1: "\(number(value * 1e3)) ms"
    default: "\(number(value)) s"
    }
  }

  /// Bytes in multiples of 1024.
  package static func bytes(_ value: Double) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"]
    var (value, index) = (value, 0)
    while abs(value) >= 1024, index + 1 < units.count {
      value /= 1024
      index += 1
    }
    return index == 0 ? "\(short(value)) B" : "\(number(value)) \(units[index])"
  }

  /// A count, shortened to thousands and millions.
  package static func count(_ value: Double) -> String {
    switch abs(value) {
    case ..<1000: short(value)
    case ..<1e6: "\(number(value / 1e3)) k"
    case ..<1e9: "\(number(value / 1e6)) M"
    default: "\(number(value / 1e9)) G"
    }
  }

  /// Returns a rate in units a second.
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

  /// A ratio and its interval.
  package static func ratio(_ estimate: Estimate) -> String {
    guard let low = estimate.low, let high = estimate.high else { return "\(number(estimate.median)) x" }
    return "\(number(estimate.median)) x [\(number(low)), \(number(high))]"
  }

  /// A round value on an axis.
  package static func tick(_ value: Double) -> String {
    switch value {
    case ..<1: "\((value * 1000).rounded() / 1000)"
    case ..<100_000: whole(value)
    default: count(value.rounded())
    }
  }

  /// Returns a round amount for an axis; integral multiples have no decimals.
  package static func axis(_ value: Double, _ unit: WorkUnit) -> String {
    let words = (unit == .bytes ? bytes(value) : count(value)).split(separator: " ", maxSplits: 1)
    guard let number = words.first else { return "" }
    let short = number.contains(".") ? trimmed(String(number)) : String(number)
    return words.count > 1 ? "\(short) \(words[1])" : short
  }

  /// A decimal fraction without what adds nothing to it.
  private static func trimmed(_ number: String) -> String {
    var digits = Substring(number)
    while digits.last == "0" { digits.removeLast() }
    return String(digits.last == "." ? digits.dropLast() : digits)
  }

  /// Returns the nearest integer; very large numbers have an exponent.
  package static func whole(_ value: Double) -> String {
    guard value.isFinite else { return "-" }
    let rounded = value.rounded()
    return abs(rounded) < 1e15 ? "\(Int(rounded))" : "\(rounded)"
  }

  /// Returns a short number; integers have no decimals.
  private static func short(_ value: Double) -> String {
    value == value.rounded() ? whole(value) : number(value)
  }
}
