// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A comparison of two runs, which agree if at least nine of ten intervals of their ratios overlap.
package struct RunComparison: Sendable {
  package struct Pair: Sendable, Equatable {
    /// The case and the contender of the ratio.
    package var name: String
    package var first: Estimate
    package var second: Estimate
  }

  package enum Outcome: Sendable, Equatable {
    case alike
    case apart
    /// The two runs cannot be compared, for the given reason.
    case incomparable(String)
  }

  /// The part of all intervals that must overlap for the runs to agree.
  package static let wanted = 0.9

  /// The pairs whose intervals do not overlap.
  package private(set) var apart: [Pair] = []
  package private(set) var overlapping = 0
  /// The cases and contenders that are not compared, with the reasons.
  package private(set) var left: [String] = []
  private var difference: String?

  package var outcome: Outcome {
    if let difference { return .incomparable(difference) }
    let total = overlapping + apart.count
    guard total > 0 else { return .incomparable("no ratio has an interval in both runs, which takes six repetitions") }
    return Double(overlapping) >= Self.wanted * Double(total) ? .alike : .apart
  }

  package init(_ first: RunResult, _ second: RunResult) {
    difference = Self.difference(first.circumstances, second.circumstances)
    if difference != nil { return }
    let others = Dictionary(second.cases.map { ($0.identifier, $0) }, uniquingKeysWith: { one, _ in one })
    for result in first.cases {
      guard let other = others[result.identifier] else {
        left.append("\(result.identifier): only the first run has it")
        continue
      }
      guard result.failure == nil, other.failure == nil else {
        left.append("\(result.identifier): failed in \(result.failure == nil ? "the second" : "the first") run")
        continue
      }
      guard result.unit == other.unit, result.amount == other.amount else {
        left.append("\(result.identifier): other amounts")
        continue
      }
      compare(result, other)
    }
    let names = Set(first.cases.map(\.identifier))
    left += second.cases.filter { !names.contains($0.identifier) }.map {
      "\($0.identifier): only the second run has it"
    }
  }

  private mutating func compare(_ one: CaseResult, _ other: CaseResult) {
    let ratios = Self.ratios(other)
    let known = Dictionary(ratios, uniquingKeysWith: { one, _ in one })
    let ours = Self.ratios(one)
    for (contender, estimate) in ours {
      let name = "\(one.identifier), \(contender)"
      guard let second = known[contender] else {
        left.append("\(name): only the first run has it")
        continue
      }
      guard let overlaps = estimate.overlaps(second) else {
        left.append("\(name): too few repetitions for an interval")
        continue
      }
      if overlaps {
        overlapping += 1
      } else {
        apart.append(Pair(name: name, first: estimate, second: second))
      }
    }
    let names = Set(ours.map(\.0))
    left += ratios.filter { !names.contains($0.0) }.map { "\(one.identifier), \($0.0): only the second run has it" }
  }

  private static func ratios(_ result: CaseResult) -> [(String, Estimate)] {
    result.contenders.compactMap { item in item.ratio.map { (item.contender.name, $0) } }
  }

  /// Returns the reason why two runs are not comparable, or `nil` if there is no known reason.
  private static func difference(_ one: Circumstances, _ other: Circumstances) -> String? {
    if let first = one.configuration, let second = other.configuration, first != second {
      return "a \(first) build and a \(second) build"
    }
    guard let first = one.workload, let second = other.workload else { return nil }
    guard first.items == second.items, first.megabytes == second.megabytes else {
      return "\(first.items) heroes and \(first.megabytes) MB in one run, "
        + "\(second.items) heroes and \(second.megabytes) MB in the other"
    }
    return nil
  }

  /// A line for each pair of intervals that do not overlap, and the totals.
  package var text: String {
    var text = apart.map { pair in
      "apart: \(pair.name): \(Figures.ratio(pair.first)) and \(Figures.ratio(pair.second))\n"
    }.joined()
    text += left.map { "not compared: \($0)\n" }.joined()
    if case .incomparable(let reason) = outcome { return text + "nothing to compare: \(reason)\n" }
    let total = overlapping + apart.count
    return text + "\(overlapping) of \(total) intervals overlap "
      + "(\(Figures.number(Double(overlapping) / Double(total) * 100)) %)\n"
  }
}
