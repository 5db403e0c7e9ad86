// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A logarithmic scale: equal distances are equal ratios.
package struct LogScale: Sendable {
  package let low: Double
  package let high: Double
  private let start: Double
  private let end: Double

  /// Creates a scale.
  ///
  /// - Parameters:
  ///   - values: The values to show; values that are not positive are omitted.
  ///   - start: The position of the lowest value.
  ///   - end: The position of the highest value, which may be less than `start`.
  package init(holding values: [Double], from start: Double, to end: Double) {
    // All measured values are within these limits, and no power of ten overflows within them.
    let values = values.filter { $0 > 0 && $0.isFinite }.map { max(1e-18, min(1e18, $0)) }
    var (low, high) = (values.min() ?? 0.5, values.max() ?? 2)
    // If all values are nearly equal, the scale is widened so that they are in the middle.
    if high / low < 1.5 { (low, high) = (low / 1.5, high * 1.5) }
    self.low = low
    self.high = high
    self.start = start
    self.end = end
  }

  package func position(of value: Double) -> Double {
    let part = Glibc.log(max(min(value, high), low) / low) / Glibc.log(high / low)
    return start + (end - start) * part
  }

  /// Returns at most `most` round values of the scale: powers of ten and, if there is room, multiples of them.
  package func ticks(atMost most: Int) -> [Double] {
    let exponents = Int(Glibc.log10(low).rounded(.down))...Int(Glibc.log10(high).rounded(.up))
    for factors in [[1.0, 2, 5], [1.0, 3], [1.0]] {
      let ticks = exponents.flatMap { exponent in factors.map { $0 * Glibc.pow(10, Double(exponent)) } }
        .filter { $0 >= low * 0.999 && $0 <= high * 1.001 }
      if ticks.count <= most { return ticks }
    }
    let decades = exponents.map { Glibc.pow(10, Double($0)) }.filter { $0 >= low * 0.999 && $0 <= high * 1.001 }
    let step = max(1, (decades.count + max(1, most) - 1) / max(1, most))
    return decades.enumerated().filter { $0.offset % step == 0 }.map(\.element)
  }

  /// Returns at most `most` powers of two within the scale.
  package func binaryTicks(atMost most: Int) -> [Double] {
    let exponents =
      Int(
        Glibc.log2(low).rounded(.up))...max(
        Int(Glibc.log2(low).rounded(.up)), Int(Glibc.log2(high).rounded(.down)))
    for step in [1, 2, 5, 10, 20, 50] {
      let ticks = exponents.filter { $0 % step == 0 }.map { Glibc.exp2(Double($0)) }
      if ticks.count <= most { return ticks.filter { $0 >= low * 0.999 && $0 <= high * 1.001 } }
    }
    return []
  }
}
