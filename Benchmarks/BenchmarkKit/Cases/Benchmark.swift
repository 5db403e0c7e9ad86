// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A case: some work, and those that do it.
package struct Benchmark: Sendable {
  /// The measurements of one repetition.
  package struct Block: Sendable, Codable {
    /// One sample for each contender, in their order.
    package var samples: [Sample]
    package var figures: [Figure]

    package init(_ samples: [Sample], figures: [Figure] = []) {
      self.samples = samples
      self.figures = figures
    }
  }

  /// The purpose of a repetition.
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
  /// The number of items or bytes that one round moves.
  package let amount: Double
  /// The length of an item; `nil` if it is undefined or varies.
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

  /// Creates a case that measures one contender at a time, by its index.
  ///
  /// The runner decides the order, and a failure does not affect other contenders.
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

  /// Runs a repetition; the order of contenders changes with each, if there is a choice.
  ///
  /// - Throws: The error that stopped the repetition, and `CancellationError`.
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

/// The unit that a case counts.
package enum WorkUnit: String, Sendable, Codable {
  case bytes
  case items
}

/// The kind of memory of which a figure is the maximum.
package enum MemoryMeasure: String, Sendable, Codable, CaseIterable {
  /// Heap memory in use, beyond that in use before.
  case heap
  /// Resident memory of the process with the most.
  case process

  package var explanation: String {
    switch self {
    case .heap: "\"heap\": alive on the heap beyond what was there before"
    case .process: "\"process\": resident in the process that had most"
    }
  }
}

/// The measurements of one contender in one repetition of a case.
package struct Sample: Sendable, Codable, Equatable {
  /// The seconds of each round; rounds alternate between the contenders.
  package var seconds: [Double]
  package var peakKibibytes: Int?
  /// The kind of memory that was measured.
  package var memoryMeasure: MemoryMeasure?
  /// Blocks asked of the heap in one round.
  package var allocations: Double?
  package var allocatedBytes: Double?
  /// Read and write calls in one round.
  package var systemCalls: Double?
  /// Why there is nothing of this contender.
  package var failure: String?

  package init(
    seconds: [Double] = [], peakKibibytes: Int? = nil, memoryMeasure: MemoryMeasure? = nil, allocations: Double? = nil,
    allocatedBytes: Double? = nil, systemCalls: Double? = nil
  ) {
    self.seconds = seconds
    self.peakKibibytes = peakKibibytes
    self.memoryMeasure = memoryMeasure
    self.allocations = allocations
    self.allocatedBytes = allocatedBytes
    self.systemCalls = systemCalls
  }
}
