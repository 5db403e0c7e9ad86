// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkKit
import TestSupport
internal import Testing

@Suite("The table of a README", .serialized, .limited, .timeLimit(.minutes(5)))
struct ReadmeTableTests {
  private let place = "# Fast\n\n\(ReadmeTable.begin)\nold\n\(ReadmeTable.end)\nbelow\n"

  private func result(_ suite: BenchmarkSuite, _ name: String, _ ratios: [(Contender, Double)]) -> CaseResult {
    CaseResult(
      suite: suite, name: name, unit: .items, amount: 1000,
      contenders: [ContenderResult(contender: Contender("ours", .ours), seconds: [1e-3])]
        + ratios.map { contender, ratio in
          ContenderResult(
            contender: contender, seconds: [ratio * 1e-3],
            ratio: Estimate(median: ratio, low: ratio * 0.9, high: ratio * 1.1))
        })
  }

  private func run(_ cases: [CaseResult]) -> RunResult {
    RunResult(circumstances: SampleRun.circumstances, cases: cases)
  }

  @Test("each suite shows its worst and best peer, and every loss to a peer")
  func showsTheWorstAndTheBestPeer() {
    let (json, plist) = (Contender("JSON", .peer), Contender("plist", .peer))
    let cases = [
      result(.coding, "a", [(json, 9), (plist, 12)]), result(.coding, "b", [(json, 0.8), (plist, 3)]),
      result(.coding, "c", [(json, 5), (plist, 6)]), result(.coding, "d", [(json, 2), (plist, 0.5)]),
      result(.coding, "e", [(json, 0.95), (Contender("by hand", .limit), 0.1)]), result(.tool, "f", [(json, 1.2)]),
    ]
    let text = ReadmeTable(run(cases)).text
    let rows = text.split(separator: "\n").filter { $0.hasPrefix("| coding") || $0.hasPrefix("| tool") }
    // Case "c" has neither an extreme ratio nor a loss. The loss in case "e" may be chance, or is a loss to a limit.
    #expect(
      rows == [
        "| coding: a | 1.00 M/s | plist **12.0** [10.8, 13.2] |",
        "| coding: b | 1.00 M/s | JSON **0.80** [0.72, 0.88] |",
        "| coding: d | 1.00 M/s | plist **0.50** [0.45, 0.55] |", "| tool: f | 1.00 M/s | JSON **1.20** [1.08, 1.32] |",
      ])
  }

  @Test("the table has a limit, and states the number of omitted rows")
  func tableHasALimit() {
    let json = Contender("JSON", .peer)
    let cases = (0..<100).map { result(.coding, "case \($0)", [(json, 0.1 + Double($0) / 200)]) }
    let text = ReadmeTable(run(cases)).text
    #expect(text.split(separator: "\n").count { $0.hasPrefix("| coding") } == ReadmeTable.longest)
    #expect(text.contains("apart from 70 cases with lesser losses"))
    #expect(text.contains("| coding: case 0 |") && text.contains("| coding: case 99 |") && !text.contains("case 50 "))
  }

  @Test("only the text between the markers is replaced, with the same result each time")
  func replacesTextBetweenMarkers() throws {
    let table = ReadmeTable(SampleRun.run)
    let text = try table.replacing(in: place)
    #expect(text.hasPrefix("# Fast\n\n\(ReadmeTable.begin)\n\n| what |"))
    #expect(text.hasSuffix("\n\n\(ReadmeTable.end)\nbelow\n") && !text.contains("\nold\n"))
    #expect(try table.replacing(in: text) == text)
  }

  @Test(
    "a text without markers, or with two pairs, is refused",
    arguments: ["", "\(ReadmeTable.begin)\n", "\(ReadmeTable.end)\n\(ReadmeTable.begin)\n"])
  func refusesTextWithoutMarkers(text: String) {
    #expect(throws: ReadmeTable.MarkersMissing.self) { try ReadmeTable(SampleRun.run).replacing(in: text) }
    #expect(throws: ReadmeTable.MarkersMissing.self) { try ReadmeTable(SampleRun.run).replacing(in: place + place) }
  }
}
