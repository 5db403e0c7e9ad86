// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

extension StringProtocol {
  /// The text for a column of a table: without a tab or line feed of its own, and never cut, as what is cut could be
  /// taken for something else.
  var asColumn: String { escapedForDisplay(limit: .max) }
}
