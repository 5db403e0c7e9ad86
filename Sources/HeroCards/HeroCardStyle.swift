// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// How writers put several heroes or cards into one text; the readers take either.
public enum HeroCardStyle: Hashable, Sendable {
  /// One JSON array, an element a line. Nothing but all of it is JSON, so a cut shows.
  case array

  /// JSON lines: every line is a value of its own, so that texts can be appended to each other.
  case lines
}
