// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit

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
