// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit
import CAllocationCounter
import FoundationEssentials
import ItemCoding

/// A case whose contenders run in turn in one process that does nothing else.
///
/// Each repetition is a process of its own: what a heap, an address or a cache happens to be like is chance, and must not
/// be the same chance every time.
struct LocalCase: Sendable {
  /// What that process does.
  struct Work {
    /// A round of each contender, in their order.
    let rounds: [() async throws -> Void]
    /// Counted once, beside the time.
    var figures: () async throws -> [Figure] = { [] }
    /// Removes what was made for it.
    var finish: () -> Void = {}
  }

  let suite: BenchmarkSuite
  let name: String
  let unit: WorkUnit
  let amount: Int
  /// How long an item is, where each is alike.
  var bytesPerItem: Int?
  let contenders: [Contender]
  var goals: [Goal] = []
  /// What other interpreters would do with the same values.
  var python: PythonWork?
  /// Makes what is measured with; not called where nothing is measured.
  let prepare: @Sendable () async throws -> Work

  var identifier: String { "\(suite.rawValue)/\(name)" }

  /// All of them.
  static func all(_ workload: Workload) -> [LocalCase] {
    CodingSuite(workload: workload).cases + ProviderSuite(workload: workload).cases
      + RegistrySuite(workload: workload).cases + FileSuite(workload: workload).localCases
  }
}

extension LocalCase {
  /// How the case is measured: in a process for each repetition, in which each contender has its turn so many times, and
  /// in one more for each of Python's packages.
  ///
  /// What `environment` makes, the process finds in its own.
  func benchmark(
    _ workload: Workload, rounds: Int, peers: PythonPeers?,
    environment: @escaping @Sendable () async throws -> [String: String] = { [:] }
  ) -> Benchmark {
    let peers = python == nil ? nil : peers
    let arguments = [identifier] + workload.arguments
    return Benchmark(
      suite, name, unit, amount: Double(amount), bytesPerItem: bytesPerItem.map(Double.init),
      contenders: contenders + (peers?.contenders ?? []), goals: goals
    ) { purpose in
      let count = purpose == .counting ? "0" : "\(rounds)"
      let output = try await OwnProcess.output("local", arguments + [count], environment: try await environment())
      var block = try JSONDecoder().decode(Benchmark.Block.self, from: output)
      if let peers, let python { block.samples += try await peers.samples(python, workload, rounds: rounds) }
      return block
    }
  }
}

/// What work takes of memory beyond what there was before it, as the heap and the kernel were asked for it.
///
/// What is resident would tell less: whatever ran before leaves pages behind, which are had for nothing.
struct HeapUse: Sendable {
  /// The most that was in use, in bytes.
  let peak: Int
  /// What was in use at the end, in bytes.
  let kept: Int

  /// Does the work and looks at its memory; what the work returns is there still when it has ended.
  ///
  /// - Returns: Nil where the C library does not let us see it.
  static func of<Value>(_ work: () async throws -> Value) async rethrows -> HeapUse? {
    beginCounting()
    defer { count_allocations(false) }
    let value = try await work()
    let use = HeapUse(peak: Int(peak_live_bytes()), kept: Int(live_bytes()))
    keep(value)
    return sees_live_bytes() ? use : nil
  }

  /// Counts from nothing on.
  static func beginCounting() {
    // What an output is written to counts, also where it was that of an earlier one.
    CBORPages.unmapIdle()
    count_allocations(true)
  }

  /// How much more was in use at most since counting began.
  static var peakKibibytes: Int? {
    sees_live_bytes() ? Int(peak_live_bytes() + 1023) / 1024 : nil
  }
}

/// Keeps the optimizer from dropping what made the value: as far as it knows, the memory of the value is read.
@inline(never) func keep<Value>(_ value: Value) {
  withUnsafePointer(to: value) { keep_memory($0) }
}
