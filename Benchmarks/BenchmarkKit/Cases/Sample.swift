// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// What one contender took in one repetition of a case.
package struct Sample: Sendable, Codable, Equatable {
  /// Of each round of the repetition; round for round in turn with the other contenders.
  package var seconds: [Double]
  /// Of the process that had most; within one process, how much more was in use than before.
  package var peakKibibytes: Int?
  /// Blocks asked of the heap in one round.
  package var allocations: Double?
  package var allocatedBytes: Double?
  /// Read and write calls in one round.
  package var systemCalls: Double?

  package init(
    seconds: [Double] = [], peakKibibytes: Int? = nil, allocations: Double? = nil, allocatedBytes: Double? = nil,
    systemCalls: Double? = nil
  ) {
    self.seconds = seconds
    self.peakKibibytes = peakKibibytes
    self.allocations = allocations
    self.allocatedBytes = allocatedBytes
    self.systemCalls = systemCalls
  }
}
