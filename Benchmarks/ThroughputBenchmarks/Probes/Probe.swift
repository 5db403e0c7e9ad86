// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit
import CAllocationCounter
import FoundationEssentials
import Synchronization

/// A small fixed piece of work whose counts are the same each time.
struct Probe: Sendable {
  /// A number of items of the work, with their prepared data.
  struct Work {
    /// Does it, and for each item the burden.
    let run: (Burden) async throws -> Void
    /// Removes what was made for it.
    var finish: () -> Void = {}
  }

  let name: String
  /// Enough items to make the cost of each visible, and a greater number for the second count.
  let counts: (few: Int, many: Int)
  /// The additional allocations that are chance.
  let allowance: Double?
  /// The needless allocations for each item in a slowed copy: more than chance may hide.
  let burden: Int
  /// Says why it cannot be counted here; nil where it can.
  let obstacle: @Sendable () async throws -> String?
  /// Prepares the data for a number of items, which is not counted.
  ///
  /// The second number is that of the longest work. Preparation must take equally long for fewer items, since valgrind
  /// counts from the start of a process.
  let prepare: @Sendable (Int, Int) async throws -> Work

  init(
    _ name: String, _ few: Int = 200, _ many: Int = 1200, allowance: Double? = nil, burden: Int = 1,
    obstacle: @escaping @Sendable () async throws -> String? = { nil },
    prepare: @escaping @Sendable (Int, Int) async throws -> Work
  ) {
    self.name = name
    counts = (few, many)
    self.allowance = allowance
    self.burden = burden
    self.obstacle = obstacle
    self.prepare = prepare
  }

  static let all = CodingProbes.all + ObjectProbes.all + TransportProbes.all
}

/// Counts what a probe takes, in processes that do nothing else.
struct ProbeRun: Sendable {
  private static let runs = 5

  let probe: Probe
  let isSlowed: Bool
  /// This program in a form that valgrind reads; nil where no instructions are counted.
  let program: String?

  /// Returns the cost of one item: the difference between more and fewer items, without all other costs.
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

/// The needless allocations of a deliberately slowed copy, usually one for each item.
final class Burden: Sendable {
  private final class Weight: Sendable {}

  private let allocations: Int
  /// Kept, so that the optimizer cannot do without it.
  private let weight = Mutex<Weight?>(nil)

  init(_ allocations: Int) {
    self.allocations = allocations
  }

  func carry() {
    for _ in 0..<allocations { weight.withLock { $0 = Weight() } }
  }
}
