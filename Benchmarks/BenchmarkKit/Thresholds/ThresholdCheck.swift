// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// What was counted, held against what is recorded.
package struct ThresholdCheck: Sendable {
  /// More than what is recorded, by so much that it is no chance.
  package struct Breach: Sendable, Equatable, CustomStringConvertible {
    package var probe: String
    package var what: String
    package var recorded: Double
    package var counted: Double

    package var description: String {
      "\(probe): \(Figures.number(counted)) \(what) an item, recorded \(Figures.number(recorded))"
    }
  }

  private struct Measure: Sendable {
    let what: String
    let value: @Sendable (ProbeCount) -> Double?
    /// By how much of what is recorded a count may differ, and by how much at least.
    let tolerance: (part: Double, least: Double)
    var dependsOnMachine = false
    var countsAllocations = false
  }

  private static let measures: [Measure] = [
    Measure(what: "allocations", value: { $0.allocations }, tolerance: (0.015, 0.3), countsAllocations: true),
    Measure(what: "allocated bytes", value: { $0.allocatedBytes }, tolerance: (0.05, 64)),
    Measure(what: "system calls", value: { $0.systemCalls }, tolerance: (0.25, 0.2)),
    Measure(what: "copied bytes", value: { $0.copiedBytes }, tolerance: (0.02, 16)),
    Measure(what: "instructions", value: { $0.instructions }, tolerance: (0.1, 20), dependsOnMachine: true),
  ]

  package private(set) var breaches: [Breach] = []
  /// What should be recorded anew: better than it was, or not to be compared.
  package private(set) var remarks: [String] = []

  /// Compares.
  ///
  /// - Parameters:
  ///   - counted: What was counted now.
  ///   - recorded: The thresholds.
  ///   - isWhole: Whether everything was counted, so that what is missing is missed.
  package init(_ counted: ThresholdFile, against recorded: ThresholdFile, isWhole: Bool) {
    let isSameMachine = counted.compiler == recorded.compiler && counted.processor == recorded.processor
    if !isSameMachine {
      remarks.append(
        "recorded with \(recorded.compiler) on \(recorded.processor), so that instructions are not compared")
    }
    if counted.probes.contains(where: { $0.value.instructions == nil && recorded.probes[$0.key]?.instructions != nil })
    {
      remarks.append("instructions are recorded but were not counted, so that they are not compared")
    }
    for (probe, count) in counted.probes.sorted(by: { $0.key < $1.key }) {
      guard let threshold = recorded.probes[probe] else {
        breaches.append(
          Breach(probe: probe, what: "allocations, not recorded,", recorded: 0, counted: count.allocations))
        continue
      }
      for measure in Self.measures where isSameMachine || !measure.dependsOnMachine {
        compare(probe, measure, count, threshold)
      }
    }
    guard isWhole else { return }
    for probe in recorded.probes.keys.sorted() where counted.probes[probe] == nil {
      breaches.append(Breach(probe: probe, what: "counts, as there is no such probe,", recorded: 1, counted: 0))
    }
  }

  private mutating func compare(_ probe: String, _ measure: Measure, _ count: ProbeCount, _ threshold: ProbeCount) {
    guard let now = measure.value(count), let before = measure.value(threshold) else { return }
    var most = max(measure.tolerance.least, before * measure.tolerance.part)
    if measure.countsAllocations, let allowance = threshold.allowance { most = allowance }
    if now > before + most {
      breaches.append(Breach(probe: probe, what: measure.what, recorded: before, counted: now))
    } else if now < before - most {
      remarks.append(
        "\(probe): only \(Figures.number(now)) \(measure.what) an item, recorded \(Figures.number(before))")
    }
  }
}
