// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import ItemTransfer

/// Removes staging directories whose receivers are dead.
struct LeftoverCleaner {
  let folder: DestinationDirectory
  private(set) var leftovers = DropFolder.Leftovers()

  init(folder: DestinationDirectory) {
    self.folder = folder
  }

  /// Cleans the destination; what cannot be cleaned is reported in ``leftovers``.
  mutating func clean() {
    // Where a lock of another machine may be invisible, no receiver can be known to be dead.
    if SystemCalls.isSharedWithMachines(folder.raw) { return }
    guard let names = try? FolderUnpacking.names(in: folder.raw, ".", startingWith: StagingName.prefix) else { return }
    for name in names where StagingName.isLocked(name) { clean(name) }
  }

  private mutating func clean(_ name: String) {
    // Else it is not a staging directory, its receiver lives, or another receiver is cleaning.
    guard let staging = try? lockedDirectory(name) else { return }
    let kept: [String]
    do throws(SystemError) {
      kept = try restoreFiles(from: staging.raw, name)
    } catch {
      // Without the list, the user's files cannot be told from staged ones.
      return fail(name, error)
    }
    do throws(SystemError) {
      try removeContents(of: staging.raw, except: kept)
      if !kept.isEmpty { return }
      try SystemCalls.unlinkAt(folder.raw, name, AT_REMOVEDIR)
      leftovers.removedCount += 1
    } catch {
      fail(name, error)
    }
  }

  /// Opens and locks the staging directory of a dead receiver of this user.
  private func lockedDirectory(_ name: String) throws(SystemError) -> OwnedDescriptor {
    let staging = try OwnedDescriptor.openAt(folder.raw, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    let status = try SystemCalls.status(staging.raw)
    guard status.owner == geteuid(), status.permissions == 0o700 else { throw SystemError(EPERM, in: "flock") }
    try StagingPlace.lock(staging.raw, name, in: folder.raw)
    return staging
  }

  private mutating func fail(_ name: String, _ error: SystemError) {
    leftovers.failures.append("cannot remove \(folder.shownPath)/\(name): \(error)")
  }

  /// Gives former files their names back.
  ///
  /// - Returns: The paths in the staging directory of those that are kept there.
  private mutating func restoreFiles(from staging: CInt, _ stagingName: String) throws(SystemError) -> [String] {
    var kept: [String] = []
    for entry in try ReplacedFileList.entries(in: staging) where Self.isPath(entry.staged) && Self.isPath(entry.name) {
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

  /// Whether a file has changed places with the one that was staged.
  private func isFormer(_ entry: ReplacedFileList.Entry, in staging: CInt) throws(SystemError) -> Bool {
    do throws(SystemError) {
      let status = try SystemCalls.statusAt(staging, entry.staged, AT_SYMLINK_NOFOLLOW)
      return status.kind == .regular && status.inode != entry.inode
    } catch {
      guard error.errorNumber == ENOENT || error.errorNumber == ENOTDIR else { throw error }
      return false
    }
  }

  /// Whether a path from the list leads nowhere else.
  private static func isPath(_ path: String) -> Bool {
    path.utf8.split(separator: DropFolderPath.separator, omittingEmptySubsequences: false).allSatisfy { name in
      DropFileName.objection(to: String(name) ?? "", allowsHidden: true) == nil
    }
  }

  /// Removes everything but what is kept, the folders that this is in, and the list of it.
  private func removeContents(of staging: CInt, except kept: [String]) throws(SystemError) {
    let keptNames = Set(kept.map { path in Array(path.utf8.prefix { $0 != DropFolderPath.separator }) })
    let names: [String]
    do throws(FolderArchiveError) {
      names = try FolderUnpacking.names(in: staging, ".")
    } catch {
      throw SystemError(error.errorNumber ?? EIO, in: "readdir")
    }
    for name in names where !keptNames.contains(Array(name.utf8)) {
      if !kept.isEmpty, name == ReplacedFileList.fileName { continue }
      do throws(SystemError) {
        try SystemCalls.unlinkAt(staging, name)
      } catch {
        guard error.errorNumber == EISDIR else { throw error }
        FolderUnpacking.remove(name, in: staging)
      }
    }
  }
}
