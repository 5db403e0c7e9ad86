// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import ItemTransfer

/// A directory that was created for staging, locked as long as its receiver lives.
///
/// The lock is the kernel's (`flock`), so that it is gone with the process, however that ends. Where locks are not seen
/// by every program that may use the file system, the name says that there is none.
struct StagingPlace: ~Copyable {
  let name: String
  let descriptor: OwnedDescriptor

  /// Creates and locks a directory.
  ///
  /// - Parameter folder: In which it is created.
  /// - Returns: The directory, empty.
  /// - Throws: What the system says.
  static func make(in folder: CInt) throws(SystemError) -> StagingPlace {
    var isLocked = !SystemCalls.isSharedWithMachines(folder)
    var attempts = 0
    while true {
      attempts += 1
      let name = StagingName.random(isLocked: isLocked)
      try SystemCalls.makeDirectoryAt(folder, name, 0o700)
      do throws(SystemError) {
        let descriptor = try OwnedDescriptor.openAt(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        if isLocked { try Self.lock(descriptor.raw, name, in: folder) }
        return StagingPlace(name: name, descriptor: descriptor)
      } catch {
        // Another receiver may have taken it for a dead one's before it was locked, and removes it then.
        let isTaken = error.errorNumber == ENOENT || error.errorNumber == EWOULDBLOCK
        if isTaken, attempts < 100 { continue }
        try? SystemCalls.unlinkAt(folder, name, AT_REMOVEDIR)
        guard isLocked, !isTaken, error.call == "flock" else { throw error }
        isLocked = false
      }
    }
  }

  /// Locks a staging directory without waiting.
  ///
  /// - Parameters:
  ///   - directory: A descriptor of it.
  ///   - name: Its name.
  ///   - folder: In which it is.
  /// - Throws: `EWOULDBLOCK` where another one has the lock, `ENOENT` where it was removed meanwhile.
  static func lock(_ directory: CInt, _ name: String, in folder: CInt) throws(SystemError) {
    try SystemCalls.lock(directory, LOCK_EX | LOCK_NB)
    let named = try SystemCalls.statusAt(folder, name, AT_SYMLINK_NOFOLLOW)
    guard named.isSameFile(as: try SystemCalls.status(directory)) else { throw SystemError(ENOENT, in: "open") }
  }
}
