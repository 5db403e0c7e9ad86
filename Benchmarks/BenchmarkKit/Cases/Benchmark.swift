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

  private enum Work: Sendable {
    case together(@Sendable (Purpose) async throws -> Block)
    case each(@Sendable (Int, Purpose) async throws -> Sample)
  }

  package let suite: BenchmarkSuite
  package let name: String
  package let unit: WorkUnit
  /// How many items or bytes one round moves.
  package let amount: Double
  /// How long an item is; nil where that has no meaning, or differs.
  package let bytesPerItem: Double?
  package let contenders: [Contender]
  package let goals: [Goal]
  private let work: Work

  package var identifier: String { "\(suite.rawValue)/\(name)" }

  /// A case that measures its contenders itself, in an order of its own.
  package init(
    _ suite: BenchmarkSuite, _ name: String, _ unit: WorkUnit, amount: Double, bytesPerItem: Double? = nil,
    contenders: [Contender], goals: [Goal] = [], repeatOnce: @escaping @Sendable (Purpose) async throws -> Block
  ) {
    self.init(suite, name, unit, amount, bytesPerItem, contenders, goals, .together(repeatOnce))
  }

  /// A case that measures one contender at a time, by its place among them; the runner decides who comes first, and
  /// what fails takes no other with it.
  package init(
    _ suite: BenchmarkSuite, _ name: String, _ unit: WorkUnit, amount: Double, bytesPerItem: Double? = nil,
    contenders: [Contender], goals: [Goal] = [], each: @escaping @Sendable (Int, Purpose) async throws -> Sample
  ) {
    self.init(suite, name, unit, amount, bytesPerItem, contenders, goals, .each(each))
  }

  private init(
    _ suite: BenchmarkSuite, _ name: String, _ unit: WorkUnit, _ amount: Double, _ bytesPerItem: Double?,
    _ contenders: [Contender], _ goals: [Goal], _ work: Work
  ) {
    self.suite = suite
    self.name = name
    self.unit = unit
    self.amount = amount
    self.bytesPerItem = bytesPerItem
    self.contenders = contenders
    self.goals = goals
    self.work = work
  }

  /// Does a repetition; with each, another contender comes first where there is a choice.
  ///
  /// - Throws: What stopped the repetition, and `CancellationError`.
  package func repeatOnce(_ purpose: Purpose, turn: Int = 0) async throws -> Block {
    switch work {
    case .together(let repeatOnce): return try await repeatOnce(purpose)
    case .each(let measure):
      var samples = contenders.map { _ in Sample() }
      for place in contenders.indices {
        let index = (place + turn) % contenders.count
        try Task.checkCancellation()
        do {
          samples[index] = try await measure(index, purpose)
        } catch let error as CancellationError {
          throw error
        } catch {
          samples[index].failure = "\(error)"
        }
      }
      return Block(samples)
    }
  }
}
