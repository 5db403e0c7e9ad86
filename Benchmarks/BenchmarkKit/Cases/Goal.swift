// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// What a case is meant to reach; whether it does is reported, never asserted.
package enum Goal: Sendable, Equatable {
  /// Times as fast as a contender, or as the best of a group.
  case ratio(to: String, atLeast: Double)
  /// Of one item, at most.
  case seconds(Double)
  /// Of one item, at most.
  case allocations(Double)
  /// Items or bytes a second, at least.
  case rate(Double)
  case peakKibibytes(Int)

  /// Says whether a result reaches the goal.
  ///
  /// - Returns: Nil where the result does not tell, for example because a contender is not installed.
  package func verdict(on result: CaseResult) -> Verdict? {
    guard let ours = result.contenders.first, let median = ours.medianSeconds, median > 0 else { return nil }
    switch self {
    case .ratio(let name, let least):
      let rivals = result.contenders.filter { $0.contender.name == name || $0.contender.group == name }
      guard let ratio = rivals.compactMap(\.ratio?.median).min() else { return nil }
      return Verdict("\(name) x", ratio, least, isMet: ratio >= least)
    case .seconds(let most):
      let value = median / result.amount
      return Verdict("time an item", value, most, unit: "s", isMet: value <= most)
    case .allocations(let most):
      guard let value = ours.allocations.map({ $0 / result.amount }) else { return nil }
      return Verdict("allocations an item", value, most, isMet: value <= most)
    case .rate(let least):
      let value = result.amount / median
      return Verdict(
        "\(result.unit.rawValue) a second", value, least, unit: result.unit == .bytes ? "B/s" : "",
        isMet: value >= least)
    case .peakKibibytes(let most):
      guard let value = ours.peakKibibytes else { return nil }
      return Verdict("peak memory", Double(value), Double(most), unit: "KiB", isMet: value <= most)
    }
  }
}

/// How a result stands to a goal.
package struct Verdict: Sendable, Codable, Equatable {
  package var name: String
  package var value: Double
  package var goal: Double
  package var unit: String
  package var isMet: Bool

  package init(_ name: String, _ value: Double, _ goal: Double, unit: String = "", isMet: Bool) {
    self.name = name
    self.value = value
    self.goal = goal
    self.unit = unit
    self.isMet = isMet
  }
}
