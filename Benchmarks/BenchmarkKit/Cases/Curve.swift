// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The results of the same work for different amounts, with one line for each contender.
package struct Curve: Sendable, Codable, Equatable {
  package struct Point: Sendable, Codable, Equatable {
    /// The number of items or bytes.
    package var amount: Double
    /// The number of items that are processed, if it differs from `amount`.
    package var work: Double?
    package var seconds: Double
    /// The seconds of each repetition; `seconds` is their median.
    package var repetitions: [Double]?

    package init(amount: Double, seconds: Double, work: Double? = nil) {
      self.amount = amount
      self.seconds = seconds
      self.work = work
    }

    /// The number of items or bytes per second.
    package var rate: Double { rate(seconds) }

    /// The lowest and the highest rate of all repetitions, or `nil` with fewer than two repetitions.
    package var extremes: (least: Double, greatest: Double)? {
      guard let all = repetitions, all.count > 1, let least = all.min(), let most = all.max(), least > 0 else {
        return nil
      }
      return (rate(most), rate(least))
    }

    private func rate(_ seconds: Double) -> Double { seconds > 0 ? (work ?? amount) / seconds : 0 }
  }

  package struct Line: Sendable, Codable, Equatable {
    package var contender: Contender
    package var points: [Point]

    package init(contender: Contender, points: [Point]) {
      self.contender = contender
      self.points = points
    }
  }

  package var suite: BenchmarkSuite
  package var name: String
  package var unit: WorkUnit
  package var lines: [Line]
  /// The error that ended the measurement, if any.
  ///
  /// Points before the error are kept.
  package var failure: String?

  package init(suite: BenchmarkSuite, name: String, unit: WorkUnit, lines: [Line], failure: String? = nil) {
    self.suite = suite
    self.name = name
    self.unit = unit
    self.lines = lines
    self.failure = failure
  }
}

/// A goal of a case.
///
/// A missed goal is only reported; it does not fail the run.
package enum Goal: Sendable, Equatable {
  /// The minimum ratio to a contender, or to the best contender of a group.
  case ratio(to: String, atLeast: Double)
  /// The maximum number of seconds for one item.
  case seconds(Double)
  /// The maximum number of allocations for one item.
  case allocations(Double)
  /// The minimum number of items or bytes per second.
  case rate(Double)
  case peakKibibytes(Int)

  /// Compares a result with the goal.
  ///
  /// - Returns: The verdict, or `nil` without the necessary measurement, for example because a contender is not
  ///   installed.
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

/// A measured value and the goal for it.
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
