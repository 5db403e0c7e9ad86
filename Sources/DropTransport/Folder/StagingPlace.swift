// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import ItemTransfer

/// A new staging directory, locked while its receiver runs.
///
/// The kernel releases the lock (`flock`) when the process ends, for any reason. Some file systems do not show locks to
/// every program that may use them. On these, the directory is not locked, and its name shows that.
struct StagingPlace: ~Copyable {
  let name: String
  let descriptor: OwnedDescriptor

  /// Creates and locks a directory.
  ///
  /// - Parameters:
  ///   - folder: A descriptor of the parent directory.
  ///   - isResumable: Whether an interrupted receiver keeps the directory, if it is locked.
  /// - Returns: The empty directory.
  /// - Throws: The system error.
  static func make(in folder: CInt, isResumable: Bool) throws(SystemError) -> StagingPlace {
    var isLocked = !SystemCalls.isSharedWithMachines(folder)
    var attempts = 0
    while true {
      attempts += 1
      let name = StagingName.random(isLocked: isLocked, isResumable: isResumable)
      try SystemCalls.makeDirectoryAt(folder, name, 0o700)
      do throws(SystemError) {
        let descriptor = try OwnedDescriptor.openAt(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        if isLocked { try Self.lock(descriptor.raw, name, in: folder) }
        return StagingPlace(name: name, descriptor: descriptor)
      } catch {
        // Before the lock, another receiver may have removed the directory as a leftover of a killed receiver.
        let isTaken = error.errorNumber == ENOENT || error.errorNumber == EWOULDBLOCK
        if isTaken, attempts < 100 { continue }
        try? SystemCalls.unlinkAt(folder, name, AT_REMOVEDIR)
        guard isLocked, !isTaken, error.call == "flock" else { throw error }
        isLocked = false
      }
    }
  }

  /// Opens and locks the staging directory of a killed receiver of this user.
  ///
  /// - Throws: `EWOULDBLOCK` if its receiver is alive; other system errors.
  static func ofDeadReceiver(_ name: String, in folder: CInt) throws(SystemError) -> OwnedDescriptor {
    let staging = try OwnedDescriptor.openAt(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    let status = try SystemCalls.status(staging.raw)
    guard status.owner == geteuid(), status.permissions == 0o700 else { throw SystemError(EPERM, in: "flock") }
    try lock(staging.raw, name, in: folder)
    return staging
  }

  /// Locks a staging directory without waiting.
  ///
  /// - Parameters:
  ///   - directory: A descriptor of the staging directory.
  ///   - name: The name of the staging directory.
  ///   - folder: A descriptor of the parent directory.
  /// - Throws: `EWOULDBLOCK` if another process has the lock, `ENOENT` if the directory was removed meanwhile.
  static func lock(_ directory: CInt, _ name: String, in folder: CInt) throws(SystemError) {
    try SystemCalls.lock(directory, LOCK_EX | LOCK_NB)
    try FolderUnpacking.check(name, of: directory, in: folder)
  }
}
