// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit
import CAllocationCounter
import DragPipe
import FoundationEssentials
import Synchronization

/// A case whose contenders run in turn in one process that does nothing else.
///
/// Each repetition is a separate process, so that accidental states of the heap, of addresses and of caches vary.
struct LocalCase: Sendable {
  /// The work of that process.
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
  /// The length of an item, if all have the same.
  var bytesPerItem: Int?
  let contenders: [Contender]
  var goals: [Goal] = []
  /// The same work in Python.
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
  /// Returns the case as a benchmark: a process for each repetition, in which the contenders alternate, and another
  /// process for each Python package.
  ///
  /// The process gets the variables that `environment` returns.
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

/// The memory that work uses beyond the memory in use before it, as requested from the heap and the kernel.
///
/// Resident memory would say less: earlier work leaves resident pages behind.
struct HeapUse: Sendable {
  /// The maximum in use, in bytes.
  let peak: Int
  /// The memory in use at the end, in bytes.
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

  /// Small outputs, each in the memory that the coder had kept of a large output.
  private static let occupants = Mutex<[Data]>([])

  /// Resets the counts, and makes the coder request new memory for its next large output.
  static func beginCounting() {
    let occupant = try? CBOREncoder().encode(Data(count: 1 << 19))
    occupants.withLock { $0 += [occupant].compactMap(\.self) }
    count_allocations(true)
  }

  /// The maximum of additional memory since the start of counting.
  static var peakKibibytes: Int? {
    sees_live_bytes() ? Int(peak_live_bytes() + 1023) / 1024 : nil
  }
}

/// Keeps the optimizer from dropping what made the value: as far as it knows, the memory of the value is read.
@inline(never) func keep<Value>(_ value: Value) {
  withUnsafePointer(to: value) { keep_memory($0) }
}
