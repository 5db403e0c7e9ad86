// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Measures cases, some repetitions of each and then again from the first: a slow minute of the machine must not be the
/// only one that a case has seen.
package struct BenchmarkRunner: Sendable {
  private let benchmarks: [Benchmark]
  private let repetitions: Int
  private let passes: Int
  private let say: @Sendable (String) -> Void

  /// Prepares a run.
  ///
  /// - Parameters:
  ///   - benchmarks: What to measure, in this order.
  ///   - repetitions: How often each case is measured, beside once for counting.
  ///   - passes: Over how many passes the repetitions are spread.
  ///   - say: Is told what was measured, a line at a time.
  package init(
    _ benchmarks: [Benchmark], repetitions: Int, passes: Int, say: @escaping @Sendable (String) -> Void
  ) {
    self.benchmarks = benchmarks
    self.repetitions = repetitions
    self.passes = max(1, min(passes, repetitions))
    self.say = say
  }

  /// Measures everything; a case that fails takes no other with it.
  ///
  /// - Throws: `CancellationError`.
  package func run() async throws -> [CaseResult] {
    var records = benchmarks.map(CaseRecord.init)
    for pass in 0..<passes {
      for (index, benchmark) in benchmarks.enumerated() where !records[index].hasFailed {
        try Task.checkCancellation()
        let start = ContinuousClock.now
        // What does not divide goes to the first passes.
        let share = repetitions / passes + (pass < repetitions % passes ? 1 : 0)
        do {
          if pass == 0 { records[index].count(try await benchmark.repeatOnce(.counting)) }
          for _ in 0..<share { records[index].time(try await benchmark.repeatOnce(.timing)) }
        } catch {
          records[index].fail("\(error)")
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        say(line(index, pass, records[index].result, seconds))
      }
    }
    return records.map(\.result)
  }

  private func line(_ index: Int, _ pass: Int, _ result: CaseResult, _ seconds: Double) -> String {
    let total = "\(benchmarks.count)"
    let number = String(repeating: " ", count: max(0, total.count - "\(index + 1)".count)) + "\(index + 1)"
    let place = passes == 1 ? "[\(number)/\(total)]" : "[\(pass + 1)/\(passes) \(number)/\(total)]"
    return "\(place) \(result.identifier): \(ResultText.summary(of: result))  (\(Figures.seconds(seconds)))"
  }
}
