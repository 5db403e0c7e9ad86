// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A median with an interval of at least 95 % confidence.
///
/// The interval is that of the sign test, which makes no assumption about the distribution. It needs at least six
/// values.
package struct Estimate: Sendable, Codable, Equatable {
  package var median: Double
  package var low: Double?
  package var high: Double?

  package init(median: Double, low: Double? = nil, high: Double? = nil) {
    self.median = median
    self.low = low
    self.high = high
  }

  /// Estimates the median of what the values were drawn from.
  ///
  /// - Returns: Nil when there are no values.
  package init?(ofMedian values: [Double]) {
    guard let median = values.median else { return nil }
    self.median = median
    guard let rank = Self.rank(of: values.count) else { return }
    let sorted = values.sorted()
    low = sorted[rank]
    high = sorted[sorted.count - 1 - rank]
  }

  /// Whether two estimates may be of the same median; nil where one has no interval.
  package func overlaps(_ other: Estimate) -> Bool? {
    guard let low, let high, let otherLow = other.low, let otherHigh = other.high else { return nil }
    return low <= otherHigh && otherLow <= high
  }

  /// Returns the number of values to omit at each end: fewer heads than that in `count` coin tosses have a probability
  /// of
  /// at most 2.5 %.
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
  /// The value in the middle; of an even number the mean of the two.
  package var median: Double? { quantile(0.5) }

  /// The value below which a part of all lies, between its neighbours where it falls between two.
  ///
  /// - Parameter part: From 0 for the least to 1 for the greatest.
  /// - Returns: Nil when there is nothing.
  package func quantile(_ part: Double) -> Double? {
    guard !isEmpty else { return nil }
    let values = sorted()
    let position = Double(values.count - 1) * Swift.max(0, Swift.min(1, part))
    let index = Int(position)
    guard index + 1 < values.count else { return values[index] }
    return values[index] + (values[index + 1] - values[index]) * (position - Double(index))
  }
}
