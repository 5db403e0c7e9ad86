// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// What one contender took in a run.
package struct ContenderResult: Sendable, Codable, Equatable {
  package var contender: Contender
  /// The median of each repetition, in their order.
  package var seconds: [Double]
  package var peakKibibytes: Int?
  package var memoryMeasure: MemoryMeasure?
  /// Of one round.
  package var allocations: Double?
  package var allocatedBytes: Double?
  package var systemCalls: Double?
  /// How many times as long as the first contender it took; none for that one.
  package var ratio: Estimate?
  /// Why it has no time, or less than others.
  package var failure: String?

  package var medianSeconds: Double? { seconds.median }

  package init(
    contender: Contender, seconds: [Double], peakKibibytes: Int? = nil, memoryMeasure: MemoryMeasure? = nil,
    allocations: Double? = nil, allocatedBytes: Double? = nil, systemCalls: Double? = nil, ratio: Estimate? = nil,
    failure: String? = nil
  ) {
    self.contender = contender
    self.seconds = seconds
    self.peakKibibytes = peakKibibytes
    self.memoryMeasure = memoryMeasure
    self.allocations = allocations
    self.allocatedBytes = allocatedBytes
    self.systemCalls = systemCalls
    self.ratio = ratio
    self.failure = failure
  }
}
