// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Whether two runs found the same: the intervals of their ratios overlap.
package struct RunComparison: Sendable {
  package struct Pair: Sendable, Equatable {
    /// The case and whom it is compared with.
    package var name: String
    package var first: Estimate
    package var second: Estimate
  }

  /// As many of all as are to overlap.
  package static let wanted = 0.9

  /// Those whose intervals do not overlap.
  package private(set) var apart: [Pair] = []
  package private(set) var overlapping = 0
  /// What only one of the two runs has, or has without an interval.
  package private(set) var left: [String] = []

  package var isAlike: Bool {
    let total = overlapping + apart.count
    return total > 0 && Double(overlapping) >= Self.wanted * Double(total)
  }

  package init(_ first: RunResult, _ second: RunResult) {
    let (ones, others) = (Self.ratios(first), Self.ratios(second))
    let known = Dictionary(others, uniquingKeysWith: { one, _ in one })
    for (name, estimate) in ones {
      guard let other = known[name], let overlaps = estimate.overlaps(other) else {
        left.append(name)
        continue
      }
      if overlaps {
        overlapping += 1
      } else {
        apart.append(Pair(name: name, first: estimate, second: other))
      }
    }
    let names = Set(ones.map(\.0))
    left += others.map(\.0).filter { !names.contains($0) }
  }

  private static func ratios(_ run: RunResult) -> [(String, Estimate)] {
    run.cases.flatMap { result in
      result.contenders.compactMap { item in item.ratio.map { ("\(result.identifier), \(item.contender.name)", $0) } }
    }
  }

  /// A line for each pair that is apart, and the sum.
  package var text: String {
    var text = apart.map { pair in
      "apart: \(pair.name): \(Figures.ratio(pair.first)) and \(Figures.ratio(pair.second))\n"
    }.joined()
    text += left.map { "not compared: \($0)\n" }.joined()
    let total = overlapping + apart.count
    let part = total == 0 ? "" : " (\(Figures.number(Double(overlapping) / Double(total) * 100)) %)"
    return text + "\(overlapping) of \(total) intervals overlap\(part)\n"
  }
}
