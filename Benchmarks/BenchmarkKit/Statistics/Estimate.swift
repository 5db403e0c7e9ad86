// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A median, and where it lies with a certainty of at least 95 %.
///
/// The interval is that of the sign test: it goes from one of the sorted values to another and asks for nothing but
/// that the values were drawn alike, however noise is distributed. Six values are the fewest that have one.
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

  /// How many values may be left out at each end: fewer than that many of `count` tosses of a coin show heads with a
  /// chance of at most 2.5 %.
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
