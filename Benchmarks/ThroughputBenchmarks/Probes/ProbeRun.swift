// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit
import CAllocationCounter
import FoundationEssentials

/// Counts what a probe takes, in processes that do nothing else.
struct ProbeRun: Sendable {
  private static let runs = 5

  let probe: Probe
  let isSlowed: Bool
  /// This program in a form that valgrind reads; nil where no instructions are counted.
  let program: String?

  /// What one item takes: the difference between some and more, so that everything else falls out.
  func count() async throws -> ProbeCount {
    var few = try await count(probe.counts.few)
    var many = try await count(probe.counts.many)
    if let program {
      few.instructions = try await Valgrind.instructions(of: program, arguments(probe.counts.few))
      many.instructions = try await Valgrind.instructions(of: program, arguments(probe.counts.many))
    }
    var count = ProbeCount(few, many, items: probe.counts.many - probe.counts.few)
    count.allowance = probe.allowance
    return count
  }

  /// The least of several runs: where threads meet by chance, a lock or a queue now and then takes more.
  private func count(_ items: Int) async throws -> ProbeCount {
    var least: ProbeCount?
    for _ in 0..<Self.runs {
      let output = try await OwnProcess.output(of: OwnProcess.path, arguments(items))
      let count = try JSONDecoder().decode(ProbeCount.self, from: output)
      least = least.map { $0.least(count) } ?? count
    }
    guard let least else { throw MeasurementFailure("nothing was counted") }
    return least
  }

  private func arguments(_ items: Int) -> [String] {
    ["--role", "probe", probe.name, "\(items)", isSlowed ? "slowed" : "plain"]
  }

  // MARK: In the other process

  /// Does the work; nothing that is done only once must be counted with the items.
  static func run(_ probe: Probe, items: Int, _ burden: Burden) async throws -> ProbeCount {
    let first = try await probe.prepare(10, 10)
    try await first.run(burden)
    first.finish()
    let work = try await probe.prepare(items, probe.counts.many)
    defer { work.finish() }
    let before = ProcessCounts.now
    count_allocations(true)
    try await work.run(burden)
    count_allocations(false)
    let counts = ProcessCounts.now.since(before)
    return ProbeCount(
      allocations: Double(counts.allocations), allocatedBytes: Double(counts.allocatedBytes),
      systemCalls: Double(counts.systemCalls), copiedBytes: Double(counts.copiedBytes))
  }
}
