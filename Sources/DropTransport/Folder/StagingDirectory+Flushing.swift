// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import ItemTransfer

/// Flushing to the disk, for a durable destination.
extension StagingDirectory {
  /// Flushes the files with their final attributes.
  ///
  /// Folders were flushed when they were completed.
  ///
  /// - Parameter permissions: The permissions of a new file.
  /// - Throws: `systemCall`, `destinationUnavailable`; `cancelled` between two files.
  func flushFiles(_ permissions: UInt32) throws(DropStreamError) {
    for item in items {
      for file in item.files where !file.isFolder { try flush(file, permissions) }
    }
  }

  private func flush(_ file: StagedItem.File, _ permissions: UInt32) throws(DropStreamError) {
    if Task.isCancelled { throw .cancelled }
    let opened: OwnedDescriptor
    do throws(SystemError) {
      // The file is opened first, because its permissions may deny that even to its owner.
      opened = try .openAt(staging.raw, String(file.number), O_RDONLY | O_NOFOLLOW)
    } catch {
      throw cannotFlush(file.name, error)
    }
    try finish(file, permissions)
    do throws(SystemError) { try SystemCalls.sync(opened.raw) } catch { throw cannotFlush(file.name, error) }
  }

  /// Flushes every directory in which a file got its name or a folder was created.
  ///
  /// - Throws: `systemCall`.
  func flushNames() throws(DropStreamError) {
    var flushed: Set<[UInt8]> = []
    do throws(SystemError) {
      for file in published { try flushFolder(of: file.name, &flushed) }
      for folder in madeFolders { try flushFolder(of: folder, &flushed) }
      try folder.flushOwnName()
    } catch {
      throw DropStreamError(.systemCall, "cannot flush names in \(folder.shownPath) to the disk", error)
    }
  }

  private func flushFolder(of name: String, _ flushed: inout Set<[UInt8]>) throws(SystemError) {
    let slash = name.utf8.lastIndex(of: DropFolderPath.separator) ?? name.startIndex
    guard flushed.insert(Array(name.utf8[..<slash])).inserted else { return }
    try inFolder(of: name) { (raw, _) throws(SystemError) in try SystemCalls.syncDirectory(raw) }
  }

  private func cannotFlush(_ name: String, _ error: SystemError) -> DropStreamError {
    DropStreamError(.systemCall, "cannot flush \(name.escapedForDisplay()) to the disk", error)
  }
}
