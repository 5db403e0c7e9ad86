// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// What follows from a contender's times: written beside them for who reads the file, and never read.
struct DerivedFigures: Encodable {
  /// The median of the repetitions and its interval.
  let seconds: Estimate
  let repetitions: Int
  let itemsPerSecond: Double?
  let bytesPerSecond: Double?

  /// Nil where nothing was measured.
  init?(_ item: ContenderResult, of result: CaseResult) {
    guard let seconds = Estimate(ofMedian: item.seconds), seconds.median > 0 else { return nil }
    func rate(_ amount: Double?) -> Double? { amount.map { $0 / seconds.median }.flatMap { $0.isFinite ? $0 : nil } }
    self.seconds = seconds
    repetitions = item.seconds.count
    itemsPerSecond = rate(result.itemCount)
    bytesPerSecond = rate(result.byteCount)
  }
}

extension CaseResult {
  /// A contender, with what follows.
  private struct Written: Encodable {
    private enum Key: String, CodingKey { case derived }

    let item: ContenderResult
    let derived: DerivedFigures?

    func encode(to encoder: any Encoder) throws {
      try item.encode(to: encoder)
      var container = encoder.container(keyedBy: Key.self)
      try container.encodeIfPresent(derived, forKey: .derived)
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(suite, forKey: .suite)
    try container.encode(name, forKey: .name)
    try container.encode(unit, forKey: .unit)
    try container.encode(amount, forKey: .amount)
    try container.encodeIfPresent(bytesPerItem, forKey: .bytesPerItem)
    try container.encode(
      contenders.map { Written(item: $0, derived: DerivedFigures($0, of: self)) }, forKey: .contenders)
    try container.encode(figures, forKey: .figures)
    try container.encode(verdicts, forKey: .verdicts)
    try container.encodeIfPresent(failure, forKey: .failure)
  }
}
