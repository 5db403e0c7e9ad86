// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// What a figure for memory is the most of.
package enum MemoryMeasure: String, Sendable, Codable, CaseIterable {
  /// Of what is asked of the heap and not given back, beyond what was there before.
  case heap
  /// Of resident memory, of the process that had most of it.
  case process

  package var explanation: String {
    switch self {
    case .heap: "\"heap\": alive on the heap beyond what was there before"
    case .process: "\"process\": resident in the process that had most"
    }
  }
}
