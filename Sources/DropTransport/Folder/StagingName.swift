// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Names of staging directories, which say whether a lock tells if their receiver lives.
enum StagingName {
  static let prefix = ".dragpipe-"
  private static let unlockedSuffix = ".unlocked"

  /// Returns a name that nothing has.
  static func random(isLocked: Bool) -> String {
    prefix + RandomName.text() + (isLocked ? "" : unlockedSuffix)
  }

  /// Whether a directory of this name is locked by its receiver, or its receiver is dead.
  static func isLocked(_ name: String) -> Bool {
    guard name.utf8.starts(with: prefix.utf8) else { return false }
    return RandomName.isOne(name.utf8.dropFirst(prefix.utf8.count))
  }
}
