// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkKit
internal import TestSupport
internal import Testing

@Suite("Medians and their intervals", .serialized, .limited, .timeLimit(.minutes(5)))
struct EstimateTests {
  @Test(
    "the interval is that of the sign test", arguments: [(6, 0), (8, 0), (9, 1), (11, 1), (12, 2), (15, 3), (20, 5)])
  func intervalIsThatOfTheSignTest(count: Int, leftOut: Int) throws {
    let values = (1...count).map(Double.init)
    let estimate = try #require(Estimate(ofMedian: values.shuffled()))
    #expect(estimate.low == Double(1 + leftOut))
    #expect(estimate.high == Double(count - leftOut))
    #expect(estimate.median == Double(count + 1) / 2)
  }

  @Test("fewer than six values have no interval", arguments: 1...5)
  func fewValuesHaveNoInterval(count: Int) throws {
    let estimate = try #require(Estimate(ofMedian: (1...count).map(Double.init)))
    #expect(estimate.low == nil && estimate.high == nil)
    #expect(Estimate(ofMedian: []) == nil)
  }

  @Test("nineteen of twenty intervals contain the true median")
  func intervalsCoverTheMedian() throws {
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

  @Test("intervals that share a value overlap")
  func intervalsThatShareAValueOverlap() {
    let one = Estimate(median: 2, low: 1, high: 3)
    #expect(one.overlaps(Estimate(median: 4, low: 3, high: 5)) == true)
    #expect(one.overlaps(Estimate(median: 4, low: 3.1, high: 5)) == false)
    #expect(Estimate(median: 4, low: 3.1, high: 5).overlaps(one) == false)
    #expect(one.overlaps(Estimate(median: 2)) == nil)
  }

  @Test("quantiles lie between their neighbours")
  func quantilesLieBetweenTheirNeighbours() {
    #expect([4, 1, 3, 2].median == 2.5)
    #expect([1, 2, 3, 4, 5].quantile(0.25) == 2)
    #expect([1, 2].quantile(1) == 2)
    #expect([7].quantile(0.99) == 7)
    #expect([Double]().median == nil)
  }
}
