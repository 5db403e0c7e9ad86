// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A run as tables for a README: a line for each case, and what is faster than this package said by name.
package struct MarkdownReport: Sendable {
  private let run: RunResult

  package init(_ run: RunResult) {
    self.run = run
  }

  package var text: String {
    let machine = run.circumstances
    var text = "Measured on \(machine.date) with \(Self.escaped(machine.compiler)): "
    text += "\(Self.escaped(machine.processor)), \(machine.processorCount) threads, \(Self.escaped(machine.system)). "
    text += "Machines differ: read the ratios. To repeat it:\n\n    \(machine.command)\n"
    for suite in BenchmarkSuite.allCases {
      let cases = run.cases.filter { $0.suite == suite && $0.failure == nil }
      if cases.isEmpty { continue }
      text += "\n### \(suite.rawValue.prefix(1).uppercased() + suite.rawValue.dropFirst())\n\n\(suite.explanation)\n\n"
      text += "| what | ours | beside it, times as long as ours [95 %] |\n|---|---|---|\n"
      for result in cases { text += line(result) }
    }
    text += "\n### Where others are faster\n\n" + losses(to: .peer)
    text += "\n### Where code written by hand for nothing but the case is faster\n\n" + losses(to: .limit)
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
    let others = Self.rivals(of: result).compactMap { item in
      item.ratio.map { "\(item.contender.name) \(Self.interval($0))" }
    }
    let figures = result.figures.map { "\($0.name): \(Figures.number($0.value)) \($0.unit)" }
    let columns = [result.name, rate, (others + figures).joined(separator: "; ")]
    return "| " + columns.map(Self.escaped).joined(separator: " | ") + " |\n"
  }

  /// All but the first; of a group only the best.
  private static func rivals(of result: CaseResult) -> [ContenderResult] {
    result.contenders.dropFirst().filter { item in
      guard let group = item.contender.group, let ratio = item.ratio?.median else { return true }
      let best = result.contenders.filter { $0.contender.group == group }.compactMap(\.ratio?.median).min()
      return ratio == best
    }
  }

  private static func interval(_ estimate: Estimate) -> String {
    guard let low = estimate.low, let high = estimate.high else { return "**\(Figures.number(estimate.median))**" }
    return "**\(Figures.number(estimate.median))** [\(Figures.number(low)), \(Figures.number(high))]"
  }

  /// Of every member of a group, too: that the best of it may be level by chance excuses no loss to another.
  private func losses(to kind: Contender.Kind) -> String {
    let lines = run.cases.compactMap { result -> String? in
      let names = result.losses(to: kind).map { item in
        "\(item.contender.name) takes \(Figures.number(item.ratio?.median ?? 1)) of our time"
          + (item.ratio?.high == nil ? " (too few repetitions to exclude chance)" : "")
      }
      return names.isEmpty
        ? nil : "- \(Self.escaped(result.identifier)): \(Self.escaped(names.joined(separator: ", ")))\n"
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
