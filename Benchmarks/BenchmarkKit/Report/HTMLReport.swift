// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A run as a single HTML page that needs no other file.
package struct HTMLReport: Sendable {
  /// The widths of a picture for phones and for desktops.
  ///
  /// The page shows the picture that suits its own width.
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

  // MARK: Introduction

  private var introduction: String {
    let facts = run.circumstances.facts + [("repeat", run.circumstances.command)]
    let remarks = (CaseRows.notes + run.remarks).map { "<li>\(Markup.escaped($0))</li>\n" }.joined()
    return """
      <p>A bar shows the time of a contender relative to this package, for the same work in the same run.
      Right of 1.0 this package is faster, left of it the other contender is. The thin line is the interval that holds the
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

/// Functions that prepare text for XML and HTML.
package enum Markup {
  /// Escapes text for content and for quoted attributes.
  ///
  /// Characters that no page may contain are replaced.
  package static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      case "\t", "\n", "\r": escaped.unicodeScalars.append(scalar)
      case "\0"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// Returns a number with at most one decimal, limited to ±10⁹.
  package static func number(_ value: Double) -> String {
    guard value.isFinite else { return "0" }
    let tenths = Int((max(-1e9, min(1e9, value)) * 10).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(Double(tenths) / 10)"
  }
}

/// The style sheet of the page, for light and dark mode.
enum HTMLStyle {
  static let text = """
    :root { color-scheme: light dark; --paper: #fff; --ink: #1b1f24; --faint: #59636e; --grid: #dfe3e8;
      --faster: #2f7d4f; --slower: #c2571a; --limit: #8a93a0; --missed: #b3261e;
      --s0: #1f6feb; --s1: #c2571a; --s2: #2f7d4f; --s3: #8250df; --s4: #b3261e; --s5: #59636e; }
    @media (prefers-color-scheme: dark) {
      :root { --paper: #14171b; --ink: #e6e9ed; --faint: #9aa4af; --grid: #2c333b;
        --faster: #56b27c; --slower: #f0883e; --limit: #7d8794; --missed: #ff8a80;
        --s0: #58a6ff; --s1: #f0883e; --s2: #56b27c; --s3: #bc8cff; --s4: #ff8a80; --s5: #9aa4af; } }
    * { box-sizing: border-box; }
    body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, "DejaVu Sans", sans-serif; }
    main { max-width: 1112px; margin: 0 auto; padding: 16px; }
    h1 { font-size: 1.7rem; line-height: 1.2; } h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--grid); }
    dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 16px; font-size: .9rem; }
    dt { color: var(--faint); } dd { margin: 0; overflow-wrap: anywhere; }
    svg { display: block; max-width: 100%; height: auto; font-family: inherit; }
    svg.narrow { display: none; }
    @media (max-width: 700px) { svg.narrow { display: block; width: 100%; } svg.wide { display: none; } }
    .text { fill: var(--ink); } .strong { font-weight: 600; } .faint { fill: var(--faint); }
    .grid { stroke: var(--grid); } .axis { stroke: var(--ink); stroke-width: 1.5; }
    .whisker { stroke: var(--ink); stroke-width: 1.2; }
    .faster { fill: var(--faster); } .slower { fill: var(--slower); } .limit { fill: var(--limit); }
    .line { fill: none; stroke-width: 2; } .dot { stroke: none; } .spread { stroke-width: 5; opacity: 0.3; }
    .spread.series0 { stroke: var(--s0); }
    .line.series0 { stroke: var(--s0); } .dot.series0 { fill: var(--s0); }
    .spread.series1 { stroke: var(--s1); }
    .line.series1 { stroke: var(--s1); stroke-dasharray: 7 3; } .dot.series1 { fill: var(--s1); }
    .spread.series2 { stroke: var(--s2); }
    .line.series2 { stroke: var(--s2); stroke-dasharray: 2 3; } .dot.series2 { fill: var(--s2); }
    .spread.series3 { stroke: var(--s3); }
    .line.series3 { stroke: var(--s3); stroke-dasharray: 9 3 2 3; } .dot.series3 { fill: var(--s3); }
    .spread.series4 { stroke: var(--s4); }
    .line.series4 { stroke: var(--s4); stroke-dasharray: 4 4; } .dot.series4 { fill: var(--s4); }
    .spread.series5 { stroke: var(--s5); }
    .line.series5 { stroke: var(--s5); stroke-dasharray: 1 2; } .dot.series5 { fill: var(--s5); }
    .scroll { overflow-x: auto; } summary { cursor: pointer; color: var(--faint); margin: 8px 0; }
    table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; }
    th, td { padding: 3px 10px 3px 0; text-align: right; white-space: nowrap; }
    th { color: var(--faint); font-weight: 500; } th:first-child, td:first-child { text-align: left; }
    th.case { color: var(--ink); font-weight: 600; padding-top: 14px; border-bottom: 1px solid var(--grid); }
    td.met, td.missed { white-space: normal; color: var(--faint); } .missed, td.missed { color: var(--missed); font-weight: 600; }
    """
}
