// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Gathers the repetitions of a case.
package struct CaseRecord: Sendable {
  private let benchmark: Benchmark
  private var counts: [Sample]
  private var figures: [Figure] = []
  /// Repetition by repetition, one sample for each contender.
  private var rounds: [[[Double]]] = []
  private var failure: String?

  package var hasFailed: Bool { failure != nil }

  package init(_ benchmark: Benchmark) {
    self.benchmark = benchmark
    counts = benchmark.contenders.map { _ in Sample() }
  }

  /// Takes what was counted while no time was taken.
  package mutating func count(_ block: Benchmark.Block) {
    guard accepts(block) else { return }
    for (index, sample) in block.samples.enumerated() { mergeCounts(sample, at: index) }
    figures = block.figures
  }

  /// Takes the times of a repetition.
  package mutating func time(_ block: Benchmark.Block) {
    guard accepts(block) else { return }
    guard block.samples.allSatisfy({ !$0.seconds.isEmpty }) else {
      fail("a contender has no time")
      return
    }
    rounds.append(block.samples.map(\.seconds))
    for (index, sample) in block.samples.enumerated() { mergeCounts(sample, at: index) }
  }

  /// Says that the case cannot be measured.
  package mutating func fail(_ reason: String) {
    failure = failure ?? reason
  }

  private mutating func accepts(_ block: Benchmark.Block) -> Bool {
    if block.samples.count != counts.count { fail("\(block.samples.count) contenders instead of \(counts.count)") }
    return failure == nil
  }

  /// The highest peak counts; of what hardly varies the last count does.
  private mutating func mergeCounts(_ sample: Sample, at index: Int) {
    if let peak = sample.peakKibibytes { counts[index].peakKibibytes = max(counts[index].peakKibibytes ?? 0, peak) }
    counts[index].allocations = sample.allocations ?? counts[index].allocations
    counts[index].allocatedBytes = sample.allocatedBytes ?? counts[index].allocatedBytes
    counts[index].systemCalls = sample.systemCalls ?? counts[index].systemCalls
  }

  // MARK: The result

  package var result: CaseResult {
    var result = CaseResult(
      suite: benchmark.suite, name: benchmark.name, unit: benchmark.unit, amount: benchmark.amount, figures: figures,
      failure: failure)
    guard failure == nil else { return result }
    result.contenders = benchmark.contenders.enumerated().map { index, contender in
      ContenderResult(
        contender: contender, seconds: rounds.map { $0[index].median ?? 0 },
        peakKibibytes: counts[index].peakKibibytes, allocations: counts[index].allocations,
        allocatedBytes: counts[index].allocatedBytes, systemCalls: counts[index].systemCalls,
        ratio: index == 0 ? nil : Estimate(ofMedian: ratios(of: index)))
    }
    result.verdicts = benchmark.goals.compactMap { $0.verdict(on: result) }
    return result
  }

  /// One of each repetition: what happens to both at one moment cancels out.
  private func ratios(of index: Int) -> [Double] {
    rounds.compactMap { samples in
      zip(samples[index], samples[0]).filter { $0.1 > 0 }.map { $0.0 / $0.1 }.median
    }
  }
}
