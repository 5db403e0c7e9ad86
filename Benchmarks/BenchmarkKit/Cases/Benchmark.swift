// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A case of the benchmarks: the same work, done by several contenders.
package struct Benchmark: Sendable {
  /// The measurements of one repetition of a case.
  package struct Block: Sendable, Codable {
    /// The samples of all contenders, in the order of ``Benchmark/contenders``.
    package var samples: [Sample]
    package var figures: [Figure]

    package init(_ samples: [Sample], figures: [Figure] = []) {
      self.samples = samples
      self.figures = figures
    }
  }

  /// The purpose of a repetition.
  package enum Purpose: String, Sendable {
    /// Warms caches and counts memory, allocations and system calls. Counting would distort the time.
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
  /// The length of an item in bytes, or `nil` if it is undefined or varies.
  package let bytesPerItem: Double?
  package let contenders: [Contender]
  package let goals: [Goal]
  private let work: Work

  package var identifier: String { "\(suite.rawValue)/\(name)" }

  /// Creates a case whose closure measures all contenders, in an order of its own.
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

  /// Runs a repetition.
  ///
  /// If contenders are measured one at a time, `turn` decides which is the first.
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

/// The unit of the amount that a case moves.
package enum WorkUnit: String, Sendable, Codable {
  case bytes
  case items
}

/// The kind of memory whose maximum is measured.
package enum MemoryMeasure: String, Sendable, Codable, CaseIterable {
  /// Heap memory in use, minus the memory that was in use before.
  case heap
  /// Resident memory of the process that uses the most.
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
  /// The seconds of each round.
  ///
  /// If a closure measures all contenders, their rounds alternate.
  package var seconds: [Double]
  package var peakKibibytes: Int?
  /// The kind of memory that was measured.
  package var memoryMeasure: MemoryMeasure?
  /// The number of heap allocations in one round.
  package var allocations: Double?
  package var allocatedBytes: Double?
  /// The number of read and write calls in one round.
  package var systemCalls: Double?
  /// The reason why the contender was not measured.
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
