// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import CDropShims
internal import Glibc

/// Files and directories, including the calls that crash safety depends on.
extension SystemCalls {
  /// Closes a descriptor in programs that this process starts.
  package static func setClosesOnExec(_ descriptor: CInt) throws(SystemError) {
    _ = try valueOrErrno("fcntl") { dragpipe_fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
  }

  /// Whether a descriptor is closed in programs that this process starts.
  package static func closesOnExec(_ descriptor: CInt) throws(SystemError) -> Bool {
    try control(descriptor, F_GETFD) & FD_CLOEXEC != 0
  }

  /// Returns the status of an open file.
  package static func status(_ descriptor: CInt) throws(SystemError) -> FileStatus {
    var status = stat()
    _ = try valueOrErrno("fstat") { fstat(descriptor, &status) }
    return FileStatus(status)
  }

  /// Returns the status of a path; follows links, unless `flags` contains `AT_SYMLINK_NOFOLLOW`.
  package static func statusAt(_ directory: CInt, _ path: String, _ flags: CInt = 0) throws(SystemError) -> FileStatus {
    var status = stat()
    _ = try valueOrErrno("fstatat") { fstatat(directory, path, &status, flags) }
    return FileStatus(status)
  }

  /// Whether the descriptor was opened for reading: not write-only, and not with `O_PATH`.
  package static func isReadable(_ descriptor: CInt) throws(SystemError) -> Bool {
    let flags = try control(descriptor, F_GETFL)
    return flags & CInt(dragpipe_open_path) == 0 && flags & O_ACCMODE != O_WRONLY
  }

  /// Sets the permissions of an open file.
  package static func changeMode(_ descriptor: CInt, _ mode: UInt32) throws(SystemError) {
    _ = try valueOrErrno("fchmod") { fchmod(descriptor, mode) }
  }

  /// Sets the owner and the group of an open file.
  package static func changeOwner(_ descriptor: CInt, _ owner: UInt32, _ group: UInt32) throws(SystemError) {
    _ = try valueOrErrno("fchown") { fchown(descriptor, owner, group) }
  }

  /// Sets the permissions of a path.
  package static func changeModeAt(
    _ directory: CInt, _ path: String, _ mode: UInt32, _ flags: CInt = 0
  ) throws(SystemError) {
    _ = try valueOrErrno("fchmodat") { fchmodat(directory, path, mode, flags) }
  }

  /// Creates a directory.
  package static func makeDirectory(_ path: String, _ mode: UInt32) throws(SystemError) {
    _ = try valueOrErrno("mkdir") { mkdir(path, mode) }
  }

  /// Creates a directory relative to an open directory.
  package static func makeDirectoryAt(_ directory: CInt, _ path: String, _ mode: UInt32) throws(SystemError) {
    _ = try valueOrErrno("mkdirat") { mkdirat(directory, path, mode) }
  }

  /// Removes a name; with `AT_REMOVEDIR`, an empty directory.
  package static func unlinkAt(_ directory: CInt, _ path: String, _ flags: CInt = 0) throws(SystemError) {
    _ = try valueOrErrno("unlinkat") { unlinkat(directory, path, flags) }
    record("unlinkat", directory, path)
  }

  /// Adds a name for a file; fails with EEXIST if `to` exists.
  package static func linkAt(
    _ fromDirectory: CInt, _ from: String, _ toDirectory: CInt, _ to: String
  ) throws(SystemError) {
    _ = try valueOrErrno("linkat") { linkat(fromDirectory, from, toDirectory, to, 0) }
  }

  /// Creates a symbolic link.
  package static func symbolicLinkAt(_ target: String, _ directory: CInt, _ name: String) throws(SystemError) {
    _ = try valueOrErrno("symlinkat") { symlinkat(target, directory, name) }
  }

  /// Returns the target of a symbolic link, truncated to `PATH_MAX` bytes.
  package static func readLinkAt(_ directory: CInt, _ name: String) throws(SystemError) -> [UInt8] {
    var target = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = try valueOrErrno("readlinkat") { readlinkat(directory, name, &target, target.count) }
    target.removeSubrange(Int(count)...)
    return target
  }

  /// Sets the owner and the group of a name, which may be a symbolic link.
  package static func changeOwnerAt(
    _ directory: CInt, _ name: String, _ owner: UInt32, _ group: UInt32
  ) throws(SystemError) {
    _ = try valueOrErrno("fchownat") { fchownat(directory, name, owner, group, AT_SYMLINK_NOFOLLOW) }
  }

  /// Returns the names of the extended attributes of an open file.
  package static func attributeNames(_ descriptor: CInt) throws(SystemError) -> [String] {
    let bytes = try attributeBytes("flistxattr") { dragpipe_list_attributes(descriptor, $0, $1) }
    return bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns the value of an extended attribute of an open file.
  package static func attribute(_ descriptor: CInt, _ name: String) throws(SystemError) -> [UInt8] {
    try attributeBytes("fgetxattr") { dragpipe_read_attribute(descriptor, name, $0, $1) }
  }

  /// Sets an extended attribute of an open file.
  package static func setAttribute(_ descriptor: CInt, _ name: String, _ value: [UInt8]) throws(SystemError) {
    _ = try valueOrErrno("fsetxattr") { dragpipe_set_attribute(descriptor, name, value, value.count) }
  }

  private static func attributeBytes(
    _ call: String, _ body: (UnsafeMutablePointer<CChar>?, Int) -> Int
  ) throws(SystemError) -> [UInt8] {
    // The kernel's limit for a value, and for a list of names.
    var bytes = [CChar](repeating: 0, count: 65_536)
    let count = try valueOrErrno(call) { bytes.withUnsafeMutableBufferPointer { body($0.baseAddress, $0.count) } }
    return bytes[..<count].map { UInt8(bitPattern: $0) }
  }

  /// Opens a path below a directory; fails if the path leaves the directory or contains a symbolic link.
  ///
  /// Fails with ENOSYS on old kernels.
  package static func openBeneath(_ directory: CInt, _ path: String, _ flags: CInt) throws(SystemError) -> CInt {
    try valueOrErrno("openat2") {
      DescriptorReserve.admit(dragpipe_open_beneath(directory, path, flags | O_CLOEXEC))
    }
  }

  /// Renames a file or directory; replaces an existing file or, by a directory, an empty directory.
  package static func renameAt(
    _ fromDirectory: CInt, _ from: String, _ toDirectory: CInt, _ to: String
  ) throws(SystemError) {
    _ = try valueOrErrno("renameat") { renameat(fromDirectory, from, toDirectory, to) }
    record("rename", toDirectory, to)
  }

  /// Renames a file or directory; fails with EEXIST if `to` exists.
  ///
  /// Without support by the file system, only files can be renamed, and both names exist for a moment.
  package static func renameExclusivelyAt(
    _ fromDirectory: CInt, _ from: String, _ toDirectory: CInt, _ to: String
  ) throws(SystemError) {
    do throws(SystemError) {
      _ = try valueOrErrno("renameat2") { dragpipe_rename_exclusively(fromDirectory, from, toDirectory, to) }
    } catch {
      guard error.errorNumber == EINVAL || error.errorNumber == ENOSYS else { throw error }
      // Some file systems do not support the flag. For a file, a second link and the removal of the first have the same
      // result.
      try linkAt(fromDirectory, from, toDirectory, to)
      try unlinkAt(fromDirectory, from)
    }
    record("rename", toDirectory, to)
  }

  /// Returns the permissions that a new file in a directory gets, as the umask and the directory determine them.
  ///
  /// The function creates and removes a probe file called `name`. No other way to read the umask is safe with threads.
  package static func permissionsOfNewFiles(_ directory: CInt, probe name: String) throws(SystemError) -> UInt32 {
    let probe = try OwnedDescriptor.openAt(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666)
    defer { try? unlinkAt(directory, name) }
    return try status(probe.raw).permissions & 0o666
  }

  /// Exchanges two names atomically.
  package static func exchangeAt(
    _ oneDirectory: CInt, _ one: String, _ otherDirectory: CInt, _ other: String
  ) throws(SystemError) {
    _ = try valueOrErrno("renameat2") { dragpipe_exchange(oneDirectory, one, otherDirectory, other) }
    record("exchange", otherDirectory, other)
  }

  /// Sets the modification time of a file, or of a symbolic link itself.
  package static func changeTimeAt(_ directory: CInt, _ path: String, _ time: FileTime) throws(SystemError) {
    let times = modification(time)
    _ = try valueOrErrno("utimensat") { utimensat(directory, path, times, AT_SYMLINK_NOFOLLOW) }
  }

  /// Sets the modification time of an open file.
  package static func changeTime(_ descriptor: CInt, _ time: FileTime) throws(SystemError) {
    let times = modification(time)
    _ = try valueOrErrno("futimens") { futimens(descriptor, times) }
  }

  /// Returns the times for a change of the modification time alone: the access time stays as it is.
  private static func modification(_ time: FileTime) -> [timespec] {
    [
      timespec(tv_sec: 0, tv_nsec: Int(dragpipe_time_omitted)),
      timespec(tv_sec: Int(time.seconds), tv_nsec: Int(time.nanoseconds)),
    ]
  }

  /// Sets the stack size of future threads in bytes, and makes all threads share one heap; ignores errors.
  package static func saveAddressSpace(stackSize: Int) {
    dragpipe_save_address_space(stackSize)
  }

  /// Moves the file offset, and returns the new offset.
  package static func seek(_ descriptor: CInt, _ offset: Int64, _ whence: CInt) throws(SystemError) -> Int64 {
    Int64(try valueOrErrno("lseek") { lseek(descriptor, off_t(offset), whence) })
  }

  /// Sets the length of a file.
  package static func truncate(_ descriptor: CInt, _ length: Int64) throws(SystemError) {
    _ = try valueOrErrno("ftruncate") { ftruncate(descriptor, off_t(length)) }
  }

  /// Flushes a file to the disk.
  package static func sync(_ descriptor: CInt) throws(SystemError) {
    _ = try valueOrErrno("fsync") { fsync(descriptor) }
    record("fsync", descriptor)
  }

  /// Starts to write the data of a file to the disk, and does not wait; ``sync(_:)`` reports errors.
  package static func startSync(_ descriptor: CInt) {
    _ = sync_file_range(descriptor, 0, 0, UInt32(SYNC_FILE_RANGE_WRITE))
  }

  /// Flushes the names in a directory to the disk, if its file system supports that.
  package static func syncDirectory(_ directory: CInt, _ path: String = ".") throws(SystemError) {
    // A descriptor opened with `O_PATH` cannot be flushed.
    let opened = try OwnedDescriptor.openAt(directory, path, O_RDONLY | O_DIRECTORY)
    try syncOpenDirectory(opened.raw)
  }

  /// Flushes the names in an open directory to the disk, if its file system supports that.
  package static func syncOpenDirectory(_ directory: CInt) throws(SystemError) {
    do throws(SystemError) { try sync(directory) } catch { guard error.errorNumber == EINVAL else { throw error } }
  }

  /// Whether other machines may share the file system, so that not all programs may see a file lock.
  package static func isSharedWithMachines(_ descriptor: CInt) -> Bool {
    dragpipe_is_shared_with_machines(descriptor) != 0
  }

  /// Acquires or releases a lock on a file (flock(2)).
  package static func lock(_ descriptor: CInt, _ operation: CInt) throws(SystemError) {
    _ = try valueOrErrno("flock") { flock(descriptor, operation) }
  }

  /// Locks a file exclusively without waiting, and checks that its name still leads to it.
  ///
  /// - Parameters:
  ///   - descriptor: The open file. Closing it releases the lock.
  ///   - name: The path of the file.
  ///   - directory: The directory to which a relative path is relative.
  ///   - flags: The flags of `fstatat`.
  /// - Returns: The status of the file; `nil` if another process has the lock, or has removed or replaced the file since
  ///   it was opened.
  /// - Throws: Other errors of the calls.
  package static func lockedStatus(
    _ descriptor: CInt, named name: String, in directory: CInt = AT_FDCWD, _ flags: CInt = 0
  ) throws(SystemError) -> FileStatus? {
    do throws(SystemError) {
      try lock(descriptor, LOCK_EX | LOCK_NB)
      let named = try statusAt(directory, name, flags)
      let status = try status(descriptor)
      return named.isSameFile(as: status) ? status : nil
    } catch {
      guard error.errorNumber == EWOULDBLOCK || error.errorNumber == ENOENT else { throw error }
      return nil
    }
  }

  /// Returns whether a process has the file open for writing; `false` if the file system cannot tell.
  ///
  /// The descriptor must be open for reading only.
  package static func isOpenForWriting(_ descriptor: CInt) -> Bool {
    dragpipe_is_open_for_writing(descriptor) != 0
  }
}

/// A reader of the names in a directory, in the order of the file system.
package struct DirectoryReader: ~Copyable {
  private let stream: OpaquePointer
  /// The kind of the file whose name ``next()`` returned last; `nil` if the file system does not report kinds with
  /// names.
  package private(set) var kind: FileStatus.Kind?

  /// Opens a directory by its path.
  ///
  /// The reader has an open file description of its own, so that the offset of `directory` does not change.
  package init(_ directory: CInt, _ path: String = ".") throws(SystemError) {
    let opened = try OwnedDescriptor.openAt(directory, path, O_RDONLY | O_DIRECTORY).release()
    guard let stream = fdopendir(opened) else {
      let code = errno
      try? SystemCalls.close(opened)
      throw SystemError(code, in: "fdopendir")
    }
    self.stream = stream
  }

  deinit {
    closedir(stream)
  }

  /// Returns the bytes of the next name except `.` and `..`; `nil` after the last name.
  package mutating func next() throws(SystemError) -> [UInt8]? {
    while true {
      errno = 0
      guard let entry = readdir(stream), let field = entry.pointer(to: \.d_name) else {
        if errno != 0 { throw SystemError(errno, in: "readdir") }
        return nil
      }
      let text = UnsafeRawPointer(field)
      let name = [UInt8](UnsafeRawBufferPointer(start: text, count: strlen(text.assumingMemoryBound(to: CChar.self))))
      if name.elementsEqual(".".utf8) || name.elementsEqual("..".utf8) { continue }
      // The number is the kind's part of the mode.
      let format = mode_t(entry.pointee.d_type) << 12
      kind = format == 0 ? nil : FileStatus.Kind(format: format)
      return name
    }
  }
}
