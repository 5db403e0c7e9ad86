// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc

/// The system calls, one line each, in C's order of arguments; errno is read and EINTR retried in one place.
///
/// `path` is the entry that an error is about.
enum FolderCalls {
  private static func valueOrErrno<Value: SignedInteger>(
    _ call: String, _ path: FolderEntryPath?, _ body: () -> Value
  ) throws(FolderArchiveError) -> Value {
    while true {
      let value = body()
      if value != -1 { return value }
      let code = errno
      if code != EINTR { throw .system(code, in: call, path: path) }
    }
  }

  static func openAt(
    _ directory: CInt, _ name: String, _ flags: CInt, _ mode: UInt32 = 0, path: FolderEntryPath?
  ) throws(FolderArchiveError) -> CInt {
    // C would see the name end there, and open another file.
    guard !name.utf8.contains(0) else { throw .system(ENOENT, in: "openat", path: path) }
    return try valueOrErrno("openat", path) {
      DescriptorReserve.admit(openat(directory, name, flags | O_CLOEXEC, mode))
    }
  }

  /// Never retried: on Linux the descriptor is gone even after EINTR.
  static func close(_ descriptor: CInt, path: FolderEntryPath?) throws(FolderArchiveError) {
    if Glibc.close(descriptor) == -1, errno != EINTR { throw .system(errno, in: "close", path: path) }
  }

  static func duplicate(_ descriptor: CInt) throws(FolderArchiveError) -> CInt {
    try valueOrErrno("fcntl", nil) { DescriptorReserve.admit(fcntl(descriptor, F_DUPFD_CLOEXEC, 3)) }
  }

  static func read(
    _ descriptor: CInt, _ buffer: UnsafeMutableRawBufferPointer, path: FolderEntryPath?
  ) throws(FolderArchiveError) -> Int {
    try valueOrErrno("read", path) { Glibc.read(descriptor, buffer.baseAddress, buffer.count) }
  }

  static func read(
    _ descriptor: CInt, _ buffer: UnsafeMutableRawBufferPointer, at offset: Int64, path: FolderEntryPath?
  ) throws(FolderArchiveError) -> Int {
    try valueOrErrno("pread", path) { pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset)) }
  }

  static func writeAll(
    _ descriptor: CInt, _ bytes: UnsafeRawBufferPointer, path: FolderEntryPath?
  ) throws(FolderArchiveError) {
    var rest = bytes
    while !rest.isEmpty {
      let written = try valueOrErrno("write", path) { Glibc.write(descriptor, rest.baseAddress, rest.count) }
      rest = UnsafeRawBufferPointer(rebasing: rest[written...])
    }
  }

  /// Leaves a hole in a file that is being written.
  static func skip(_ descriptor: CInt, _ count: Int, path: FolderEntryPath?) throws(FolderArchiveError) {
    _ = try valueOrErrno("lseek", path) { lseek(descriptor, off_t(count), SEEK_CUR) }
  }

  static func truncate(_ descriptor: CInt, _ length: Int64, path: FolderEntryPath?) throws(FolderArchiveError) {
    _ = try valueOrErrno("ftruncate", path) { ftruncate(descriptor, off_t(length)) }
  }

  static func status(_ descriptor: CInt, path: FolderEntryPath?) throws(FolderArchiveError) -> FileStatus {
    var status = stat()
    _ = try valueOrErrno("fstat", path) { fstat(descriptor, &status) }
    return FileStatus(status)
  }

  /// Of the link itself where it is one.
  static func statusAt(
    _ directory: CInt, _ name: String, path: FolderEntryPath?
  ) throws(FolderArchiveError) -> FileStatus {
    var status = stat()
    _ = try valueOrErrno("fstatat", path) { fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) }
    return FileStatus(status)
  }

  static func makeDirectoryAt(
    _ directory: CInt, _ name: String, _ mode: UInt32, path: FolderEntryPath?
  ) throws(FolderArchiveError) {
    _ = try valueOrErrno("mkdirat", path) { mkdirat(directory, name, mode) }
  }

  static func changeMode(_ descriptor: CInt, _ mode: UInt32, path: FolderEntryPath?) throws(FolderArchiveError) {
    _ = try valueOrErrno("fchmod", path) { fchmod(descriptor, mode) }
  }

  /// Not through a link.
  static func changeModeAt(
    _ directory: CInt, _ name: String, _ mode: UInt32, path: FolderEntryPath?
  ) throws(FolderArchiveError) {
    _ = try valueOrErrno("fchmodat", path) { fchmodat(directory, name, mode, AT_SYMLINK_NOFOLLOW) }
  }

  /// Sets when the content was last changed, and last looked at, to `seconds` after 1970 began.
  static func changeTime(_ descriptor: CInt, _ seconds: Int64, path: FolderEntryPath?) throws(FolderArchiveError) {
    let times = [timespec](repeating: timespec(tv_sec: time_t(seconds), tv_nsec: 0), count: 2)
    _ = try valueOrErrno("futimens", path) { futimens(descriptor, times) }
  }

  /// Waits until a file or folder is on the disk, where its file system can flush it.
  static func sync(_ descriptor: CInt, path: FolderEntryPath?) throws(FolderArchiveError) {
    do throws(FolderArchiveError) {
      _ = try valueOrErrno("fsync", path) { fsync(descriptor) }
    } catch {
      guard error.errorNumber == EINVAL else { throw error }
    }
  }

  static func unlinkAt(
    _ directory: CInt, _ name: String, _ flags: CInt = 0, path: FolderEntryPath?
  ) throws(FolderArchiveError) {
    _ = try valueOrErrno("unlinkat", path) { unlinkat(directory, name, flags) }
  }
}
