// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import ItemTransfer

/// Staging the source's own file, which is to be moved, in place of a copy.
extension StagingDirectory {
  /// Gives an open file of the source the place of a staged file that is empty.
  ///
  /// The file is not changed: until the source removes its own name, both are names of one file.
  ///
  /// - Parameters:
  ///   - original: The source's file.
  ///   - file: Of the item that was made last.
  /// - Returns: Whether it has the place; else nothing has changed.
  func link(_ original: CInt, as file: StagedFile) -> Bool {
    guard let index = part(of: file), current?.parts[index]?.isFolder == false,
      let status = try? SystemCalls.status(original), mayTake(status, as: file.name)
    else { return false }
    let (staged, linked) = (String(file.number), "\(file.number).original")
    do throws(SystemError) {
      if originals == nil { originals = try OriginalFiles(in: folder.raw) }
      try SystemCalls.link(original, staging.raw, linked)
      let now = try SystemCalls.statusAt(staging.raw, linked, AT_SYMLINK_NOFOLLOW)
      // Another receiver may have linked it at the same time.
      guard now.isUnchanged(since: status), now.linkCount == 2 else { throw SystemError(ESTALE, in: "linkat") }
      try SystemCalls.renameAt(staging.raw, linked, staging.raw, staged)
      originals?.stage(now, number: file.number)
    } catch {
      try? SystemCalls.unlinkAt(staging.raw, linked)
      return false
    }
    return true
  }

  private func mayTake(_ status: FileStatus, as name: String) -> Bool {
    guard status.kind == .regular, status.owner == geteuid(), status.linkCount == 1,
      // To be copied later, perhaps.
      status.permissions & UInt32(S_IRUSR) != 0
    else { return false }
    if let time = current?.attributes.modificationTime, time != status.modificationTime { return false }
    do throws(SystemError) {
      // The source would remove the only name of a file that has replaced itself.
      return try inFolder(of: name) { (raw, last) throws(SystemError) in
        try !SystemCalls.statusAt(raw, last, AT_SYMLINK_NOFOLLOW).isSameFile(as: status)
      }
    } catch {
      return error.errorNumber == ENOENT
    }
  }
}
