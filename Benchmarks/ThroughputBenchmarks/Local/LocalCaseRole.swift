// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit
import CAllocationCounter
import FoundationEssentials

/// The measurement of a `LocalCase` in a process that has no other work.
struct LocalCaseRole {
  /// The minimum seconds of a round.
  ///
  /// Shorter work is repeated within the round.
  private static let shortestRound = 0.004

  /// If one round of each contender takes more seconds than this in total, only one round is measured.
  private static let longestTurn = 0.3

  let work: LocalCase.Work

  func run(_ purpose: Benchmark.Purpose, rounds: Int) async throws -> Benchmark.Block {
    defer { work.finish() }
    return purpose == .counting ? try await count() : try await time(rounds: rounds)
  }

  // MARK: Time

  /// Measures the contenders alternately, so that a slow moment of the machine affects all of them.
  private func time(rounds: Int) async throws -> Benchmark.Block {
    var repeats: [Int] = []
    var total = 0.0
    for round in work.rounds {
      // The first run warms caches. It also shows whether the work is short, so that a second run is needed to measure
      // it.
      var seconds = try await Self.seconds(1, round)
      if seconds < Self.shortestRound * 10 { seconds = try await Self.seconds(1, round) }
      repeats.append(max(1, min(1_000_000, Int(Self.shortestRound / max(seconds, 1e-9)))))
      total += max(seconds, Self.shortestRound)
    }
    let rounds = total > Self.longestTurn ? 1 : rounds
    var samples = work.rounds.map { _ in Sample() }
    // The first contender is chosen at random, so that no contender is always first.
    let first = Int.random(in: work.rounds.indices)
    for turn in 0..<rounds {
      for place in work.rounds.indices {
        let index = (first + turn + place) % work.rounds.count
        samples[index].seconds.append(try await Self.seconds(repeats[index], work.rounds[index]))
      }
    }
    return Benchmark.Block(samples)
  }

  /// Runs `round` several times and returns the mean seconds of a run.
  private static func seconds(_ count: Int, _ round: () async throws -> Void) async throws -> Double {
    let start = ContinuousClock.now
    for _ in 0..<count { try await round() }
    return (ContinuousClock.now - start) / .seconds(1) / Double(count)
  }

  // MARK: Counts

  private func count() async throws -> Benchmark.Block {
    var samples: [Sample] = []
    for round in work.rounds {
      try await round()
      var sample = Sample()
      let before = ProcessCounts.now
      HeapUse.beginCounting()
      try await round()
      count_allocations(false)
      sample.peakKibibytes = HeapUse.peakKibibytes
      let counts = ProcessCounts.now.since(before)
      sample.allocations = Double(counts.allocations)
      sample.allocatedBytes = Double(counts.allocatedBytes)
      sample.systemCalls = Double(counts.systemCalls)
      sample.memoryMeasure = .heap
      samples.append(sample)
    }
    return Benchmark.Block(samples, figures: try await work.figures())
  }
}
