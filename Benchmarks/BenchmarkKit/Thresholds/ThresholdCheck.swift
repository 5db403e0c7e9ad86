// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A comparison of counts with the recorded thresholds.
package struct ThresholdCheck: Sendable {
  /// A count that exceeds its threshold by more than the tolerance, or that is missing on one side.
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
    /// The difference that is allowed: the greater of a part of the threshold and a fixed number.
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
  /// The counts that should be recorded again, because they have become smaller, and the counts that are not compared.
  package private(set) var remarks: [String] = []

  /// Compares counts with thresholds.
  ///
  /// - Parameters:
  ///   - counted: The current counts.
  ///   - recorded: The thresholds.
  ///   - isWhole: Whether all probes were counted. If so, a recorded probe without a count is a breach.
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

/// The cost of a probe's work: of all items of a run, or of one item.
///
/// The cost of one item excludes costs that do not depend on the number of items.
package struct ProbeCount: Sendable, Codable, Equatable {
  package var allocations: Double
  package var allocatedBytes: Double
  /// The number of read and write calls.
  package var systemCalls: Double
  /// The number of bytes that these calls moved.
  package var copiedBytes: Double
  /// The number of executed instructions, or `nil` if they were not counted.
  package var instructions: Double?
  /// The tolerated number of additional allocations, which vary by chance between threads; `nil` for the usual
  /// tolerance.
  package var allowance: Double?

  package init(
    allocations: Double, allocatedBytes: Double, systemCalls: Double, copiedBytes: Double, instructions: Double? = nil
  ) {
    self.allocations = allocations
    self.allocatedBytes = allocatedBytes
    self.systemCalls = systemCalls
    self.copiedBytes = copiedBytes
    self.instructions = instructions
  }

  /// Returns the minimum of each count.
  package func least(_ other: ProbeCount) -> ProbeCount {
    ProbeCount(
      allocations: min(allocations, other.allocations), allocatedBytes: min(allocatedBytes, other.allocatedBytes),
      systemCalls: min(systemCalls, other.systemCalls), copiedBytes: min(copiedBytes, other.copiedBytes),
      instructions: instructions.flatMap { one in other.instructions.map { min(one, $0) } ?? one } ?? other.instructions
    )
  }

  /// Creates the cost of one item from the costs of few and of many items.
  ///
  /// - Parameters:
  ///   - few: The cost of the smaller number of items.
  ///   - many: The cost of the larger number of items.
  ///   - items: The difference between both numbers.
  package init(_ few: ProbeCount, _ many: ProbeCount, items: Int) {
    func item(_ path: KeyPath<ProbeCount, Double>) -> Double {
      max(0, many[keyPath: path] - few[keyPath: path]) / Double(items)
    }
    self.init(
      allocations: item(\.allocations), allocatedBytes: item(\.allocatedBytes), systemCalls: item(\.systemCalls),
      copiedBytes: item(\.copiedBytes))
    if let less = few.instructions, let more = many.instructions {
      instructions = max(0, more - less) / Double(items)
    }
  }
}
