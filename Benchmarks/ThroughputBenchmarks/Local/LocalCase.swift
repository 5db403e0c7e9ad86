// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit
import CAllocationCounter
import DragPipe
import FoundationEssentials
import Synchronization

/// A case whose contenders run alternately in one process that has no other work.
///
/// Each repetition runs in a new process. Thus the state of the heap, addresses and caches varies by chance.
struct LocalCase: Sendable {
  /// The work that the process measures.
  struct Work {
    /// A closure for each contender, in the order of the contenders.
    ///
    /// A call does one round.
    let rounds: [() async throws -> Void]
    /// Measures values other than the time, once.
    var figures: () async throws -> [Figure] = { [] }
    /// Removes the files that the preparation created.
    var finish: () -> Void = {}
  }

  let suite: BenchmarkSuite
  let name: String
  let unit: WorkUnit
  let amount: Int
  /// The length of an item in bytes, if all items have the same length.
  var bytesPerItem: Int?
  let contenders: [Contender]
  var goals: [Goal] = []
  /// The same work for Python packages.
  var python: PythonWork?
  /// Prepares the work.
  ///
  /// It is called only in the process that measures.
  let prepare: @Sendable () async throws -> Work

  var identifier: String { "\(suite.rawValue)/\(name)" }

  /// Returns all local cases.
  static func all(_ workload: Workload) -> [LocalCase] {
    CodingSuite(workload: workload).cases + JSONCases(workload: workload).cases
      + ProviderSuite(workload: workload).cases + RegistrySuite(workload: workload).cases
      + FileSuite(workload: workload).localCases
  }
}

extension LocalCase {
  /// Returns the case as a benchmark.
  ///
  /// Each repetition is a new process in which the contenders alternate, and another process for each Python package.
  /// The process gets the environment variables that `environment` returns.
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

/// The memory that work uses in addition to the memory in use before, as requested from the heap and the kernel.
///
/// Resident memory would be less exact, since pages of earlier work stay resident.
struct HeapUse: Sendable {
  /// The maximum of memory in use, in bytes.
  let peak: Int
  /// The memory in use at the end, in bytes.
  let kept: Int

  /// Measures the memory of `work`.
  ///
  /// The result of `work` is still in memory at the end of the measurement.
  ///
  /// - Returns: The memory, or `nil` if the C library does not support the measurement.
  static func of<Value>(_ work: () async throws -> Value) async rethrows -> HeapUse? {
    beginCounting()
    defer { count_allocations(false) }
    let value = try await work()
    let use = HeapUse(peak: Int(peak_live_bytes()), kept: Int(live_bytes()))
    keep(value)
    return sees_live_bytes() ? use : nil
  }

  /// Small outputs that occupy the memory which the coder kept from a large output.
  private static let occupants = Mutex<[Data]>([])

  /// Resets the counts.
  ///
  /// Also occupies the coder's kept memory, so that its next large output requests new memory.
  static func beginCounting() {
    let occupant = try? CBOREncoder().encode(Data(count: 1 << 19))
    occupants.withLock { $0 += [occupant].compactMap(\.self) }
    count_allocations(true)
  }

  /// The maximum of additional memory since the start of counting, in KiB.
  static var peakKibibytes: Int? {
    sees_live_bytes() ? Int(peak_live_bytes() + 1023) / 1024 : nil
  }
}

/// Prevents the optimizer from removing the code that created the value, by an apparent read of its memory.
@inline(never) func keep<Value>(_ value: Value) {
  withUnsafePointer(to: value) { keep_memory($0) }
}
