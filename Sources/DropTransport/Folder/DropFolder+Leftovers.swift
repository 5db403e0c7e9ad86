// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import ItemTransfer

extension DropFolder {
  /// The result of removing the staging directories of killed receivers.
  public struct Leftovers: Sendable, Hashable {
    /// A file that a killed receiver had replaced, and that could not get its name back, usually because the name is
    /// taken.
    public struct KeptFile: Sendable, Hashable {
      /// The file's former name in the folder.
      public let name: String
      /// The file's current path, in the staging directory of that receiver.
      public let path: String
    }

    /// The number of staging directories that were removed.
    public internal(set) var removedCount = 0
    /// Replaced files that have their names in the folder again.
    public internal(set) var restoredFiles: [String] = []
    /// Replaced files that stay in the staging directory until the user moves or removes them.
    public internal(set) var keptFiles: [KeptFile] = []
    /// Staging directories that could not be removed, each with the reason; escaped for a terminal.
    public internal(set) var failures: [String] = []

    /// One line for each file and each failure.
    package var remarks: [String] {
      restoredFiles.map { "restored \($0.escapedForDisplay()), which a killed receiver was replacing" }
        + keptFiles.map {
          "\($0.name.escapedForDisplay()) was replaced by a receiver that was killed then; "
            + "the former file is \($0.path.escapedForDisplay()): move or remove it"
        } + failures
    }
  }

  /// Removes the staging directories that killed or interrupted receivers have left in this folder.
  ///
  /// Each receive does so before it stores its first file, but keeps the directories that ``isResumable`` keeps. A
  /// receiver holds a lock on its staging directory while it runs. This method removes only directories of this user
  /// without such a lock. It removes none on a file system that other machines may use.
  ///
  /// A file that a killed receiver had replaced gets its name back if the name is free. Otherwise the file and its
  /// staging directory stay.
  ///
  /// - Returns: The removed directories, the restored and kept files, and the failures.
  /// - Throws: `destinationUnavailable` if the folder cannot be opened.
  public func removeLeftovers() async throws(DropStreamError) -> Leftovers {
    var folder = self
    folder.isCreatedWhenMissing = false
    let opened = folder
    return try await runBlocking { () throws(DropStreamError) in
      var cleaner = LeftoverCleaner(
        try DestinationDirectory(opened), removesResumable: true, stateDirectory: opened.stateDirectory)
      cleaner.clean()
      return cleaner.leftovers
    }
  }
}
