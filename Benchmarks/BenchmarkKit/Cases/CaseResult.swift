// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// What is known of a case after a run.
package struct CaseResult: Sendable, Codable, Equatable {
  package var suite: BenchmarkSuite
  package var name: String
  package var unit: WorkUnit
  /// How many items or bytes one round moved.
  package var amount: Double
  package var contenders: [ContenderResult]
  package var figures: [Figure]
  package var verdicts: [Verdict]
  /// Why there are no figures.
  package var failure: String?

  package var identifier: String { "\(suite.rawValue)/\(name)" }

  package init(
    suite: BenchmarkSuite, name: String, unit: WorkUnit, amount: Double, contenders: [ContenderResult] = [],
    figures: [Figure] = [], verdicts: [Verdict] = [], failure: String? = nil
  ) {
    self.suite = suite
    self.name = name
    self.unit = unit
    self.amount = amount
    self.contenders = contenders
    self.figures = figures
    self.verdicts = verdicts
    self.failure = failure
  }

  /// Those of a kind that took less time than the first, and by more than chance where there is an interval.
  package func losses(to kind: Contender.Kind) -> [ContenderResult] {
    contenders.dropFirst().filter { item in
      guard item.contender.kind == kind, let ratio = item.ratio else { return false }
      return ratio.high ?? ratio.median < 1
    }
  }
}
