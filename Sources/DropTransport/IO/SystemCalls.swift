// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import CDropShims
internal import Glibc
package import ItemTransfer

/// An error number, and the call that gave it.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
  package let errno: CInt
  package let call: String

  package init(_ errno: CInt, in call: String) {
    self.errno = errno
    self.call = call
  }

  /// The system's words for the error.
  package var description: String { String(cString: strerror(errno)) }
}

/// The system calls, one line each, in C's order of arguments; errno is read and EINTR retried in one place.
package enum SystemCalls {
  static func valueOrErrno<Value: SignedInteger>(
    _ call: String, _ body: () -> Value
  ) throws(SystemError) -> Value {
    while true {
      #if DEBUG
        if let failure = SystemCallFaults.failure(of: call) { throw failure }
      #endif
      let value = body()
      if value != -1 { return value }
      let code = errno
      if code != EINTR { throw SystemError(code, in: call) }
    }
  }

  package static func read(_ descriptor: CInt, _ buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
    try valueOrErrno("read") { Glibc.read(descriptor, buffer.baseAddress, buffer.count) }
  }

  package static func read(
    _ descriptor: CInt, _ buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(SystemError) -> Int {
    try valueOrErrno("pread") { pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset)) }
  }

  /// - Returns: How many bytes were copied; 0 at the end of the file.
  static func copyRange(
    _ descriptor: CInt, at offset: Int64, to output: CInt, _ count: Int
  ) throws(SystemError) -> Int {
    try valueOrErrno("copy_file_range") { dragpipe_copy_file_range(descriptor, offset, output, count) }
  }

  static func write(_ descriptor: CInt, _ buffer: UnsafeRawBufferPointer) throws(SystemError) -> Int {
    record("write", descriptor)
    return try valueOrErrno("write") { Glibc.write(descriptor, buffer.baseAddress, buffer.count) }
  }

  /// Writes to what may have lost its reader, without the signal that would end the process.
  ///
  /// The signal goes to the thread that writes: it is held back there, and taken off before anybody hears it.
  static func writeSilently(_ descriptor: CInt, _ buffer: UnsafeRawBufferPointer) throws(SystemError) -> Int {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    var former = sigset_t()
    pthread_sigmask(SIG_BLOCK, &signals, &former)
    defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
    do throws(SystemError) {
      return try write(descriptor, buffer)
    } catch {
      // Where others hold it back themselves, they may be waiting for it.
      if error.errno == EPIPE, sigismember(&former, SIGPIPE) == 0 {
        var now = timespec()
        while sigtimedwait(&signals, nil, &now) == -1, errno == EINTR {}
      }
      throw error
    }
  }

  /// Writes everything, waiting where somebody has made the descriptor non-blocking.
  package static func writeAll(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) throws(SystemError) {
    var written = 0
    while written < bytes.count {
      do throws(SystemError) {
        written += try write(descriptor, UnsafeRawBufferPointer(rebasing: bytes[written...]))
      } catch {
        guard error.errno == EAGAIN else { throw error }
        var ready = [pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)]
        do throws(SystemError) { _ = try poll(&ready, -1) } catch { guard error.errno == EINTR else { throw error } }
      }
    }
  }

  static func receive(
    _ socket: CInt, _ buffer: UnsafeMutableRawBufferPointer, _ flags: CInt
  ) throws(SystemError) -> Int {
    try valueOrErrno("recv") { recv(socket, buffer.baseAddress, buffer.count, flags) }
  }

  static func send(_ socket: CInt, _ buffer: UnsafeRawBufferPointer, _ flags: CInt) throws(SystemError) -> Int {
    record("send", socket)
    return try valueOrErrno("send") { Glibc.send(socket, buffer.baseAddress, buffer.count, flags) }
  }

  /// Does not retry on EINTR: the caller knows how much of the timeout is left.
  static func poll(_ descriptors: inout [pollfd], _ milliseconds: CInt) throws(SystemError) -> CInt {
    #if DEBUG
      if let failure = SystemCallFaults.failure(of: "poll") { throw failure }
    #endif
    let ready = Glibc.poll(&descriptors, nfds_t(descriptors.count), milliseconds)
    if ready == -1 { throw SystemError(errno, in: "poll") }
    return ready
  }

  package static func open(_ path: String, _ flags: CInt, _ mode: UInt32 = 0) throws(SystemError) -> CInt {
    try valueOrErrno("open") { DescriptorReserve.admit(dragpipe_open(path, flags | O_CLOEXEC, mode)) }
  }

  package static func openAt(
    _ directory: CInt, _ path: String, _ flags: CInt, _ mode: UInt32 = 0
  ) throws(SystemError) -> CInt {
    try valueOrErrno("openat") {
      DescriptorReserve.admit(dragpipe_openat(directory, path, flags | O_CLOEXEC, mode))
    }
  }

  /// Never retried: on Linux the descriptor is gone even after EINTR.
  package static func close(_ descriptor: CInt) throws(SystemError) {
    if Glibc.close(descriptor) == -1, errno != EINTR { throw SystemError(errno, in: "close") }
    #if DEBUG
      // What the system had kept for later; the descriptor is gone all the same.
      if let failure = SystemCallFaults.failure(of: "close") { throw failure }
    #endif
  }

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
  static func isReadable(_ descriptor: CInt) -> Bool {
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
      guard error.errno == EINVAL || error.errno == ENOSYS else { throw error }
      // Some file systems cannot; a second link and the removal of the first come to the same.
      _ = try valueOrErrno("linkat") { linkat(fromDirectory, from, toDirectory, to, 0) }
      try unlinkAt(fromDirectory, from)
    }
    record("rename", toDirectory, to)
  }

  /// Gives an open file another name, on the file system where it is.
  static func link(_ descriptor: CInt, _ directory: CInt, _ name: String) throws(SystemError) {
    let itself = "/proc/self/fd/\(descriptor)"
    _ = try valueOrErrno("linkat") { linkat(AT_FDCWD, itself, directory, name, AT_SYMLINK_FOLLOW) }
  }

  /// The permissions that this process's umask and the directory leave to a new file, found by making one called `name`:
  /// there is no other way to read the umask that is safe with threads.
  package static func permissionsOfNewFiles(_ directory: CInt, probe name: String) throws(SystemError) -> UInt32 {
    let probe = try OwnedDescriptor.openAt(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666)
    defer { try? unlinkAt(directory, name) }
    return try status(probe.raw).permissions & 0o666
  }

  /// Lets two names change what they stand for, at once.
  static func exchangeAt(
    _ oneDirectory: CInt, _ one: String, _ otherDirectory: CInt, _ other: String
  ) throws(SystemError) {
    _ = try valueOrErrno("renameat2") { dragpipe_exchange(oneDirectory, one, otherDirectory, other) }
    record("exchange", otherDirectory, other)
  }

  /// Says when the content of a file was changed last, never of what a link leads to.
  static func changeTimeAt(
    _ directory: CInt, _ path: String, seconds: Int64, nanoseconds: Int64
  ) throws(SystemError) {
    // When it was read last, nobody has said.
    let times = [
      timespec(tv_sec: 0, tv_nsec: Int(dragpipe_time_omitted)),
      timespec(tv_sec: Int(seconds), tv_nsec: Int(nanoseconds)),
    ]
    _ = try valueOrErrno("utimensat") { utimensat(directory, path, times, AT_SYMLINK_NOFOLLOW) }
  }

  /// Says when the content of an open file was changed last.
  static func changeTime(_ descriptor: CInt, _ time: FileTime) throws(SystemError) {
    let times = [
      timespec(tv_sec: 0, tv_nsec: Int(dragpipe_time_omitted)),
      timespec(tv_sec: Int(time.seconds), tv_nsec: Int(time.nanoseconds)),
    ]
    _ = try valueOrErrno("futimens") { futimens(descriptor, times) }
  }

  /// Gives threads to come a stack of `stackSize` bytes, and all threads one heap together.
  package static func saveAddressSpace(stackSize: Int) {
    dragpipe_save_address_space(stackSize)
  }

  package static func seek(_ descriptor: CInt, _ offset: Int64, _ whence: CInt) throws(SystemError) -> Int64 {
    Int64(try valueOrErrno("lseek") { lseek(descriptor, off_t(offset), whence) })
  }

  /// Returns where the next data or hole is, `nil` if only a hole follows.
  static func seek(
    _ descriptor: CInt, _ offset: UInt64, _ target: FileHoles.Target
  ) throws(SystemError) -> UInt64? {
    do throws(SystemError) {
      return UInt64(try seek(descriptor, Int64(offset), target.rawValue))
    } catch {
      switch error.errno {
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
    do throws(SystemError) { try sync(opened.raw) } catch { guard error.errno == EINVAL else { throw error } }
  }

  /// Whether programs on other machines may use the same files, so that a lock that is free here may be theirs.
  static func isSharedWithMachines(_ descriptor: CInt) -> Bool { dragpipe_is_shared_with_machines(descriptor) != 0 }

  package static func lock(_ descriptor: CInt, _ operation: CInt) throws(SystemError) {
    _ = try valueOrErrno("flock") { flock(descriptor, operation) }
  }

  package static func duplicate(_ descriptor: CInt) throws(SystemError) -> CInt {
    try valueOrErrno("fcntl") { DescriptorReserve.admit(dragpipe_fcntl(descriptor, F_DUPFD_CLOEXEC, 3)) }
  }

  static func duplicate(_ descriptor: CInt, onto target: CInt) throws(SystemError) {
    _ = try valueOrErrno("dup2") { dup2(descriptor, target) }
  }

  static func control(_ descriptor: CInt, _ command: CInt, _ argument: CInt = 0) throws(SystemError) -> CInt {
    try valueOrErrno("fcntl") { dragpipe_fcntl(descriptor, command, argument) }
  }
}
