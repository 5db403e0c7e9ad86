// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// Where the text of a predicate goes wrong, and how.
public struct ScenePredicateError: Error, Sendable, Hashable {
  /// The text as it was given.
  public let text: String
  /// How many Unicode scalars there are before the place.
  public let offset: Int
  /// What is wrong there.
  public let reason: String
}

extension ScenePredicateError: CustomStringConvertible {
  /// One line that is safe to show on a terminal.
  public var description: String {
    "\(reason) at scalar \(offset + 1) of the predicate: \(text.escapedForDisplay())"
  }
}
