// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Results in words, for a terminal.
package enum ResultText {
  /// One line: how fast, and how it stands to its first peer.
  package static func summary(of result: CaseResult) -> String {
    if let failure = result.failure { return "FAILED, \(failure)" }
    guard let ours = result.contenders.first, let seconds = ours.medianSeconds, seconds > 0 else { return "no time" }
    let rate = "\(Figures.rate(result.amount / seconds, result.unit))"
    guard let first = result.contenders.dropFirst().first, let ratio = first.ratio else { return rate }
    return "\(rate), \(Figures.ratio(ratio)) \(first.contender.name)"
  }

  /// A table for each suite, a line for each contender.
  package static func tables(of run: RunResult) -> String {
    var text = ""
    for suite in BenchmarkSuite.allCases {
      let cases = run.cases.filter { $0.suite == suite }
      if cases.isEmpty { continue }
      text += "\n\(suite.rawValue): \(suite.explanation)\n"
      var table = TextTable(alignedRight: [2, 3, 4, 5, 6])
      table.add(["", "", "rate", "median", "times ours [95 %]", "allocations", "peak"])
      for result in cases { add(result, to: &table) }
      text += table.text
    }
    for curve in run.curves { text += "\n" + self.curve(curve) }
    if !run.remarks.isEmpty { text += "\n" + run.remarks.map { "- \($0)\n" }.joined() }
    return text
  }

  private static func add(_ result: CaseResult, to table: inout TextTable) {
    table.add(["\(result.name) (\(Figures.amount(result.amount, result.unit)))"])
    if let failure = result.failure { table.add(["", "FAILED: \(failure)"]) }
    for item in result.contenders {
      guard let seconds = item.medianSeconds, seconds > 0 else { continue }
      table.add([
        "", item.contender.name + (item.contender.kind == .limit ? " (limit)" : ""),
        Figures.rate(result.amount / seconds, result.unit), spread(item.seconds),
        item.ratio.map(Figures.ratio) ?? "", item.allocations.map { perItem($0, result) } ?? "-",
        item.peakKibibytes.map { Figures.bytes(Double($0) * 1024) } ?? "-",
      ])
    }
    for figure in result.figures {
      let goal = figure.goal.map { ", goal at most \(Figures.number($0))\(figure.isMet ? "" : ": MISSED")" } ?? ""
      table.add(["", "\(figure.name): \(Figures.number(figure.value)) \(figure.unit)\(goal)"])
    }
    for verdict in result.verdicts { table.add(["", self.verdict(verdict)]) }
  }

  /// The median, and between what half of all lies.
  package static func spread(_ seconds: [Double]) -> String {
    guard let median = seconds.median, let low = seconds.quantile(0.25), let high = seconds.quantile(0.75) else {
      return "-"
    }
    let half = median > 0 ? (high - low) / 2 / median * 100 : 0
    return "\(Figures.seconds(median)) ±\(Int(half.rounded(.up))) %"
  }

  /// Of bytes, nothing is counted per byte but for each MiB.
  package static func perItem(_ count: Double, _ result: CaseResult) -> String {
    switch result.unit {
    case .items: "\(Figures.number(count / result.amount))"
    case .bytes: "\(Figures.number(count / result.amount * 1_048_576))/MiB"
    }
  }

  package static func verdict(_ verdict: Verdict) -> String {
    func text(_ value: Double) -> String { verdict.unit == "s" ? Figures.seconds(value) : Figures.count(value) }
    return "goal, \(verdict.name): \(text(verdict.goal)), is \(text(verdict.value))\(verdict.isMet ? "" : ": MISSED")"
  }

  private static func curve(_ curve: Curve) -> String {
    var table = TextTable(alignedRight: Set(1...curve.lines.count))
    table.add(["\(curve.suite.rawValue): \(curve.name), by size"] + curve.lines.map(\.contender.name))
    for amount in Set(curve.lines.flatMap { $0.points.map(\.amount) }).sorted() {
      let rates = curve.lines.map { line in
        line.points.first { $0.amount == amount }.map { Figures.rate($0.rate, curve.unit) } ?? "-"
      }
      table.add(["  " + Figures.amount(amount, curve.unit)] + rates)
    }
    return table.text
  }
}
