// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A run as Markdown tables.
///
/// Lists follow of faster contenders, missed goals, failures and omitted cases.
package struct MarkdownReport: Sendable {
  private let run: RunResult

  package init(_ run: RunResult) {
    self.run = run
  }

  package var text: String {
    var text = introduction
    for suite in BenchmarkSuite.allCases { text += section(suite) }
    if !run.curves.isEmpty { text += "\n### By size\n\n" + run.curves.map(curve).joined(separator: "\n") }
    text += "\n### Where others are faster\n\n" + losses(to: .peer)
    text += "\n### Where code written by hand for nothing but the case is faster\n\n" + losses(to: .limit)
    text += list("Goals that were missed in this run", missed)
    text += list("What failed", run.cases.flatMap(Self.failures) + run.curves.compactMap(Self.failure))
    return text + list("Omitted", run.remarks)
  }

  private var introduction: String {
    let facts = run.circumstances.facts.map { "- \($0.name): \(MarkdownText.escaped($0.value))\n" }.joined()
    return """
      Machines differ: read the ratios, which state the time of a contender relative to ours, with the interval \
      that holds their median with 95 % certainty.

      \(facts)\(CaseRows.notes.map { "- \(MarkdownText.escaped($0))\n" }.joined())
      To repeat it:

      \(MarkdownText.code(run.circumstances.command))
      """
  }

  private func section(_ suite: BenchmarkSuite) -> String {
    let cases = run.cases.filter { $0.suite == suite }
    if cases.isEmpty { return "" }
    var text = "\n### \(suite.rawValue.prefix(1).uppercased() + suite.rawValue.dropFirst())\n\n\(suite.explanation)\n"
    for result in cases {
      let rows = CaseRows(result)
      text += "\n**\(MarkdownText.escaped(rows.title))**\n\n"
      if !rows.rows.isEmpty { text += table(CaseRows.headings, rows.rows) }
      if !rows.remarks.isEmpty {
        text += (rows.rows.isEmpty ? "" : "\n") + rows.remarks.map { "- \(MarkdownText.escaped($0.text))\n" }.joined()
      }
    }
    return text
  }

  private func curve(_ curve: Curve) -> String {
    let rows = CurveRows(curve)
    return "**\(MarkdownText.escaped(rows.title))**\n\n" + table(rows.headings, rows.rows)
  }

  private func table(_ headings: [String], _ rows: [[String]]) -> String {
    func line(_ cells: [String]) -> String { "| " + cells.map(MarkdownText.escaped).joined(separator: " | ") + " |\n" }
    let rule = "|---" + String(repeating: "|---:", count: max(0, headings.count - 1)) + "|\n"
    return line(headings) + rule + rows.map(line).joined()
  }

  private func list(_ title: String, _ lines: [String]) -> String {
    lines.isEmpty ? "" : "\n### \(title)\n\n" + lines.map { "- \(MarkdownText.escaped($0))\n" }.joined()
  }

  // MARK: Goals, failures and losses

  private var missed: [String] {
    run.cases.flatMap { result in
      (result.figures.filter { !$0.isMet }.map(CaseRows.text) + result.verdicts.filter { !$0.isMet }.map(CaseRows.text))
        .map { "\(result.identifier): \($0)" }
    }
  }

  private static func failures(_ result: CaseResult) -> [String] {
    let contenders = result.contenders.compactMap { item in item.failure.map { "\(item.contender.name): \($0)" } }
    return ([result.failure].compactMap { $0 } + contenders).map { "\(result.identifier): \($0)" }
  }

  private static func failure(_ curve: Curve) -> String? {
    curve.failure.map { "\(curve.suite.rawValue)/\(curve.name): \($0)" }
  }

  /// Returns the cases in which contenders of a kind are faster.
  ///
  /// Each member of a group is listed on its own.
  private func losses(to kind: Contender.Kind) -> String {
    let lines = run.cases.compactMap { result -> String? in
      let names = result.losses(to: kind).map { item in
        "\(item.contender.name) takes \(Figures.number(item.ratio?.median ?? 1)) of our time"
          + (item.ratio?.high == nil ? " (too few repetitions to exclude chance)" : "")
      }
      return names.isEmpty
        ? nil : "- \(MarkdownText.escaped("\(result.identifier): \(names.joined(separator: ", "))"))\n"
    }
    return lines.isEmpty ? "In this run, nowhere.\n" : lines.joined()
  }
}

/// Functions that prepare text for Markdown.
package enum MarkdownText {
  /// Characters that may have a meaning in Markdown at any position.
  private static let marks: Set<Unicode.Scalar> = [
    "\\", "`", "*", "_", "[", "]", "{", "}", "|", "~", "#", "$",
  ]

  /// Escapes text so that it is neither markup nor the end of a table's cell.
  package static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in line(text).unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case _ where marks.contains(scalar):
        escaped += "\\"
        escaped.unicodeScalars.append(scalar)
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// Returns a block of code with one line.
  ///
  /// Line ends in the text become spaces.
  package static func code(_ text: String) -> String {
    "    \(line(text))\n"
  }

  /// Replaces line ends by spaces, and characters that no page may contain by U+FFFD.
  private static func line(_ text: String) -> String {
    var line = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\n", "\r", "\t", "\u{85}", "\u{2028}", "\u{2029}": line += " "
      case "\0"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}", "\u{FFFE}",
        "\u{FFFF}":
        line += "\u{FFFD}"
      default: line.unicodeScalars.append(scalar)
      }
    }
    return line
  }
}
