// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A run as tables for a README: a line for each case and contender, and what is slower than a peer said by name.
package struct MarkdownReport: Sendable {
  private let run: RunResult

  package init(_ run: RunResult) {
    self.run = run
  }

  package var text: String {
    let machine = run.circumstances
    var text = "Measured on \(machine.date) with \(Self.escaped(machine.compiler)): "
    text += "\(Self.escaped(machine.processor)), \(machine.processorCount) threads, \(Self.escaped(machine.system)).\n"
    for suite in BenchmarkSuite.allCases {
      let cases = run.cases.filter { $0.suite == suite && $0.failure == nil }
      if cases.isEmpty { continue }
      text += "\n### \(suite.rawValue.prefix(1).uppercased() + suite.rawValue.dropFirst())\n\n\(suite.explanation)\n\n"
      text += "| what | ours | beside it, times as long as ours [95 %] |\n|---|---|---|\n"
      for result in cases { text += line(result) }
    }
    text += "\n### Where others are faster\n\n" + losses
    let missed = run.cases.flatMap { result in
      result.verdicts.filter { !$0.isMet }.map { "\(result.identifier): \(ResultText.verdict($0))" }
        + result.figures.filter { !$0.isMet }.map {
          "\(result.identifier): \($0.name) \(Figures.number($0.value)) \($0.unit), goal \(Figures.number($0.goal ?? 0))"
        }
    }
    if !missed.isEmpty {
      text += "\n### Goals that were missed in this run\n\n" + missed.map { "- \(Self.escaped($0))\n" }.joined()
    }
    return text
  }

  private func line(_ result: CaseResult) -> String {
    guard let ours = result.contenders.first, let seconds = ours.medianSeconds, seconds > 0 else { return "" }
    var rate = Figures.rate(result.amount / seconds, result.unit)
    if result.amount == 1 { rate = Figures.seconds(seconds) }
    let others = result.contenders.dropFirst().compactMap { item in
      item.ratio.map { "\(item.contender.name) \(Self.interval($0))" }
    }
    let figures = result.figures.map { "\($0.name): \(Figures.number($0.value)) \($0.unit)" }
    let columns = [result.name, rate, (others + figures).joined(separator: "; ")]
    return "| " + columns.map(Self.escaped).joined(separator: " | ") + " |\n"
  }

  private static func interval(_ estimate: Estimate) -> String {
    guard let low = estimate.low, let high = estimate.high else { return "**\(Figures.number(estimate.median))**" }
    return "**\(Figures.number(estimate.median))** [\(Figures.number(low)), \(Figures.number(high))]"
  }

  /// Limits are left out: they are there to be looked at, not to be picked.
  private var losses: String {
    let lines = run.cases.flatMap { result in
      result.contenders.compactMap { item -> String? in
        guard let ratio = item.ratio, ratio.median < 1, item.contender.kind == .peer else { return nil }
        return "- \(Self.escaped(result.identifier)): \(Self.escaped(item.contender.name)) takes "
          + "\(Figures.number(ratio.median)) of our time\n"
      }
    }
    return lines.isEmpty ? "In this run, nowhere.\n" : lines.joined()
  }

  /// Text that a table and a paragraph take as it is; what makes bold stays.
  package static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in text {
      switch character {
      case "|": escaped += "\\|"
      case "<": escaped += "&lt;"
      case "\n", "\r", "\r\n": escaped += " "
      default: escaped.append(character)
      }
    }
    return escaped
  }
}
