// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Measures cases, one repetition of each and then again from the first, each time with the contenders in another order.
///
/// A slow minute of the machine must not be the only one that a case has seen: values of one case lie as far apart as the
/// run is long, so that an interval over them means what it says.
package struct BenchmarkRunner: Sendable {
  private let benchmarks: [Benchmark]
  private let repetitions: Int
  private let say: @Sendable (String) -> Void

  /// Prepares a run.
  ///
  /// - Parameters:
  ///   - benchmarks: What to measure, in this order.
  ///   - repetitions: How often each case is measured, beside once for counting.
  ///   - say: Is told what was measured, a line at a time.
  package init(_ benchmarks: [Benchmark], repetitions: Int, say: @escaping @Sendable (String) -> Void) {
    self.benchmarks = benchmarks
    self.repetitions = repetitions
    self.say = say
  }

  /// Measures everything; a case that fails takes no other with it.
  ///
  /// - Parameter keep: Is given what is known after each pass over all cases, and how many passes there were.
  /// - Returns: What is known in the end, case by case.
  /// - Throws: `CancellationError`.
  package func run(keep: @Sendable ([CaseResult], Int) async -> Void = { _, _ in }) async throws -> [CaseResult] {
    var records = benchmarks.map(CaseRecord.init)
    for pass in 0..<repetitions {
      for (index, benchmark) in benchmarks.enumerated() where !records[index].isHopeless {
        let start = ContinuousClock.now
        if pass == 0 { try await attempt(&records[index]) { $0.count(try await benchmark.repeatOnce(.counting)) } }
        try await attempt(&records[index]) { $0.time(try await benchmark.repeatOnce(.timing, turn: pass)) }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        say(line(index, pass, records[index].result, seconds))
      }
      await keep(records.map(\.result), pass + 1)
    }
    return records.map(\.result)
  }

  private func attempt(_ record: inout CaseRecord, _ body: (inout CaseRecord) async throws -> Void) async throws {
    try Task.checkCancellation()
    do {
      try await body(&record)
    } catch let error as CancellationError {
      throw error
    } catch {
      // What is stopped from outside ends its processes, too, which is no failure of the case.
      try Task.checkCancellation()
      record.fail("\(error)")
    }
  }

  private func line(_ index: Int, _ pass: Int, _ result: CaseResult, _ seconds: Double) -> String {
    let total = "\(benchmarks.count)"
    let number = String(repeating: " ", count: max(0, total.count - "\(index + 1)".count)) + "\(index + 1)"
    let place = repetitions == 1 ? "[\(number)/\(total)]" : "[\(pass + 1)/\(repetitions) \(number)/\(total)]"
    return "\(place) \(result.identifier): \(ResultText.summary(of: result))  (\(Figures.seconds(seconds)))"
  }
}
