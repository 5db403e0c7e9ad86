// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The results of a case.
package struct CaseResult: Sendable, Codable, Equatable {
  enum CodingKeys: String, CodingKey {
    case suite, name, unit, amount, bytesPerItem, contenders, figures, verdicts, failure
  }

  package var suite: BenchmarkSuite
  package var name: String
  package var unit: WorkUnit
  /// The number of items or bytes that each round moved.
  package var amount: Double
  /// The length of an item in bytes, or `nil` if it is unknown.
  package var bytesPerItem: Double?
  package var contenders: [ContenderResult]
  package var figures: [Figure]
  package var verdicts: [Verdict]
  /// The first error of the case, if any.
  ///
  /// The times of the other repetitions are kept.
  package var failure: String?

  package var identifier: String { "\(suite.rawValue)/\(name)" }

  /// The number of items in a round, or `nil` if only the bytes are known.
  package var itemCount: Double? {
    unit == .items ? amount : bytesPerItem.flatMap { $0 > 0 ? amount / $0 : nil }
  }

  /// The number of bytes in a round, or `nil` if only the items are known.
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

  /// Returns the contenders of a kind that were faster than the first contender.
  ///
  /// If a ratio has an interval, the complete interval must be below 1.
  package func losses(to kind: Contender.Kind) -> [ContenderResult] {
    contenders.dropFirst().filter { item in
      guard item.contender.kind == kind, let ratio = item.ratio else { return false }
      return ratio.high ?? ratio.median < 1
    }
  }
}

/// The results of one contender.
package struct ContenderResult: Sendable, Codable, Equatable {
  package var contender: Contender
  /// The median of each repetition, in the order of the repetitions.
  package var seconds: [Double]
  package var peakKibibytes: Int?
  package var memoryMeasure: MemoryMeasure?
  /// The number of allocations in one round.
  package var allocations: Double?
  package var allocatedBytes: Double?
  package var systemCalls: Double?
  /// The time relative to the first contender, or `nil` for the first contender itself.
  package var ratio: Estimate?
  /// The reason why some or all repetitions are missing.
  package var failure: String?

  package var medianSeconds: Double? { seconds.median }

  package init(
    contender: Contender, seconds: [Double], peakKibibytes: Int? = nil, memoryMeasure: MemoryMeasure? = nil,
    allocations: Double? = nil, allocatedBytes: Double? = nil, systemCalls: Double? = nil, ratio: Estimate? = nil,
    failure: String? = nil
  ) {
    self.contender = contender
    self.seconds = seconds
    self.peakKibibytes = peakKibibytes
    self.memoryMeasure = memoryMeasure
    self.allocations = allocations
    self.allocatedBytes = allocatedBytes
    self.systemCalls = systemCalls
    self.ratio = ratio
    self.failure = failure
  }
}

/// One of the solutions that a case compares.
///
/// The first contender is this package. All other contenders are compared with it.
package struct Contender: Sendable, Codable, Equatable {
  /// The meaning of a ratio to a contender.
  package enum Kind: String, Sendable, Codable {
    /// This package.
    case ours
    /// An alternative for users.
    case peer
    /// A limit that no general solution reaches: the same values written by hand, without keys, types and checks.
    case limit
  }

  package var name: String
  package var kind: Kind
  /// The name of a group of variants, such as one program with several buffer sizes.
  ///
  /// A goal for the group applies to its best variant.
  package var group: String?

  /// The name, with a remark if the contender is a limit.
  package var label: String { kind == .limit ? "\(name) (limit)" : name }

  package init(_ name: String, _ kind: Kind, group: String? = nil) {
    self.name = name
    self.kind = kind
    self.group = group
  }
}

/// Values derived from a contender's times.
///
/// They are written for readers of the file and are never decoded.
struct DerivedFigures: Encodable {
  /// The median of all repetitions and its interval.
  let seconds: Estimate
  let repetitions: Int
  let itemsPerSecond: Double?
  let bytesPerSecond: Double?

  /// Creates the values, or returns `nil` if there is no time.
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
  /// A contender's result together with the derived values.
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
