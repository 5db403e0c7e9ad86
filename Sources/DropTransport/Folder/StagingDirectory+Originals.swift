// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import ItemTransfer

/// Staging of the source's own file in place of a copy, for a move.
extension StagingDirectory {
  /// Replaces an empty staged file by a hard link to an open file of the source.
  ///
  /// The file itself does not change. Until the source removes its own name, both names belong to one file.
  ///
  /// - Parameters:
  ///   - original: A descriptor of the source's file.
  ///   - file: A staged file of the current item.
  /// - Returns: Whether the file was linked. If not, nothing has changed.
  func link(_ original: CInt, as file: StagedFile) -> Bool {
    guard let index = part(of: file), current?.parts[index]?.isFolder == false,
      let status = try? SystemCalls.status(original), mayTake(status, as: file.name)
    else { return false }
    let (staged, linked) = (String(file.number), "\(file.number).original")
    do throws(SystemError) {
      if originals == nil { originals = try OriginalFiles(in: folder.raw) }
      let lock = try Self.lock(original)
      try SystemCalls.link(original, staging.raw, linked)
      let now = try SystemCalls.statusAt(staging.raw, linked, AT_SYMLINK_NOFOLLOW)
      // Another receiver may have linked it before the lock.
      guard now.isUnchanged(since: status), now.linkCount == 2 else { throw SystemError(ESTALE, in: "linkat") }
      try SystemCalls.renameAt(staging.raw, linked, staging.raw, staged)
      originals?.stage(now, number: file.number)
      try? lock.close()
    } catch {
      try? SystemCalls.unlinkAt(staging.raw, linked)
      return false
    }
    return true
  }

  /// Locks a file of the source until the returned descriptor is closed, if its file system allows that.
  ///
  /// Without the lock, two receivers could each find the other's link and remove their own. The source would then keep
  /// the file, since both links have changed its status.
  ///
  /// - Throws: `EWOULDBLOCK` if another program has the lock; an error of `open`.
  private static func lock(_ original: CInt) throws(SystemError) -> OwnedDescriptor {
    // The receivers may share the passed descriptor, and with it the lock.
    let own = try OwnedDescriptor.open("/proc/self/fd/\(original)", O_RDONLY)
    do throws(SystemError) {
      try SystemCalls.lock(own.raw, LOCK_EX | LOCK_NB)
    } catch {
      if error.errorNumber == EWOULDBLOCK { throw error }
    }
    return own
  }

  private func mayTake(_ status: FileStatus, as name: String) -> Bool {
    guard status.kind == .regular, status.owner == geteuid(), status.linkCount == 1,
      // A copy may be necessary later, which must be able to read the file.
      status.permissions & UInt32(S_IRUSR) != 0
    else { return false }
    if let time = current?.attributes.modificationTime, time != status.modificationTime { return false }
    do throws(SystemError) {
      // If the file replaced itself, the source would then remove its only name.
      return try inFolder(of: name) { (raw, last) throws(SystemError) in
        try !SystemCalls.statusAt(raw, last, AT_SYMLINK_NOFOLLOW).isSameFile(as: status)
      }
    } catch {
      return error.errorNumber == ENOENT
    }
  }
}
