// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// What the tool can take files for, beyond files.
enum ItemKind: String, CaseIterable, Codable, Sendable {
  case hero
  case card

  init?(option: String?) throws(ToolFailure) {
    guard let option else { return nil }
    guard let kind = ItemKind(rawValue: option) else {
      throw ToolFailure(.usage, "--as takes \(Self.allCases.map(\.rawValue).joined(separator: " or "))")
    }
    self = kind
  }
}
