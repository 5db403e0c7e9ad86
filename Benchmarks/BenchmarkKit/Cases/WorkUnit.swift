// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// What a case counts.
package enum WorkUnit: String, Sendable, Codable {
  case bytes
  case items
}
