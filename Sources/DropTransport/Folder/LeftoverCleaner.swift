// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import ItemTransfer

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
      do throws(SystemError) { return try StagingSeal(in: stateDirectory) } catch {
        throw SystemError(EPERM, in: error.call)
      }
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
