// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// How the same work scales: one line for each contender.
package struct Curve: Sendable, Codable, Equatable {
  package struct Point: Sendable, Codable, Equatable {
    /// How many items or bytes there are.
    package var amount: Double
    /// How many of them are worked on, where that are not all.
    package var work: Double?
    package var seconds: Double
    /// The seconds of each repetition, of which `seconds` is the median.
    package var repetitions: [Double]?

    package init(amount: Double, seconds: Double, work: Double? = nil) {
      self.amount = amount
      self.seconds = seconds
      self.work = work
    }

    /// Items or bytes a second.
    package var rate: Double { rate(seconds) }

    /// The least and the greatest rate of a repetition; nil where there is one at most.
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
  /// What went wrong; the points before that are there nevertheless.
  package var failure: String?

  package init(suite: BenchmarkSuite, name: String, unit: WorkUnit, lines: [Line], failure: String? = nil) {
    self.suite = suite
    self.name = name
    self.unit = unit
    self.lines = lines
    self.failure = failure
  }
}
