// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import CDropShims
internal import Glibc

/// Files, directories, and what survives a crash.
extension SystemCalls {
  package static func closesOnExec(_ descriptor: CInt) throws(SystemError) -> Bool {
    try control(descriptor, F_GETFD) & FD_CLOEXEC != 0
  }

  package static func status(_ descriptor: CInt) throws(SystemError) -> FileStatus {
    var status = stat()
    _ = try valueOrErrno("fstat") { fstat(descriptor, &status) }
    return FileStatus(status)
  }

  package static func statusAt(_ directory: CInt, _ path: String, _ flags: CInt = 0) throws(SystemError) -> FileStatus {
    var status = stat()
    _ = try valueOrErrno("fstatat") { fstatat(directory, path, &status, flags) }
    return FileStatus(status)
  }

  /// Whether the descriptor was opened for reading, not for writing alone or as what it is.
  package static func isReadable(_ descriptor: CInt) -> Bool {
    guard let flags = try? control(descriptor, F_GETFL) else { return false }
    return flags & CInt(dragpipe_open_path) == 0 && flags & O_ACCMODE != O_WRONLY
  }

  package static func changeMode(_ descriptor: CInt, _ mode: UInt32) throws(SystemError) {
    _ = try valueOrErrno("fchmod") { fchmod(descriptor, mode) }
  }

  package static func changeOwner(_ descriptor: CInt, _ owner: UInt32, _ group: UInt32) throws(SystemError) {
    _ = try valueOrErrno("fchown") { fchown(descriptor, owner, group) }
  }

  package static func changeModeAt(_ directory: CInt, _ path: String, _ mode: UInt32) throws(SystemError) {
    _ = try valueOrErrno("fchmodat") { fchmodat(directory, path, mode, 0) }
  }

  package static func makeDirectory(_ path: String, _ mode: UInt32) throws(SystemError) {
    _ = try valueOrErrno("mkdir") { mkdir(path, mode) }
  }

  package static func makeDirectoryAt(_ directory: CInt, _ path: String, _ mode: UInt32) throws(SystemError) {
    _ = try valueOrErrno("mkdirat") { mkdirat(directory, path, mode) }
  }

  package static func unlinkAt(_ directory: CInt, _ path: String, _ flags: CInt = 0) throws(SystemError) {
    _ = try valueOrErrno("unlinkat") { unlinkat(directory, path, flags) }
    record("unlinkat", directory, path)
  }

  package static func renameAt(
    _ fromDirectory: CInt, _ from: String, _ toDirectory: CInt, _ to: String
  ) throws(SystemError) {
    _ = try valueOrErrno("renameat") { renameat(fromDirectory, from, toDirectory, to) }
    record("rename", toDirectory, to)
  }

  /// Fails with EEXIST where `to` exists.
  package static func renameExclusivelyAt(
    _ fromDirectory: CInt, _ from: String, _ toDirectory: CInt, _ to: String
  ) throws(SystemError) {
    do throws(SystemError) {
      _ = try valueOrErrno("renameat2") { dragpipe_rename_exclusively(fromDirectory, from, toDirectory, to) }
    } catch {
      guard error.errorNumber == EINVAL || error.errorNumber == ENOSYS else { throw error }
      // Some file systems cannot; a second link and the removal of the first come to the same.
      _ = try valueOrErrno("linkat") { linkat(fromDirectory, from, toDirectory, to, 0) }
      try unlinkAt(fromDirectory, from)
    }
    record("rename", toDirectory, to)
  }

  /// Gives an open file another name on its file system.
  package static func link(_ descriptor: CInt, _ directory: CInt, _ name: String) throws(SystemError) {
    let source = "/proc/self/fd/\(descriptor)"
    _ = try valueOrErrno("linkat") { linkat(AT_FDCWD, source, directory, name, AT_SYMLINK_FOLLOW) }
  }

