// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit
import CAllocationCounter
import FoundationEssentials
import Synchronization

/// A small fixed piece of work whose counts are the same each time.
struct Probe: Sendable {
  /// So many items of it, with what they are made from.
  struct Work {
    /// Does it, and for each item the burden.
    let run: (Burden) async throws -> Void
    /// Removes what was made for it.
    var finish: () -> Void = {}
  }

  let name: String
  /// So many items that what each takes stands out, and for the second look so many more.
  let counts: (few: Int, many: Int)
  /// How many allocations more are chance.
  let allowance: Double?
  /// How many allocations a slowed copy makes too much for each item: more than chance may hide.
  let burden: Int
  /// Says why it cannot be counted here; nil where it can.
  let obstacle: @Sendable () async throws -> String?
  /// Makes what so many items of it need, which is not counted.
  ///
  /// The second number is that of the longest work: where what is needed takes longer for more items, it is to take as
  /// long for less of them, as valgrind counts from the start of a process.
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

/// What a deliberately slowed copy does too much: needless allocations for each item, mostly one.
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
