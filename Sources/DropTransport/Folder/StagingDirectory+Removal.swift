// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import ItemTransfer

/// The end of a staging directory.
extension StagingDirectory {
  /// Removes the files that are still waiting, and the directory; a failure becomes a remark.
  func remove() {
    guard !isRemoved else { return }
    isRemoved = true
    var failure: SystemError?
    func unlink(_ directory: CInt, _ name: String, _ flags: CInt = 0) {
      do throws(SystemError) { try SystemCalls.unlinkAt(directory, name, flags) } catch {
        if error.errno != ENOENT { failure = failure ?? error }
      }
    }
    // First: from here on nothing in it is a file that somebody may want back.
    if !listedFolders.isEmpty { unlink(staging.raw, ReplacedFileList.fileName) }
    for (number, entry) in entries.enumerated() {
      guard let entry else { continue }
      unlink(staging.raw, entry.isFolder ? Self.archiveName(number) : String(number))
      if entry.isFolder { FolderUnpacking.remove(String(number), in: staging.raw) }
    }
    unlink(folder.raw, stagingName, AT_REMOVEDIR)
    if let failure { remarks.append("cannot remove \(folder.shownPath)/\(stagingName): \(failure)") }
  }

  /// Leaves the directory as it is, with the former files that could not be given back; a later receiver reports them.
  func keep(_ reason: SystemError) {
    isRemoved = true
    remarks.append("former files are in \(folder.shownPath)/\(stagingName): \(reason)")
  }
}
