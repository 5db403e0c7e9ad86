// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkKit
internal import TestSupport
internal import Testing

/// Medians, their intervals, and the comparison of two runs by them.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct EstimateTests {
  @Test(arguments: [(6, 0), (8, 0), (9, 1), (11, 1), (12, 2), (15, 3), (20, 5)])
  func intervalIsThatOfTheSignTest(count: Int, leftOut: Int) {
    let values = (1...count).map(Double.init)
    let expected = Estimate(
      median: Double(count + 1) / 2, low: Double(1 + leftOut), high: Double(count - leftOut))
    #expect(Estimate(ofMedian: values.shuffled()) == expected)
  }

  @Test func fewValuesHaveNoInterval() throws {
    for count in 1...5 {
      let estimate = try #require(Estimate(ofMedian: (1...count).map(Double.init)))
      #expect(estimate.low == nil && estimate.high == nil)
    }
    #expect(Estimate(ofMedian: []) == nil)
  }

  @Test func nineteenOfTwentyIntervalsContainTheTrueMedian() throws {
    var generator = SeededGenerator(seed: 7)
    var held = 0
    for _ in 0..<1000 {
      // The values are distributed very unevenly, as times are.
      let values = (0..<15).map { _ in 1 / Double.random(in: 0.01...1, using: &generator) }
      let estimate = try #require(Estimate(ofMedian: values))
      let truth = 1 / 0.505
      if try #require(estimate.low) <= truth, truth <= (try #require(estimate.high)) { held += 1 }
    }
    #expect(held >= 940 && held < 1000)
  }

  @Test func intervalsThatShareAValueOverlap() {
    let (one, far) = (Estimate(median: 2, low: 1, high: 3), Estimate(median: 4, low: 3.1, high: 5))
    let near = Estimate(median: 4, low: 3, high: 5)
    let overlap = [one.overlaps(near), one.overlaps(far), far.overlaps(one), one.overlaps(Estimate(median: 2))]
    #expect(overlap == [true, false, false, nil])
  }

  @Test func quantilesLieBetweenTheirNeighbours() {
    #expect([[4, 1, 3, 2], []].map(\.median) == [2.5, nil])
    let quantiles = [([1, 2, 3, 4, 5], 0.25), ([1, 2], 1), ([7], 0.99)].map { $0.quantile($1) }
    #expect(quantiles == [2, 2, 7])
  }

  // MARK: Two runs

  @Test func runsAreAlikeIfNineOfTenIntervalsOverlap() {
    var other = SampleRun.run
    #expect(RunComparison(SampleRun.run, other).outcome == .alike)
    other.cases[0].contenders[1].ratio = Estimate(median: 12, low: 11, high: 13)
    let comparison = RunComparison(SampleRun.run, other)
    #expect((comparison.outcome, comparison.overlapping, comparison.apart.count) == (.apart, 1, 1))
    // A single repetition has no interval.
    #expect(
      comparison.left == [
        "tool/one file, cat | cat: too few repetitions for an interval", "file/broken: failed in the first run",
      ])
    let line = "9.00 x [5.50, 10.0] and 12.0 x [11.0, 13.0]"
    #expect(comparison.text.contains(line) && comparison.text.hasSuffix("1 of 2 intervals overlap (50.0 %)\n"))
  }

  @Test func unrelatedRunsAreNotCompared() {
    let few = "no ratio has an interval in both runs, which takes six repetitions"
    var one = SampleRun.run
    one.cases = [one.cases[1]]
    let same = RunComparison(one, one)
    #expect(same.outcome == .incomparable(few) && same.text.hasSuffix("nothing to compare: \(few)\n"))
    var (large, small) = (SampleRun.run, SampleRun.run)
    large.circumstances.workload = Circumstances.Workload(items: 20_000, megabytes: 512, repetitions: 12)
    small.circumstances.workload = Circumstances.Workload(items: 500, megabytes: 512, repetitions: 12)
    guard case .incomparable = RunComparison(large, small).outcome else {
      Issue.record("other workloads were compared")
      return
    }
    small.circumstances.workload = Circumstances.Workload(items: 20_000, megabytes: 512, repetitions: 6)
    #expect(RunComparison(large, small).outcome == .alike)
    small.cases[0].amount = 1
    #expect(RunComparison(large, small).left.contains("\(small.cases[0].identifier): other amounts"))
  }
}
