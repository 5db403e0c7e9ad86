// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Functions that describe results for a terminal.
package enum ResultText {
  /// Returns one line with the rate of this package and the ratio to the second contender.
  package static func summary(of result: CaseResult) -> String {
    let failure = result.failure.map { "FAILED, \($0)" }
    guard let ours = result.contenders.first, let seconds = ours.medianSeconds, seconds > 0 else {
      return failure ?? "no time"
    }
    var parts = [CaseRows.rate(seconds, of: result)]
    if let first = result.contenders.dropFirst().first, let ratio = first.ratio {
      parts.append("\(Figures.ratio(ratio)) \(first.contender.name)")
    }
    return (parts + [failure].compactMap { $0 }).joined(separator: ", ")
  }

  /// Returns a table for each suite and for each curve, then the notes of the run.
  package static func tables(of run: RunResult) -> String {
    var text = ""
    for suite in BenchmarkSuite.allCases {
      let cases = run.cases.filter { $0.suite == suite }
      if cases.isEmpty { continue }
      text += "\n\(suite.rawValue): \(suite.explanation)\n"
      var table = TextTable(alignedRight: [2, 3, 4, 5, 6, 7])
      table.add([""] + CaseRows.headings)
      for result in cases {
        let rows = CaseRows(result)
        table.add([rows.title])
        for row in rows.rows { table.add([""] + row) }
        for remark in rows.remarks { table.add(["", remark.text]) }
      }
      text += table.text
    }
    for curve in run.curves { text += "\n" + self.curve(curve) }
    let notes = (run.cases.isEmpty ? [] : CaseRows.notes) + run.remarks
    return text + (notes.isEmpty ? "" : "\n" + notes.map { "- \($0)\n" }.joined())
  }

  private static func curve(_ curve: Curve) -> String {
    let rows = CurveRows(curve)
    var table = TextTable(alignedRight: Set(rows.headings.indices.dropFirst()))
    table.add(["\(rows.title), by size"] + rows.headings.dropFirst())
    for row in rows.rows { table.add(["  " + row[0]] + row.dropFirst()) }
    return table.text + (curve.failure.map { "  failed: \($0)\n" } ?? "")
  }
}

/// A table with aligned columns.
///
/// The last cell of a row with one or two cells does not widen its column.
package struct TextTable: Sendable {
  private let alignedRight: Set<Int>
  private var rows: [[String]] = []

  package init(alignedRight: Set<Int>) {
    self.alignedRight = alignedRight
  }

  package mutating func add(_ row: [String]) {
    rows.append(row)
  }

  package var text: String {
    var widths: [Int: Int] = [:]
    for row in rows {
      // The last cell of a short row needs no alignment.
      for (column, text) in row.enumerated() where column + 1 < row.count || row.count > 2 {
        widths[column] = max(widths[column] ?? 0, text.count)
      }
    }
    return rows.map { line($0, widths) + "\n" }.joined()
  }

  private func line(_ row: [String], _ widths: [Int: Int]) -> String {
    let columns = row.enumerated().map { column, text in
      let gap = String(repeating: " ", count: max(0, (widths[column] ?? 0) - text.count))
      return alignedRight.contains(column) ? gap + text : text + gap
    }
    let line = columns.joined(separator: "  ")
    return String(line.reversed().drop { $0 == " " }.reversed())
  }
}
