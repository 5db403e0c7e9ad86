// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A median with an interval of at least 95 % confidence.
///
/// The interval follows from the sign test, which assumes nothing about the distribution. It needs at least six values.
package struct Estimate: Sendable, Codable, Equatable {
  package var median: Double
  package var low: Double?
  package var high: Double?

  package init(median: Double, low: Double? = nil, high: Double? = nil) {
    self.median = median
    self.low = low
    self.high = high
  }

  /// Estimates the median of the distribution from which the values were drawn.
  ///
  /// - Returns: The estimate, or `nil` without values.
  package init?(ofMedian values: [Double]) {
    guard let median = values.median else { return nil }
    self.median = median
    guard let rank = Self.rank(of: values.count) else { return }
    let sorted = values.sorted()
    low = sorted[rank]
    high = sorted[sorted.count - 1 - rank]
  }

  /// Whether the intervals of two estimates overlap, or `nil` if an estimate has no interval.
  package func overlaps(_ other: Estimate) -> Bool? {
    guard let low, let high, let otherLow = other.low, let otherHigh = other.high else { return nil }
    return low <= otherHigh && otherLow <= high
  }

  /// Returns the number of values to omit at each end.
  ///
  /// It is the largest *n* for which at most *n* heads in `count` coin tosses have a probability of at most 2.5 %.
  private static func rank(of count: Int) -> Int? {
    var chance = 1.0
    for _ in 0..<count { chance /= 2 }
    var sum = chance
    var rank: Int?
    for heads in 0..<count {
      guard sum <= 0.025 else { break }
      rank = heads
      chance *= Double(count - heads) / Double(heads + 1)
      sum += chance
    }
    return rank
  }
}

extension [Double] {
  /// The median.
  ///
  /// For an even number of values, it is the mean of the two in the middle.
  package var median: Double? { quantile(0.5) }

  /// Returns a quantile, interpolated between two values if necessary.
  ///
  /// - Parameter part: The part of all values that are lower, from 0 for the minimum to 1 for the maximum.
  /// - Returns: The quantile, or `nil` without values.
  package func quantile(_ part: Double) -> Double? {
    guard !isEmpty else { return nil }
    let values = sorted()
    let position = Double(values.count - 1) * Swift.max(0, Swift.min(1, part))
    let index = Int(position)
    guard index + 1 < values.count else { return values[index] }
    return values[index] + (values[index + 1] - values[index]) * (position - Double(index))
  }
}
