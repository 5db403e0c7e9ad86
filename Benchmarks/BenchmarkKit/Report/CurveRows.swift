// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// How a rate changes with the size, as every report that has no picture shows it.
package struct CurveRows: Sendable {
  package let title: String
  package let headings: [String]
  /// For each size the rates, as many columns as there are headings.
  package let rows: [[String]]

  package init(_ curve: Curve) {
    title = "\(curve.suite.rawValue): \(curve.name)"
    headings = ["size"] + curve.lines.map(\.contender.label)
    rows = Set(curve.lines.flatMap { $0.points.map(\.amount) }).sorted().map { amount in
      let rates = curve.lines.map { line in
        line.points.first { $0.amount == amount }.map { Figures.rate($0.rate, curve.unit) } ?? "-"
      }
      return [Figures.amount(amount, curve.unit)] + rates
    }
  }
}
