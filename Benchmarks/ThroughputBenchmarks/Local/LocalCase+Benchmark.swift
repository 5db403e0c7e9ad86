// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit
import FoundationEssentials

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
