// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit
import CAllocationCounter
import FoundationEssentials
import Synchronization

/// A small piece of work whose counts are the same in each run, apart from an allowance.
struct Probe: Sendable {
  /// The work for a number of items, with its prepared data.
  struct Work {
    /// Does the work, and applies the burden once for each item.
    let run: (Burden) async throws -> Void
    /// Removes the files that the preparation created.
    var finish: () -> Void = {}
  }

  let name: String
  /// The two numbers of items whose costs are compared.
  ///
  /// Both are large enough to show the cost of an item.
  let counts: (few: Int, many: Int)
  /// The tolerated number of additional allocations that vary by chance.
  let allowance: Double?
  /// The number of needless allocations for each item in a slowed run.
  ///
  /// It must exceed the tolerance.
  let burden: Int
  /// Prepares the work for a number of items.
  ///
  /// The preparation is not counted.
  ///
  /// The second argument is the larger number of items. The preparation must take the same time for both numbers, since
  /// valgrind counts from the start of the process.
  let prepare: @Sendable (Int, Int) async throws -> Work

  init(
    _ name: String, _ few: Int = 200, _ many: Int = 1200, allowance: Double? = nil, burden: Int = 1,
    prepare: @escaping @Sendable (Int, Int) async throws -> Work
  ) {
    self.name = name
    counts = (few, many)
    self.allowance = allowance
    self.burden = burden
    self.prepare = prepare
  }

  static let all = CodingProbes.all + ObjectProbes.all + TransportProbes.all
}

/// A counter of the cost of a probe, in processes that have no other work.
struct ProbeRun: Sendable {
  private static let runs = 5

  let probe: Probe
  let isSlowed: Bool
  /// The path of a copy of this program that valgrind can read, or `nil` if instructions are not counted.
  let program: String?

  /// Returns the cost of one item: the cost of many items minus the cost of few, divided by the difference in number.
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

  /// Returns the minimum of several runs.
  ///
  /// With several threads, a lock or a queue sometimes costs more.
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

  // MARK: The counting process

  /// Does the work and counts its cost.
  ///
  /// A short run before it does everything that happens only once.
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

/// Needless allocations, which slow a run on purpose.
final class Burden: Sendable {
  private final class Weight: Sendable {}

  private let allocations: Int
  /// The last allocated object, kept so that the optimizer does not remove the allocation.
  private let weight = Mutex<Weight?>(nil)

  init(_ allocations: Int) {
    self.allocations = allocations
  }

  func carry() {
    for _ in 0..<allocations { weight.withLock { $0 = Weight() } }
  }
}
