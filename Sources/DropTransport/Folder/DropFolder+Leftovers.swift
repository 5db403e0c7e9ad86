// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import ItemTransfer

extension DropFolder {
  /// What became of the staging directories of receivers that were killed.
  public struct Leftovers: Sendable, Hashable {
    /// A file that a killed receiver had replaced, and whose name something else has now.
    public struct KeptFile: Sendable, Hashable {
      /// Its name in the folder, before.
      public let name: String
      /// Where it is now: in the staging directory of that receiver.
      public let path: String
    }

    /// How many staging directories were removed.
    public internal(set) var removedCount = 0
    /// Files that a killed receiver had replaced, and that have their names in the folder again.
    public internal(set) var restoredFiles: [String] = []
    /// Files that a killed receiver had replaced, and that stay where they are until they are moved or removed.
    public internal(set) var keptFiles: [KeptFile] = []
    /// What could not be removed, and why; escaped for a terminal.
    public internal(set) var failures: [String] = []

    /// A line for each file and failure.
    package var remarks: [String] {
      restoredFiles.map { "restored \($0.escapedForDisplay()), which a killed receiver was replacing" }
        + keptFiles.map {
          "\($0.name.escapedForDisplay()) was replaced by a receiver that was killed then; "
            + "the former file is \($0.path.escapedForDisplay()): move or remove it"
        } + failures
    }
  }

  /// Removes the staging directories that killed receivers have left in this folder.
  ///
  /// Each receive does so before it starts. A receiver holds a lock on its staging directory as long as it lives; only
  /// directories without one are removed, only those of this user, and none on a file system that other machines may
  /// use. A file that a killed receiver had replaced gets its name back where nothing has the name, and is kept
  /// otherwise.
  ///
  /// - Returns: What was done.
  /// - Throws: `destinationUnavailable` where the folder cannot be opened.
  public func removeLeftovers() async throws(DropStreamError) -> Leftovers {
    var folder = self
    folder.isCreatedWhenMissing = false
    let opened = folder
    return try await runBlockingWork { () throws(DropStreamError) in
      var cleaner = LeftoverCleaner(folder: try DestinationDirectory(opened))
      cleaner.clean()
      return cleaner.leftovers
    }
  }
}
