// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A case in the form that all reports show: a row for each contender with a time, and remarks.
package struct CaseRows: Sendable {
  package struct Remark: Sendable, Equatable {
    package var text: String
    /// Whether the remark reports a failure or a missed goal.
    package var isMissed: Bool
  }

  package static let headings = [
    "", "rate", "median", "n", "times ours [95 %]", "allocations an item", "memory at most",
  ]

  /// The explanations of the columns, one line each.
  package static let notes = [
    "n repetitions, each in another pass over all cases with another contender first; their median, and ± half of how "
      + "far the middle half of them is spread",
    "memory: " + MemoryMeasure.allCases.map(\.explanation).joined(separator: "; "),
    "\"-\": not counted, as of what another program allocates, or gone before it was seen",
  ]

  package let title: String
  /// The rows, with one column for each heading.
  ///
  /// The first column is the contender's name.
  package let rows: [[String]]
  package let remarks: [Remark]

  package init(_ result: CaseResult) {
    title = "\(result.name) (\(Figures.amount(result.amount, result.unit)))"
    rows = result.contenders.compactMap { Self.row($0, of: result) }
    var remarks: [Remark] = []
    if let failure = result.failure { remarks.append(Remark(text: "failed: \(failure)", isMissed: true)) }
    for item in result.contenders {
      guard let failure = item.failure else { continue }
      remarks.append(Remark(text: "\(item.contender.name) failed: \(failure)", isMissed: true))
    }
    for figure in result.figures { remarks.append(Remark(text: Self.text(figure), isMissed: !figure.isMet)) }
    for verdict in result.verdicts { remarks.append(Remark(text: Self.text(verdict), isMissed: !verdict.isMet)) }
    self.remarks = remarks
  }

  private static func row(_ item: ContenderResult, of result: CaseResult) -> [String]? {
    guard let seconds = item.medianSeconds, seconds > 0 else { return nil }
    return [
      item.contender.label, rate(seconds, of: result), spread(item.seconds), "\(item.seconds.count)",
      item.ratio.map(Figures.ratio) ?? "1", item.allocations.map { perItem($0, result) } ?? "-", memory(item),
    ]
  }

  /// Returns the items and the bytes per second, if they are known.
  package static func rate(_ seconds: Double, of result: CaseResult) -> String {
    let (items, bytes) = (result.itemCount, result.byteCount)
    let rates = [(items, WorkUnit.items), (bytes, .bytes)].compactMap { amount, unit in
      amount.map { Figures.rate($0 / seconds, unit) }
    }
    return (result.unit == .items ? rates : rates.reversed()).joined(separator: ", ")
  }

  private static func memory(_ item: ContenderResult) -> String {
    guard let peak = item.peakKibibytes else { return "-" }
    let size = Figures.bytes(Double(peak) * 1024)
    return item.memoryMeasure.map { "\(size) \($0.rawValue)" } ?? size
  }

  /// Returns the median, and half the interquartile range in percent of the median.
  package static func spread(_ seconds: [Double]) -> String {
    guard let median = seconds.median, let low = seconds.quantile(0.25), let high = seconds.quantile(0.75) else {
      return "-"
    }
    guard seconds.count > 1 else { return Figures.seconds(median) }
    let half = median > 0 ? (high - low) / 2 / median * 100 : 0
    return "\(Figures.seconds(median)) ±\(Figures.whole(half.rounded(.up))) %"
  }

  /// Returns a count for each item or, in cases that measure bytes, for each MiB.
  private static func perItem(_ count: Double, _ result: CaseResult) -> String {
    switch result.unit {
    case .items: "\(Figures.number(count / result.amount))"
    case .bytes: "\(Figures.number(count / result.amount * 1_048_576))/MiB"
    }
  }

  static func text(_ figure: Figure) -> String {
    let goal = figure.goal.map { ", goal at most \(Figures.number($0))\(figure.isMet ? "" : ": MISSED")" } ?? ""
    return "\(figure.name): \(Figures.number(figure.value)) \(figure.unit)\(goal)"
  }

  static func text(_ verdict: Verdict) -> String {
    func text(_ value: Double) -> String {
      switch verdict.unit {
      case "s": Figures.seconds(value)
      case "KiB": Figures.bytes(value * 1024)
      case "B/s": Figures.rate(value, .bytes)
      default: Figures.count(value)
      }
    }
    return "goal, \(verdict.name): \(text(verdict.goal)), is \(text(verdict.value))\(verdict.isMet ? "" : ": MISSED")"
  }
}

/// A curve as a table, for reports without pictures.
package struct CurveRows: Sendable {
  package let title: String
  package let headings: [String]
  /// For each amount, the amount and the rate of each contender.
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
