// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// How the same work scales: one line for each contender.
package struct Curve: Sendable, Codable, Equatable {
  package struct Point: Sendable, Codable, Equatable {
    /// How many items or bytes.
    package var amount: Double
    package var seconds: Double
    /// The seconds of each repetition, of which `seconds` is the median.
    package var repetitions: [Double]?

    package init(amount: Double, seconds: Double) {
      self.amount = amount
      self.seconds = seconds
    }

    /// Items or bytes a second.
    package var rate: Double { seconds > 0 ? amount / seconds : 0 }
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
