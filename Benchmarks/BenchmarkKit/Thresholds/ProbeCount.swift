// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// What one item of a probe's work takes, apart from what the work takes before its first item.
package struct ProbeCount: Sendable, Codable, Equatable {
  package var allocations: Double
  package var allocatedBytes: Double
  /// Read and write calls, and bytes that went through them.
  package var systemCalls: Double
  package var copiedBytes: Double
  /// Nil where valgrind is not installed.
  package var instructions: Double?
  /// How many allocations more are chance, where threads hand work over; nil where hardly any are.
  package var allowance: Double?

  package init(
    allocations: Double, allocatedBytes: Double, systemCalls: Double, copiedBytes: Double, instructions: Double? = nil
  ) {
    self.allocations = allocations
    self.allocatedBytes = allocatedBytes
    self.systemCalls = systemCalls
    self.copiedBytes = copiedBytes
    self.instructions = instructions
  }

  /// The less of each.
  package func least(_ other: ProbeCount) -> ProbeCount {
    ProbeCount(
      allocations: min(allocations, other.allocations), allocatedBytes: min(allocatedBytes, other.allocatedBytes),
      systemCalls: min(systemCalls, other.systemCalls), copiedBytes: min(copiedBytes, other.copiedBytes),
      instructions: instructions.flatMap { one in other.instructions.map { min(one, $0) } ?? one } ?? other.instructions
    )
  }

  /// What an item takes, of what two numbers of items took.
  package init(_ few: ProbeCount, _ many: ProbeCount, items: Int) {
    func item(_ path: KeyPath<ProbeCount, Double>) -> Double {
      max(0, many[keyPath: path] - few[keyPath: path]) / Double(items)
    }
    self.init(
      allocations: item(\.allocations), allocatedBytes: item(\.allocatedBytes), systemCalls: item(\.systemCalls),
      copiedBytes: item(\.copiedBytes))
    if let less = few.instructions, let more = many.instructions {
      instructions = max(0, more - less) / Double(items)
    }
  }
}
