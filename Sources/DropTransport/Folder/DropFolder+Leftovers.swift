// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
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

/// A remover of the staging directories of killed receivers.
struct LeftoverCleaner {
  private let folder: DestinationDirectory
  private let stateDirectory: String?
  /// Whether directories that interrupted receivers keep for later receivers are removed too.
  private let removesResumable: Bool
  private(set) var leftovers = DropFolder.Leftovers()

  init(_ folder: DestinationDirectory, removesResumable: Bool, stateDirectory: String?) {
    self.folder = folder
    self.stateDirectory = stateDirectory
    self.removesResumable = removesResumable
  }

  /// Cleans the destination, and reports each failure in ``leftovers``.
  mutating func clean() {
    // If locks of other machines may be invisible, a missing lock does not prove that the receiver has ended.
    if SystemCalls.isSharedWithMachines(folder.raw) { return }
    guard let names = try? FolderUnpacking.names(in: folder.raw, ".", startingWith: StagingName.prefix) else { return }
    for name in names where StagingName.isLocked(name.utf8) { clean(name) }
  }

  private mutating func clean(_ name: String) {
    let keepsParts = StagingName.isResumable(name.utf8) && !removesResumable
    // A lock, however short, would hide the directory from a receiver that starts now.
    if keepsParts, (try? SystemCalls.statusAt(folder.raw, "\(name)/\(ReplacedFileList.fileName)")) == nil { return }
    // On failure it is not a staging directory, its receiver is alive, or another receiver is cleaning it.
    guard let staging = try? StagingPlace.ofDeadReceiver(name, in: folder.raw) else { return }
    let kept: [String]
    do throws(SystemError) {
      kept = try restoreFiles(from: staging.raw, name)
    } catch {
      // Without the list, the user's files and the staged files cannot be distinguished.
      guard error.errorNumber == EPERM else { return fail(name, error) }
      leftovers.failures.append(
        "\(folder.shownPath)/\(name) may have former files, or be made by another program: move or remove it")
      return
    }
    if keepsParts {
      if kept.isEmpty { try? SystemCalls.unlinkAt(staging.raw, ReplacedFileList.fileName) }
      return
    }
    let keptNames = Set(kept.map { path in Array(path.utf8.prefix { $0 != DropFolderPath.separator }) })
    do throws(SystemError) {
      // With kept files, the list stays too.
      try FolderUnpacking.remove(staging.raw, named: name, in: folder.raw) { entry in
        !kept.isEmpty && (entry == ReplacedFileList.fileName || keptNames.contains(Array(entry.utf8)))
      }
      leftovers.removedCount += 1
    } catch {
      if error.errorNumber != ENOTEMPTY || kept.isEmpty { fail(name, error) }
    }
  }

  private mutating func fail(_ name: String, _ error: SystemError) {
    leftovers.failures.append("cannot remove \(folder.shownPath)/\(name): \(error)")
  }

  /// Moves the files that were replaced back to their names.
  ///
  /// - Returns: The paths in the staging directory of the files that stay there.
  private mutating func restoreFiles(from staging: CInt, _ stagingName: String) throws(SystemError) -> [String] {
    var kept: [String] = []
    let entries = try ReplacedFileList.entries(in: staging, named: stagingName) { () throws(SystemError) in
      try mapError(StagingSeal(in: stateDirectory)) { (error: SystemError) in SystemError(EPERM, in: error.call) }
    }
    for entry in entries where Self.isPath(entry.staged) && Self.isPath(entry.name) {
      guard try isFormer(entry, in: staging) else { continue }
      do throws(SystemError) {
        try folder.inFolder(of: entry.name) { (raw, last) throws(SystemError) in
          try SystemCalls.renameExclusivelyAt(staging, entry.staged, raw, last)
        }
        leftovers.restoredFiles.append(entry.name)
      } catch {
        kept.append(entry.staged)
        leftovers.keptFiles.append(
          DropFolder.Leftovers.KeptFile(
            name: entry.name, path: "\(folder.path)/\(stagingName)/\(entry.staged)"))
      }
    }
    return kept
  }

  /// Returns whether a path now leads to the file that was replaced, and not to the staged file.
  private func isFormer(_ entry: ReplacedFileList.Entry, in staging: CInt) throws(SystemError) -> Bool {
    do throws(SystemError) {
      let status = try SystemCalls.statusAt(staging, entry.staged, AT_SYMLINK_NOFOLLOW)
      return (status.kind == .regular || status.kind == .symbolicLink) && status.inode != entry.inode
    } catch {
      guard error.errorNumber == ENOENT || error.errorNumber == ENOTDIR else { throw error }
      return false
    }
  }

  /// Returns whether a path from the list stays inside its directory.
  private static func isPath(_ path: String) -> Bool {
    path.utf8.split(separator: DropFolderPath.separator, omittingEmptySubsequences: false).allSatisfy { name in
      DropFileName.objection(to: String(name) ?? "", allowsHidden: true) == nil
    }
  }
}
