// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A case: some work, and those that do it.
package struct Benchmark: Sendable {
  /// What one repetition has found.
  package struct Block: Sendable, Codable {
    /// One for each contender, in their order.
    package var samples: [Sample]
    package var figures: [Figure]

    package init(_ samples: [Sample], figures: [Figure] = []) {
      self.samples = samples
      self.figures = figures
    }
  }

  /// What a repetition is asked to do.
  package enum Purpose: String, Sendable {
    /// Warms caches, and counts what would disturb the time: memory, allocations, system calls.
    case counting
    case timing
  }

  package let suite: BenchmarkSuite
  package let name: String
  package let unit: WorkUnit
  /// How many items or bytes one round moves.
  package let amount: Double
  package let contenders: [Contender]
  package let goals: [Goal]
  package let repeatOnce: @Sendable (Purpose) async throws -> Block

  package var identifier: String { "\(suite.rawValue)/\(name)" }

  package init(
    _ suite: BenchmarkSuite, _ name: String, _ unit: WorkUnit, amount: Double, contenders: [Contender],
    goals: [Goal] = [], repeatOnce: @escaping @Sendable (Purpose) async throws -> Block
  ) {
    self.suite = suite
    self.name = name
    self.unit = unit
    self.amount = amount
    self.contenders = contenders
    self.goals = goals
    self.repeatOnce = repeatOnce
  }
}
