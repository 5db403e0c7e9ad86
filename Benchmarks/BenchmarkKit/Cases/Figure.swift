// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Something counted beside the time, such as how many bytes each of a million objects takes.
package struct Figure: Sendable, Codable, Equatable {
  package var name: String
  package var value: Double
  package var unit: String
  /// The most it should be.
  package var goal: Double?

  package var isMet: Bool { goal.map { value <= $0 } ?? true }

  package init(_ name: String, _ value: Double, unit: String, goal: Double? = nil) {
    self.name = name
    self.value = value
    self.unit = unit
    self.goal = goal
  }
}
