// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkKit

/// A realistic run, with names that contain markup.
enum SampleRun {
  static let circumstances = Circumstances(
    date: "2026-01-02T03:04:05Z", system: "Linux 6.1", processor: "<b>\"Quick\" & 'small'</b>", processorCount: 2,
    memoryKibibytes: 4 << 20, compiler: "Swift 6.3", command: "swift run -c release ThroughputBenchmarks --quick")

  static let run = RunResult(
    circumstances: circumstances, remarks: ["pv is not installed: left out"],
    cases: [
      CaseResult(
        suite: .coding, name: "cards | <script>alert(1)</script>, encode", unit: .items, amount: 1000,
        contenders: [
          ContenderResult(
            contender: Contender("dragpipe CBOR", .ours), seconds: [0.001, 0.001, 0.002], peakKibibytes: 512,
            memoryMeasure: .heap, allocations: 2000, allocatedBytes: 64_000, systemCalls: 0),
          ContenderResult(
            contender: Contender("Foundation JSON", .peer), seconds: [0.009, 0.01, 0.011],
            ratio: Estimate(median: 9, low: 5.5, high: 10)),
          ContenderResult(
            contender: Contender("by hand", .limit), seconds: [0.0005, 0.0005, 0.0005],
            ratio: Estimate(median: 0.5, low: 0.25, high: 0.5)),
        ], figures: [Figure("peak memory, times the output", 1.75, unit: "x", goal: 1.5)],
        verdicts: [Verdict("Foundation JSON x", 9, 7, isMet: true)]),
      CaseResult(
        suite: .tool, name: "one file", unit: .bytes, amount: 64_000_000,
        contenders: [
          ContenderResult(contender: Contender("send | receive", .ours), seconds: [0.08]),
          ContenderResult(
            contender: Contender("cat | cat", .peer), seconds: [0.04], ratio: Estimate(median: 0.5)),
        ]),
      CaseResult(suite: .file, name: "broken", unit: .items, amount: 1, failure: "no <disk>"),
    ],
    curves: [
      Curve(
        suite: .stream, name: "cards through a pipe", unit: .items,
        lines: [
          Curve.Line(
            contender: Contender("dragpipe, verified", .ours),
            points: [.init(amount: 1, seconds: 0.002), .init(amount: 1000, seconds: 0.006)]),
          Curve.Line(
            contender: Contender("Foundation JSON, a line each", .peer),
            points: [.init(amount: 1, seconds: 0.001), .init(amount: 1000, seconds: 0.008)]),
        ])
    ])
}