  /// The permissions that this process's umask and the directory leave to a new file, found by making one called `name`:
  /// there is no other way to read the umask that is safe with threads.
  package static func permissionsOfNewFiles(_ directory: CInt, probe name: String) throws(SystemError) -> UInt32 {
    let probe = try OwnedDescriptor.openAt(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666)
    defer { try? unlinkAt(directory, name) }
    return try status(probe.raw).permissions & 0o666
  }

  /// Lets two names change what they stand for, at once.
  package static func exchangeAt(
    _ oneDirectory: CInt, _ one: String, _ otherDirectory: CInt, _ other: String
  ) throws(SystemError) {
    _ = try valueOrErrno("renameat2") { dragpipe_exchange(oneDirectory, one, otherDirectory, other) }
    record("exchange", otherDirectory, other)
  }

  /// Says when the content of a file was changed last, never of what a link leads to.
  package static func changeTimeAt(
    _ directory: CInt, _ path: String, seconds: Int64, nanoseconds: Int64
  ) throws(SystemError) {
    // When it was read last, nobody has said.
    let times = [
      timespec(tv_sec: 0, tv_nsec: Int(dragpipe_time_omitted)),
      timespec(tv_sec: Int(seconds), tv_nsec: Int(nanoseconds)),
    ]
    _ = try valueOrErrno("utimensat") { utimensat(directory, path, times, AT_SYMLINK_NOFOLLOW) }
  }

  /// Gives threads to come a stack of `stackSize` bytes, and all threads one heap together.
  package static func saveAddressSpace(stackSize: Int) {
    dragpipe_save_address_space(stackSize)
  }

  package static func seek(_ descriptor: CInt, _ offset: Int64, _ whence: CInt) throws(SystemError) -> Int64 {
    Int64(try valueOrErrno("lseek") { lseek(descriptor, off_t(offset), whence) })
  }

  /// Returns where the next data or hole is, `nil` if only a hole follows.
  package static func seek(
    _ descriptor: CInt, _ offset: UInt64, _ target: FileHoles.Target
  ) throws(SystemError) -> UInt64? {
    do throws(SystemError) {
      return UInt64(try seek(descriptor, Int64(offset), target.rawValue))
    } catch {
      switch error.errorNumber {
      case ENXIO: return nil
      // A file system that knows no holes: all is data.
      case EINVAL, EOPNOTSUPP: return target == .data ? offset : nil
      default: throw error
      }
    }
  }

  package static func truncate(_ descriptor: CInt, _ length: Int64) throws(SystemError) {
    _ = try valueOrErrno("ftruncate") { ftruncate(descriptor, off_t(length)) }
  }

  /// Waits until what was written to a file is on the disk.
  package static func sync(_ descriptor: CInt) throws(SystemError) {
    _ = try valueOrErrno("fsync") { fsync(descriptor) }
    record("fsync", descriptor)
  }

  /// Waits until the names in a directory are on the disk, where its file system can flush directories.
  package static func syncDirectory(_ directory: CInt, _ path: String = ".") throws(SystemError) {
    // A descriptor of the directory may stand for its place alone, which cannot be flushed.
    let opened = try OwnedDescriptor.openAt(directory, path, O_RDONLY | O_DIRECTORY)
    do throws(SystemError) { try sync(opened.raw) } catch { guard error.errorNumber == EINVAL else { throw error } }
  }

  /// Whether programs on other machines may use the same files, so that a lock that is free here may be theirs.
  package static func isSharedWithMachines(_ descriptor: CInt) -> Bool {
    dragpipe_is_shared_with_machines(descriptor) != 0
  }

  package static func lock(_ descriptor: CInt, _ operation: CInt) throws(SystemError) {
    _ = try valueOrErrno("flock") { flock(descriptor, operation) }
  }

  /// Sets the time of the last change of an open file's content.
  package static func changeTime(_ descriptor: CInt, _ time: FileTime) throws(SystemError) {
    let times = [
      timespec(tv_sec: 0, tv_nsec: Int(dragpipe_time_omitted)),
      timespec(tv_sec: Int(time.seconds), tv_nsec: Int(time.nanoseconds)),
    ]
    _ = try valueOrErrno("futimens") { futimens(descriptor, times) }
  }
}
