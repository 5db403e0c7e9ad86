// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkKit
internal import Foundation
import TestSupport
internal import Testing

private let edges: [Double] = [
  0, -1, -0.5, .leastNonzeroMagnitude, 1e-300, 1e15, 1e19, 1e30, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
]

/// Files of results that this program has not written, or that were changed.
@Suite("Hostile files of results", .serialized, .limited, .timeLimit(.minutes(5)))
struct HostileResultTests {
  private func show(_ run: RunResult) throws {
    let read = try RunResult(jsonData: run.jsonData)
    for text in [HTMLReport(read).markup, MarkdownReport(read).text, ReadmeTable(read).text] { #expect(!text.isEmpty) }
    #expect(ResultText.tables(of: read).isEmpty == (read.cases.isEmpty && read.curves.isEmpty))
    #expect(!RunComparison(read, read).text.isEmpty)
    for result in read.cases { #expect(!ResultText.summary(of: result).isEmpty) }
  }

  @Test("any number can be reported", arguments: edges, edges)
  func anyNumberCanBeReported(one: Double, other: Double) throws {
    var run = SampleRun.run
    for index in run.cases.indices {
      run.cases[index].amount = one
      run.cases[index].bytesPerItem = other
      run.cases[index].figures = [Figure("a", one, unit: "x", goal: other)]
      run.cases[index].verdicts = ["", "s", "KiB", "B/s"].map { Verdict("a", one, other, unit: $0, isMet: false) }
      for item in run.cases[index].contenders.indices {
        run.cases[index].contenders[item].seconds = [one, other, one]
        run.cases[index].contenders[item].allocations = other
        run.cases[index].contenders[item].peakKibibytes = Int.max
        run.cases[index].contenders[item].ratio = Estimate(median: one, low: other, high: one)
      }
    }
    for unit in [WorkUnit.items, .bytes] {
      run.curves = [
        Curve(
          suite: .stream, name: "a", unit: unit,
          lines: [.init(contender: Contender("a", .ours), points: [.init(amount: one, seconds: other)])])
      ]
      run.circumstances.memoryKibibytes = Int.min
      run.circumstances.load = one
      try show(run)
    }
  }

  @Test("empty results can be reported")
  func emptyResultsCanBeReported() throws {
    var run = SampleRun.run
    run.curves = [Curve(suite: .stream, name: "", unit: .bytes, lines: [], failure: "")]
    run.cases[0].contenders = []
    run.cases[1].contenders[0].seconds = []
    try show(run)
    try show(RunResult(circumstances: SampleRun.circumstances))
  }

  @Test("duplicate cases can be compared")
  func duplicateCaseCanBeCompared() throws {
    var run = SampleRun.run
    run.cases += run.cases
    run.cases[0].contenders += run.cases[0].contenders
    try show(run)
  }
}
