// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A runner that measures each case once in every pass, with the contenders in changing order.
///
/// The samples of a case are thus spread over the complete run. If the machine is slow for a minute, only some samples
/// of each case are affected, so an interval over them is meaningful.
package struct BenchmarkRunner: Sendable {
  private let benchmarks: [Benchmark]
  private let repetitions: Int
  private let say: @Sendable (String) -> Void

  /// Prepares a run.
  ///
  /// - Parameters:
  ///   - benchmarks: The cases, in order.
  ///   - repetitions: The number of time measurements of each case. A further measurement takes the counts.
  ///   - say: A closure that is called for each case in every pass, with a line about its results so far.
  package init(_ benchmarks: [Benchmark], repetitions: Int, say: @escaping @Sendable (String) -> Void) {
    self.benchmarks = benchmarks
    self.repetitions = repetitions
    self.say = say
  }

  /// Measures all cases.
  ///
  /// A case that fails does not affect the others.
  ///
  /// - Parameter keep: A closure that is called after each pass, with the results so far and the number of passes.
  /// - Returns: The results of all cases.
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
      // If the task was cancelled, the processes of the case were ended; that is not a failure of the case.
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

/// A part of the benchmarks that can be run alone.
package enum BenchmarkSuite: String, Sendable, Codable, CaseIterable {
  case coding
  case providers
  case registry
  case stream
  case file
  case session
  case tool

  /// A sentence that explains the suite to readers of the report.
  package var explanation: String {
    switch self {
    case .coding: "Values to bytes and back, in one process: the CBOR coders beside what a program would use instead."
    case .providers: "The cost of a promise within one process."
    case .registry: "Looking up types and comparing them."
    case .stream: "A source process and a sink process joined by a pipe; everything that crosses is verified."
    case .file: "Drop files: writing them, and having one item without reading the others."
    case .session: "Two processes that talk through a Unix socket, beside blocking calls on a socket of the same kind."
    case .tool: "Whole processes, from start to exit, as a shell runs them."
    }
  }
}
