// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

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
