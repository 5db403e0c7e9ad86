// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkKit
internal import Foundation
import TestSupport
internal import Testing

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct ResultFileTests {
  @Test func runRoundTrips() throws {
    #expect(try RunResult(jsonData: SampleRun.run.jsonData) == SampleRun.run)
  }

  @Test func derivedFiguresAreWrittenWithTheirIntervalAndNeverRead() throws {
    var run = SampleRun.run
    run.cases[0].contenders[0].seconds = [6, 1, 2, 3, 4, 5]
    let text = String(decoding: try run.jsonData, as: UTF8.self)
    let figures = ["\"repetitions\" : 6", "\"median\" : 3.5", "\"low\" : 1", "\"high\" : 6"]
    #expect(figures.filter { !text.contains($0) } == [])
    let changed = text.replacingOccurrences(of: "\"median\" : 3.5", with: "\"median\" : 1")
    #expect(try RunResult(jsonData: Data(changed.utf8)) == run)
  }

  @Test func otherFilesAreRefused() throws {
    let text = String(decoding: try SampleRun.run.jsonData, as: UTF8.self)
    let other = text.replacingOccurrences(of: "\"format\" : 1", with: "\"format\" : 2")
    #expect(other != text)
    for bytes in [
      other, "", "{}", "[1]", "{\"format\":1}", String(repeating: "[", count: 100_000), "\u{0}",
    ] {
      #expect(throws: DecodingError.self, "\(bytes.prefix(20))") { try RunResult(jsonData: Data(bytes.utf8)) }
    }
  }

  @Test func keysAreStable() throws {
    var run = RunResult(circumstances: SampleRun.circumstances)
    run.circumstances.commit = "0123456789ab"
    run.circumstances.configuration = "release"
    run.circumstances.fileSystem = "ext4"
    run.circumstances.load = 0.5
    run.circumstances.versions = ["tar": "1.34"]
    run.circumstances.workload = Circumstances.Workload(items: 500, megabytes: 64, repetitions: 6)
    run.cases = [
      CaseResult(
        suite: .coding, name: "cards", unit: .items, amount: 2, bytesPerItem: 100,
        contenders: [
          ContenderResult(
            contender: Contender("64 KiB", .peer, group: "plain"), seconds: [0.5], peakKibibytes: 512,
            memoryMeasure: .heap, allocations: 4, allocatedBytes: 64, systemCalls: 1,
            ratio: Estimate(median: 9, low: 5.5, high: 10), failure: "once")
        ], figures: [Figure("peak", 1.75, unit: "x", goal: 1.5)], verdicts: [Verdict("x", 9, 7, isMet: true)],
        failure: "none")
    ]
    run.curves = [
      Curve(
        suite: .stream, name: "bytes", unit: .bytes,
        lines: [.init(contender: Contender("ours", .ours), points: [.init(amount: 1, seconds: 0.5)])])
    ]
    let text = String(decoding: try run.jsonData, as: UTF8.self)
    #expect(text.hasPrefix("{\n  \"cases\" : [\n    {\n      \"amount\" : 2,\n") && text.hasSuffix("\n}\n"))
    // Joins the lines, without their indentation.
    let lines = text.split(separator: "\n").map { $0.drop { $0 == " " }.replacingOccurrences(of: "\" : ", with: "\":") }
    #expect(lines.joined() == Self.compactText)
  }

  private static let compactText = """
    {"cases":[{"amount":2,"bytesPerItem":100,"contenders":[{"allocatedBytes":64,"allocations":4,\
    "contender":{"group":"plain","kind":"peer","name":"64 KiB"},\
    "derived":{"bytesPerSecond":400,"itemsPerSecond":4,"repetitions":1,"seconds":{"median":0.5}},\
    "failure":"once","memoryMeasure":"heap","peakKibibytes":512,"ratio":{"high":10,"low":5.5,"median":9},\
    "seconds":[0.5],"systemCalls":1}],"failure":"none",\
    "figures":[{"goal":1.5,"name":"peak","unit":"x","value":1.75}],"name":"cards","suite":"coding","unit":"items",\
    "verdicts":[{"goal":7,"isMet":true,"name":"x","unit":"","value":9}]}],\
    "circumstances":{"command":"swift run -c release ThroughputBenchmarks --quick","commit":"0123456789ab",\
    "compiler":"Swift 6.3","configuration":"release","date":"2026-01-02T03:04:05Z","fileSystem":"ext4","load":0.5,\
    "memoryKibibytes":4194304,"processor":"<b>\\"Quick\\" & 'small'</b>","processorCount":2,"system":"Linux 6.1",\
    "versions":{"tar":"1.34"},"workload":{"items":500,"megabytes":64,"repetitions":6}},\
    "curves":[{"lines":[{"contender":{"kind":"ours","name":"ours"},"points":[{"amount":1,"seconds":0.5}]}],\
    "name":"bytes","suite":"stream","unit":"bytes"}],"format":1,"remarks":[]}
    """
}
