// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Names of staging directories, which show whether the receiver locks the directory.
///
/// A missing lock proves that the receiver is dead only if the receiver could lock the directory.
enum StagingName {
  static let prefix = ".dragpipe-"
  private static let unlockedSuffix = ".unlocked"

  /// Returns a new random name.
  static func random(isLocked: Bool) -> String {
    prefix + RandomName.text() + (isLocked ? "" : unlockedSuffix)
  }

  /// Returns whether the name belongs to a directory that its receiver locks while it runs.
  static func isLocked(_ name: String) -> Bool {
    guard name.utf8.starts(with: prefix.utf8) else { return false }
    return RandomName.isOne(name.utf8.dropFirst(prefix.utf8.count))
  }
}
