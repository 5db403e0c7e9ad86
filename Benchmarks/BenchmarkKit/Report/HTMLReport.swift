// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A run as one page that needs no other file.
package struct HTMLReport: Sendable {
  /// For a phone and for a desk; the page shows the one that fits.
  private static let widths = [(style: "narrow", width: 340.0), (style: "wide", width: 1080.0)]

  private let run: RunResult

  package init(_ run: RunResult) {
    self.run = run
  }

  package var markup: String {
    var body = "<h1>Throughput of DragPipe</h1>\n" + introduction
    for suite in BenchmarkSuite.allCases { body += section(suite) }
    if !run.curves.isEmpty {
      body +=
        "<h2>By size</h2>\n<p>How the rate changes with how much there is at once. A bar about a point spans all its repetitions.</p>\n"
      for curve in run.curves {
        body += "<h3>\(Markup.escaped("\(curve.suite.rawValue): \(curve.name)"))</h3>\n"
        if let failure = curve.failure { body += "<p class=\"missed\">failed: \(Markup.escaped(failure))</p>\n" }
        if let chart = ScalingChart(curve) { body += pictures(chart.picture) }
      }
    }
    return """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>Throughput of DragPipe</title>
      <style>
      \(HTMLStyle.text)
      </style>
      </head>
      <body>
      <main>
      \(body)</main>
      </body>
      </html>

      """
  }

  // MARK: Above all

  private var introduction: String {
    let facts = run.circumstances.facts + [("repeat", run.circumstances.command)]
    let remarks = (CaseRows.notes + run.remarks).map { "<li>\(Markup.escaped($0))</li>\n" }.joined()
    return """
      <p>A bar says how many times as long another one takes for the same work, measured in turn in the same run:
      right of 1.0 this package is faster, left of it the other one is. The thin line is the interval that holds the
      median with 95 % certainty. <i>Limit</i> marks the same values written by hand, unchecked, which no general
      solution can reach. Machines differ: read the ratios, not the times.</p>
      <dl>\(facts.map { "<dt>\($0.name)</dt><dd>\(Markup.escaped($0.value))</dd>" }.joined())</dl>
      \(remarks.isEmpty ? "" : "<ul>\n\(remarks)</ul>\n")
      """
  }

  // MARK: A suite

  private func section(_ suite: BenchmarkSuite) -> String {
    let cases = run.cases.filter { $0.suite == suite }
    if cases.isEmpty { return "" }
    var text = "<h2>\(suite.rawValue)</h2>\n<p>\(Markup.escaped(suite.explanation))</p>\n"
    if let chart = RatioChart(cases, title: "Ratios of the suite \(suite.rawValue)") { text += pictures(chart.picture) }
    text += "<details open><summary>Figures</summary>\n<div class=\"scroll\"><table>\n"
    text += row(CaseRows.headings, element: "th")
    for result in cases { text += rows(result) }
    return text + "</table></div></details>\n"
  }

  private func rows(_ result: CaseResult) -> String {
    let rows = CaseRows(result)
    let title =
      "<tr><th class=\"case\" colspan=\"\(CaseRows.headings.count)\">\(Markup.escaped(rows.title))</th></tr>\n"
    return title + rows.rows.map { row($0) }.joined()
      + rows.remarks.map { remark($0.text, style: $0.isMissed ? "missed" : "met") }.joined()
  }

  private func row(_ columns: [String], element: String = "td") -> String {
    "<tr>" + columns.map { "<\(element)>\(Markup.escaped($0))</\(element)>" }.joined() + "</tr>\n"
  }

  private func remark(_ text: String, style: String) -> String {
    "<tr><td class=\"\(style)\" colspan=\"\(CaseRows.headings.count)\">\(Markup.escaped(text))</td></tr>\n"
  }

  private func pictures(_ draw: (Double) -> SVGPicture) -> String {
    Self.widths.map { draw($0.width).markup(style: $0.style) }.joined()
  }
}
