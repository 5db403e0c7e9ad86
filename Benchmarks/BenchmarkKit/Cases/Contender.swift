// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// One of those that do the same work in a case; the first is what is measured, the others are what it is compared with.
package struct Contender: Sendable, Codable, Equatable {
  /// What it is to the reader of a ratio.
  package enum Kind: String, Sendable, Codable {
    /// This package.
    case ours
    /// What a user would pick instead.
    case peer
    /// What no general solution can reach: the same values written by hand, as bytes without keys or types and unchecked.
    case limit
  }

  package var name: String
  package var kind: Kind
  /// Names those of which only the best counts, such as the same program with several buffer sizes.
  package var group: String?

  /// Its name, and what a reader must know of it.
  package var label: String { kind == .limit ? "\(name) (limit)" : name }

  package init(_ name: String, _ kind: Kind, group: String? = nil) {
    self.name = name
    self.kind = kind
    self.group = group
  }
}
