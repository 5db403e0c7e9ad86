// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// What is known of a case after a run.
package struct CaseResult: Sendable, Codable, Equatable {
  enum CodingKeys: String, CodingKey {
    case suite, name, unit, amount, bytesPerItem, contenders, figures, verdicts, failure
  }

  package var suite: BenchmarkSuite
  package var name: String
  package var unit: WorkUnit
  /// How many items or bytes one round moved.
  package var amount: Double
  /// How long an item is, where it is known.
  package var bytesPerItem: Double?
  package var contenders: [ContenderResult]
  package var figures: [Figure]
  package var verdicts: [Verdict]
  /// What went wrong; what was measured before that is there nevertheless.
  package var failure: String?

  package var identifier: String { "\(suite.rawValue)/\(name)" }

  /// Items in a round; nil where only the bytes are known.
  package var itemCount: Double? {
    unit == .items ? amount : bytesPerItem.flatMap { $0 > 0 ? amount / $0 : nil }
  }

  /// Bytes in a round; nil where only the items are known.
  package var byteCount: Double? {
    unit == .bytes ? amount : bytesPerItem.map { amount * $0 }
  }

  package init(
    suite: BenchmarkSuite, name: String, unit: WorkUnit, amount: Double, bytesPerItem: Double? = nil,
    contenders: [ContenderResult] = [], figures: [Figure] = [], verdicts: [Verdict] = [], failure: String? = nil
  ) {
    self.suite = suite
    self.name = name
    self.unit = unit
    self.amount = amount
    self.bytesPerItem = bytesPerItem
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
