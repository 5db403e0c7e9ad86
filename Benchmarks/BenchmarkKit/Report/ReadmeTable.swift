// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The table of a run for a README.
///
/// For each suite it shows the lowest and the highest ratio to a peer.
///
/// It also shows every case in which a peer is faster beyond chance.
package struct ReadmeTable: Sendable {
  /// The error for a text without both markers of the table.
  package struct MarkersMissing: Error, CustomStringConvertible {
    package let description =
      "wants one line \(ReadmeTable.begin) and behind it one line \(ReadmeTable.end), between which the table belongs"
  }

  package static let begin = "<!-- benchmarks: begin -->"
  package static let end = "<!-- benchmarks: end -->"
  /// The maximum number of rows.
  ///
  /// If there are more, the smallest losses are left out, and a note states their number.
  package static let longest = 30

  /// A case, and the contenders of it that the table shows.
  private struct Row {
    let result: CaseResult
    let shown: [ContenderResult]
    /// Whether the case has the lowest or the highest ratio of its suite, and must be shown.
    let isExtreme: Bool

    var least: Double { shown.compactMap(\.ratio?.median).min() ?? 1 }
  }

  private let run: RunResult

  package init(_ run: RunResult) {
    self.run = run
  }

  /// Returns a text with the table between its markers.
  ///
  /// The previous text between the markers is replaced.
  ///
  /// - Throws: `MarkersMissing` unless the text has exactly one of each marker, in the right order.
  package func replacing(in text: String) throws -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let begins = lines.indices.filter { lines[$0] == Self.begin }
    let ends = lines.indices.filter { lines[$0] == Self.end }
    guard begins.count == 1, ends.count == 1, begins[0] < ends[0] else { throw MarkersMissing() }
    let (before, after) = (lines[...begins[0]], lines[ends[0]...])
    return (before.map(String.init) + ["", self.text, ""] + after.map(String.init)).joined(separator: "\n")
  }

  /// The table and a note about the run.
  package var text: String {
    let all = BenchmarkSuite.allCases.flatMap(rows)
    let losses = all.filter { !$0.isExtreme }.sorted { $0.least < $1.least }
    let room = max(0, Self.longest - (all.count - losses.count))
    let shown = Set(losses.prefix(room).map(\.result.identifier))
    let rows = all.filter { $0.isExtreme || shown.contains($0.result.identifier) }
    var lines = ["| what | ours | beside it, times as long as ours [95 %] |", "|---|---|---|"] + rows.map(line)
    lines += ["", note(leftOut: all.count - rows.count)]
    return lines.joined(separator: "\n")
  }

  private func rows(_ suite: BenchmarkSuite) -> [Row] {
    let cases = run.cases.filter { $0.suite == suite }
    let ratios = cases.flatMap { Self.peers(of: $0).compactMap(\.ratio?.median) }
    let extremes = [ratios.min(), ratios.max()].compactMap { $0 }
    return cases.compactMap { result in
      let isExtreme = { (item: ContenderResult) in item.ratio.map { extremes.contains($0.median) } ?? false }
      let losses = result.losses(to: .peer)
      let shown = Self.peers(of: result).filter { isExtreme($0) || losses.contains($0) }
      return shown.isEmpty ? nil : Row(result: result, shown: shown, isExtreme: shown.contains(where: isExtreme))
    }
  }

  private static func peers(of result: CaseResult) -> [ContenderResult] {
    result.contenders.dropFirst().filter { $0.contender.kind == .peer && $0.ratio != nil }
  }

  private func line(_ row: Row) -> String {
    let seconds = row.result.contenders.first?.medianSeconds ?? 0
    let ours = row.result.amount == 1 ? Figures.seconds(seconds) : CaseRows.rate(seconds, of: row.result)
    let others = row.shown.map { item in
      "\(MarkdownText.escaped(item.contender.name)) \(item.ratio.map(Self.interval) ?? "")"
    }
    let name = MarkdownText.escaped("\(row.result.suite.rawValue): \(row.result.name)")
    return "| \(name) | \(ours) | \(others.joined(separator: "; ")) |"
  }

  private static func interval(_ estimate: Estimate) -> String {
    guard let low = estimate.low, let high = estimate.high else { return "**\(Figures.number(estimate.median))**" }
    return "**\(Figures.number(estimate.median))** [\(Figures.number(low)), \(Figures.number(high))]"
  }

  private func note(leftOut: Int) -> String {
    let facts = run.circumstances.facts.map { "\($0.name): \($0.value)" }.joined(separator: "; ")
    var text = "For each suite, the worst and the best ratio to an alternative, chosen after the run, and "
    text += "every loss to it beyond chance"
    text += leftOut == 0 ? ". " : ", apart from \(leftOut) cases with lesser losses. "
    if run.failureCount > 0 { text += "\(run.failureCount) could not be measured, or not all of it. " }
    return text + "One run, " + MarkdownText.escaped(facts) + "."
  }
}
