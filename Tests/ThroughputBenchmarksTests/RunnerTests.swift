// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkKit
internal import DropSystem
internal import Synchronization
import TestSupport
internal import Testing

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct RunnerTests {
  private struct Broken: Error, CustomStringConvertible {
    let description = "it broke"
  }

  private func samples(_ seconds: Double...) -> [Sample] { seconds.map { Sample(seconds: [$0]) } }

  private func benchmark(
    _ name: String, goals: [Goal] = [], _ repeatOnce: @escaping @Sendable (Benchmark.Purpose) async throws -> [Sample]
  ) -> Benchmark {
    Benchmark(
      .coding, name, .items, amount: 10,
      contenders: [
        Contender("ours", .ours), Contender("4", .peer, group: "plain"), Contender("64", .peer, group: "plain"),
      ],
      goals: goals
    ) { Benchmark.Block(try await repeatOnce($0)) }
  }

  @Test func passHasEveryCaseOnce() async throws {
    let log = Collector<String>()
    let benchmarks = ["a", "b"].map { name in
      benchmark(name) { purpose in
        log.add("\(name) \(purpose.rawValue)")
        return samples(1, 2, 4)
      }
    }
    let (lines, saved) = (Collector<String>(), Collector<[Int]>())
    let results = try await BenchmarkRunner(benchmarks, repetitions: 2) { lines.add($0) }.run { results, passes in
      saved.add([passes] + results.map { $0.contenders[0].seconds.count })
    }
    #expect(log.values == ["a counting", "a timing", "b counting", "b timing", "a timing", "b timing"])
    let counts = results.map { $0.contenders.map(\.seconds.count) }
    #expect((counts, saved.values) == ([[2, 2, 2], [2, 2, 2]], [[1, 1, 1], [2, 2, 2]]))
    #expect(lines.values.count == 4 && lines.values[3].hasPrefix("[2/2 2/2] coding/b: 10/s, 2.00 x 4  ("))
  }

  @Test func ratiosAreOfPairs() async throws {
    let slowness = Lock(1.0)
    let result = try await run(
      benchmark("a") { _ in
        let factor = slowness.withLock { factor in
          factor *= 3
          return factor
        }
        return samples(factor, factor * 2, factor / 2)
      }, repetitions: 6)
    #expect(
      result.contenders.map(\.ratio) == [
        nil, Estimate(median: 2, low: 2, high: 2), Estimate(median: 0.5, low: 0.5, high: 0.5),
      ])
  }

  @Test func failedCaseAffectsNoOther() async throws {
    let results = try await BenchmarkRunner(
      [
        benchmark("broken") { _ in throw Broken() },
        benchmark("short") { _ in samples(1) },
        benchmark("whole") { _ in samples(1, 1, 1) },
      ], repetitions: 1, say: { _ in }
    ).run()
    let (failures, counts) = (results.map(\.failure), [0, 2].map { results[$0].contenders.count })
    #expect((failures, counts) == (["it broke", "1 contenders instead of 3", nil], [0, 3]))
  }

  @Test func firstContenderRotates() async throws {
    let log = Collector<Int>()
    let contenders = [Contender("ours", .ours), Contender("a", .peer), Contender("b", .peer)]
    let result = try await run(
      Benchmark(.coding, "a", .items, amount: 10, contenders: contenders) { index, purpose in
        if purpose == .timing { log.add(index) }
        return Sample(seconds: [Double(index + 1)])
      }, repetitions: 4)
    #expect(log.values == [0, 1, 2, 1, 2, 0, 2, 0, 1, 0, 1, 2])
    #expect(result.contenders.map(\.seconds) == [[1, 1, 1, 1], [2, 2, 2, 2], [3, 3, 3, 3]])
  }

  @Test func lateFailureKeepsMeasurements() async throws {
    let count = Lock(0)
    let result = try await run(
      benchmark("a") { purpose in
        let number = count.withLock { number in
          number += purpose == .timing ? 1 : 0
          return number
        }
        if number > 3 { throw Broken() }
        return samples(1, 2, 4)
      }, repetitions: 12)
    #expect(result.failure == "repetition 4: it broke")
    #expect(result.contenders.map(\.seconds.count) == [3, 3, 3] && count.withLock { $0 } == 5)
    let rows = CaseRows(result)
    #expect((rows.remarks.map(\.text), rows.rows.count) == (["failed: repetition 4: it broke"], 3))
  }

  @Test func failedContenderAffectsNoOther() async throws {
    let contenders = [Contender("ours", .ours), Contender("a", .peer), Contender("b", .peer)]
    let result = try await run(
      Benchmark(.coding, "a", .items, amount: 10, contenders: contenders) { index, _ in
        if index == 1 { throw Broken() }
        return Sample(seconds: [1])
      }, repetitions: 6)
    #expect(result.failure == nil && result.contenders.map(\.failure) == [nil, "it broke", nil])
    #expect(result.contenders.map(\.seconds.count) == [6, 0, 6] && result.contenders[1].ratio == nil)
    #expect(CaseRows(result).remarks.map(\.text) == ["a failed: it broke"])
  }

  @Test func goalUsesTheBestOfAGroup() async throws {
    let goals: [Goal] = [
      .ratio(to: "plain", atLeast: 0.6), .ratio(to: "4", atLeast: 0.6), .allocations(2), .seconds(0.2), .rate(11),
      .ratio(to: "absent", atLeast: 1), .peakKibibytes(100),
    ]
    let result = try await run(
      benchmark("a", goals: goals) { purpose in
        let counts = purpose == .counting
        return [
          Sample(seconds: [1], peakKibibytes: counts ? 120 : nil, allocations: counts ? 25 : nil),
          Sample(seconds: [0.8]), Sample(seconds: [0.5]),
        ]
      }, repetitions: 1)
    let (values, areMet) = (result.verdicts.map(\.value), result.verdicts.map(\.isMet))
    #expect((values, areMet) == ([0.5, 0.8, 2.5, 0.1, 10, 120], [false, true, false, true, false, false]))
  }

  private func run(_ benchmark: Benchmark, repetitions: Int) async throws -> CaseResult {
    try #require(
      try await BenchmarkRunner([benchmark], repetitions: repetitions, say: { _ in }).run().first)
  }
}
