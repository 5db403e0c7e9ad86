// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// What one contender took in one repetition of a case.
package struct Sample: Sendable, Codable, Equatable {
  /// Of each round of the repetition; round for round in turn with the other contenders.
  package var seconds: [Double]
  package var peakKibibytes: Int?
  /// Of what that is the most.
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
