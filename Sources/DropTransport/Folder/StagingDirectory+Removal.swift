// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import ItemTransfer

/// Removal of a staging directory.
extension StagingDirectory {
  /// Removes the remaining staged files and the directory, and records a failure as a remark.
  func remove() {
    guard !isRemoved else { return }
    isRemoved = true
    var failure: SystemError?
    // The list is removed first: without it, a later receiver restores no file from the directory.
    if !listedFolders.isEmpty {
      do throws(SystemError) { try SystemCalls.unlinkAt(staging.raw, ReplacedFileList.fileName) } catch {
        if error.errorNumber != ENOENT { failure = error }
      }
    }
    parts?.remove()
    parts?.removeFormers()
    // If all files have their names, the directory is empty.
    if (try? FolderUnpacking.removeEmpty(staging.raw, named: stagingName, in: folder.raw)) != nil { return }
    for number in 0..<fileCount {
      do throws(SystemError) {
        try SystemCalls.unlinkAt(staging.raw, String(number))
      } catch {
        switch error.errorNumber {
        case ENOENT: break
        case EISDIR, EPERM: FolderUnpacking.remove(String(number), in: staging.raw)
        default: failure = failure ?? error
        }
      }
    }
    do throws(SystemError) { try FolderUnpacking.removeEmpty(staging.raw, named: stagingName, in: folder.raw) } catch {
      if error.errorNumber != ENOENT { failure = failure ?? error }
    }
    if let failure { remarks.append("cannot remove \(folder.shownPath)/\(stagingName): \(failure)") }
  }

  /// Keeps the received parts for a later receiver, if the destination requests that.
  func interrupt() {
    guard let parts, !isRemoved, case let count = parts.byteCount, count > 0 else { return remove() }
    isRemoved = true
    parts.removeFormers()
    remarks.append(
      "kept \(count) bytes in \(folder.shownPath)/\(stagingName); repeat the receive to continue")
  }

  /// Keeps the directory with the former files that could not be restored.
  ///
  /// A later receiver reports them.
  func keep(_ reason: SystemError) {
    isRemoved = true
    remarks.append("former files are in \(folder.shownPath)/\(stagingName): \(reason)")
  }
}
