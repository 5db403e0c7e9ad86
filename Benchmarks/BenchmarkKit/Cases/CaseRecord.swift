// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// The collected measurements of a case.
package struct CaseRecord: Sendable {
  private let benchmark: Benchmark
  private var counts: [Sample]
  private var figures: [Figure] = []
  /// For each repetition the rounds of each contender, in seconds; empty for a contender that failed.
  private var rounds: [[[Double]]] = []
  /// The first failure that affected all contenders.
  private var failure: String?
  /// The first failure of each contender, by its index.
  private var contenderFailures: [Int: String] = [:]
  private var failureCount = 0

  /// Whether the case has failed too often to be tried again.
  ///
  /// A single failure may be chance.
  package var isHopeless: Bool { failureCount >= Self.mostFailures }

  private static let mostFailures = 2

  package init(_ benchmark: Benchmark) {
    self.benchmark = benchmark
    counts = benchmark.contenders.map { _ in Sample() }
  }

  /// Adds the counts of a repetition without a time measurement.
  package mutating func count(_ block: Benchmark.Block) {
    guard accepts(block) else { return }
    for (index, sample) in block.samples.enumerated() {
      mergeCounts(sample, at: index)
      if let reason = sample.failure { fail(index, reason) }
    }
    figures = block.figures
  }

  /// Adds the times of a repetition.
  package mutating func time(_ block: Benchmark.Block) {
    guard accepts(block) else { return }
    guard block.samples.first.map({ !$0.seconds.isEmpty }) ?? false else {
      fail(block.samples.first?.failure ?? "it has no time")
      return
    }
    rounds.append(block.samples.map(\.seconds))
    for (index, sample) in block.samples.enumerated() {
      mergeCounts(sample, at: index)
      if sample.seconds.isEmpty { fail(index, sample.failure ?? "it has no time") }
    }
  }

  /// Records that a repetition failed.
  ///
  /// Earlier repetitions are kept.
  package mutating func fail(_ reason: String) {
    failureCount += 1
    failure = failure ?? (rounds.isEmpty ? reason : "repetition \(rounds.count + 1): \(reason)")
  }

  private mutating func fail(_ index: Int, _ reason: String) {
    contenderFailures[index] = contenderFailures[index] ?? reason
  }

  private mutating func accepts(_ block: Benchmark.Block) -> Bool {
    guard block.samples.count == counts.count else {
      fail("\(block.samples.count) contenders instead of \(counts.count)")
      return false
    }
    return true
  }

  /// Adds the counts of a sample: the maximum of the memory peaks, and the latest value of all other counts.
  private mutating func mergeCounts(_ sample: Sample, at index: Int) {
    if let peak = sample.peakKibibytes {
      counts[index].peakKibibytes = max(counts[index].peakKibibytes ?? 0, peak)
      counts[index].memoryMeasure = sample.memoryMeasure
    }
    counts[index].allocations = sample.allocations ?? counts[index].allocations
    counts[index].allocatedBytes = sample.allocatedBytes ?? counts[index].allocatedBytes
    counts[index].systemCalls = sample.systemCalls ?? counts[index].systemCalls
  }

  // MARK: The result

  package var result: CaseResult {
    var result = CaseResult(
      suite: benchmark.suite, name: benchmark.name, unit: benchmark.unit, amount: benchmark.amount,
      bytesPerItem: benchmark.bytesPerItem, figures: figures, failure: failure)
    guard !rounds.isEmpty else { return result }
    result.contenders = benchmark.contenders.enumerated().map { index, contender in
      ContenderResult(
        contender: contender, seconds: rounds.compactMap { $0[index].median },
        peakKibibytes: counts[index].peakKibibytes, memoryMeasure: counts[index].memoryMeasure,
        allocations: counts[index].allocations, allocatedBytes: counts[index].allocatedBytes,
        systemCalls: counts[index].systemCalls, ratio: index == 0 ? nil : Estimate(ofMedian: ratios(of: index)),
        failure: contenderFailures[index])
    }
    result.verdicts = benchmark.goals.compactMap { $0.verdict(on: result) }
    return result
  }

  /// Returns the ratio of a contender's time to that of the first contender, for each repetition.
  ///
  /// A disturbance that affects both contenders at the same time cancels out.
  private func ratios(of index: Int) -> [Double] {
    rounds.compactMap { samples in
      zip(samples[index], samples[0]).filter { $0.1 > 0 }.map { $0.0 / $0.1 }.median
    }
  }
}

/// A measured value other than a time, such as the number of bytes of each of a million objects.
package struct Figure: Sendable, Codable, Equatable {
  package var name: String
  package var value: Double
  package var unit: String
  /// The maximum value that is acceptable, or `nil` for no goal.
  package var goal: Double?

  package var isMet: Bool { goal.map { value <= $0 } ?? true }

  package init(_ name: String, _ value: Double, unit: String, goal: Double? = nil) {
    self.name = name
    self.value = value
    self.unit = unit
    self.goal = goal
  }
}

extension JSONEncoder {
  /// An encoder that sorts keys and indents, so that differences between two files are readable.
  static var readable: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return encoder
  }
}
