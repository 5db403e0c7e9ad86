// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import CDropShims
package import Glibc

/// The failure of a system call: its name and its error number.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The error number (errno(3)).
  package let errorNumber: CInt
  /// The name of the call.
  package let call: String

  /// Creates the error of a failed call.
  package init(_ errorNumber: CInt, in call: String) {
    self.errorNumber = errorNumber
    self.call = call
  }

  /// The system's text for the error number (strerror(3)).
  package var description: String { String(cString: strerror(errorNumber)) }
}

/// Returns a value, and converts the error of the expression that makes it.
package func mapError<Value: ~Copyable, Cause: Error, Failure: Error>(
  _ value: @autoclosure () throws(Cause) -> Value, _ convert: (Cause) -> Failure
) throws(Failure) -> Value {
  do throws(Cause) { return try value() } catch { throw convert(error) }
}

/// A namespace of system calls, whose arguments are in the same order as in C.
///
/// One function reads errno and retries after EINTR for almost all calls.
package enum SystemCalls {
  /// Makes a call, and repeats it while it is interrupted; throws errno if it returns -1.
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

  /// Makes a call that transfers up to `count` bytes; in tests, possibly fewer.
  private static func transfer(_ call: String, _ count: Int, _ body: (Int) -> Int) throws(SystemError) -> Int {
    #if DEBUG
      let count = try SystemCallFaults.limit(of: call, count)
      if count == 0 { return 0 }
    #endif
    return try valueOrErrno(call) { body(count) }
  }

  /// Reads up to the size of the buffer; returns 0 at the end of the file.
  package static func read(_ descriptor: CInt, _ buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
    try valueOrErrno("read") { Glibc.read(descriptor, buffer.baseAddress, buffer.count) }
  }

  /// Reads at an offset; the file offset does not change.
  package static func read(
    _ descriptor: CInt, _ buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(SystemError) -> Int {
    try valueOrErrno("pread") { pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset)) }
  }

  /// Copies bytes inside the kernel, from an offset of a file to the file offset of another file.
  ///
  /// - Returns: The number of bytes copied; 0 at the end of the file.
  package static func copyRange(
    _ descriptor: CInt, at offset: Int64, to output: CInt, _ count: Int
  ) throws(SystemError) -> Int {
    try transfer("copy_file_range", count) { dragpipe_copy_file_range(descriptor, offset, output, $0) }
  }

  /// Writes as many bytes as the descriptor accepts, and returns their number.
  package static func write(_ descriptor: CInt, _ buffer: UnsafeRawBufferPointer) throws(SystemError) -> Int {
    record("write", descriptor)
    return try valueOrErrno("write") { Glibc.write(descriptor, buffer.baseAddress, buffer.count) }
  }

  /// Writes to a pipe that may have lost its reader, without the SIGPIPE that would end the process.
  ///
  /// The kernel sends the signal to the writing thread. This function blocks the signal in that thread, and removes a
  /// pending signal before it unblocks the signal.
  package static func writeSilently(_ descriptor: CInt, _ buffer: UnsafeRawBufferPointer) throws(SystemError) -> Int {
    try withoutBrokenPipeSignal { () throws(SystemError) in try write(descriptor, buffer) }
  }

  /// Moves bytes from an offset in a file into a pipe inside the kernel, without waiting for room in the pipe.
  ///
  /// The pipe may refer to the file's memory: a reader sees later changes of these bytes. SIGPIPE is not raised.
  ///
  /// - Returns: The number of bytes; 0 at the end of the file.
  package static func splice(
    _ descriptor: CInt, at offset: Int64, into pipe: CInt, _ count: Int
  ) throws(SystemError) -> Int {
    try withoutBrokenPipeSignal { () throws(SystemError) in
      try transfer("splice", count) { dragpipe_splice(descriptor, offset, pipe, $0) }
    }
  }

  private static func withoutBrokenPipeSignal(_ body: () throws(SystemError) -> Int) throws(SystemError) -> Int {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    var former = sigset_t()
    pthread_sigmask(SIG_BLOCK, &signals, &former)
    defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
    do throws(SystemError) {
      return try body()
    } catch {
      // A caller that blocks the signal itself may be waiting for it.
      if error.errorNumber == EPIPE, sigismember(&former, SIGPIPE) == 0 {
        var now = timespec()
        while sigtimedwait(&signals, nil, &now) == -1, errno == EINTR {}
      }
      throw error
    }
  }

  /// Writes all bytes.
  ///
  /// Waits if the descriptor is non-blocking.
  package static func writeAll(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) throws(SystemError) {
    var written = 0
    while written < bytes.count {
      do throws(SystemError) {
        written += try write(descriptor, UnsafeRawBufferPointer(rebasing: bytes[written...]))
      } catch {
        guard error.errorNumber == EAGAIN else { throw error }
        var ready = [pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)]
        do throws(SystemError) { _ = try poll(&ready, -1) } catch {
          guard error.errorNumber == EINTR else { throw error }
        }
      }
    }
  }

  /// Writes all bytes of an array.
  package static func writeAll(_ descriptor: CInt, _ bytes: [UInt8]) throws(SystemError) {
    try bytes.withUnsafeBufferPointer { (bytes) throws(SystemError) in
      try writeAll(descriptor, UnsafeRawBufferPointer(bytes))
    }
  }

  /// Receives bytes from a socket.
  package static func receive(
    _ socket: CInt, _ buffer: UnsafeMutableRawBufferPointer, _ flags: CInt
  ) throws(SystemError) -> Int {
    try valueOrErrno("recv") { recv(socket, buffer.baseAddress, buffer.count, flags) }
  }

  /// Copies the first bytes of a pipe, which stay unread, into another pipe; does not wait.
  package static func tee(_ pipe: CInt, into target: CInt, _ count: Int) throws(SystemError) -> Int {
    try valueOrErrno("tee") { dragpipe_tee(pipe, target, count) }
  }

  /// Sends bytes to a socket.
  package static func send(_ socket: CInt, _ buffer: UnsafeRawBufferPointer, _ flags: CInt) throws(SystemError) -> Int {
    record("send", socket)
    return try valueOrErrno("send") { Glibc.send(socket, buffer.baseAddress, buffer.count, flags) }
  }

  /// Waits for events.
  ///
  /// Does not retry on EINTR, because the caller knows how much of the timeout is left.
  package static func poll(_ descriptors: inout [pollfd], _ milliseconds: CInt) throws(SystemError) -> CInt {
    #if DEBUG
      if let failure = SystemCallFaults.failure(of: "poll") { throw failure }
    #endif
    let ready = Glibc.poll(&descriptors, nfds_t(descriptors.count), milliseconds)
    if ready == -1 { throw SystemError(errno, in: "poll") }
    return ready
  }

  /// Opens a path; the descriptor is closed in programs that this process starts.
  package static func open(_ path: String, _ flags: CInt, _ mode: UInt32 = 0) throws(SystemError) -> CInt {
    try valueOrErrno("open") { DescriptorReserve.admit(dragpipe_open(path, flags | O_CLOEXEC, mode)) }
  }

  /// Opens a path relative to a directory.
  package static func openAt(
    _ directory: CInt, _ path: String, _ flags: CInt, _ mode: UInt32 = 0
  ) throws(SystemError) -> CInt {
    try valueOrErrno("openat") {
      DescriptorReserve.admit(dragpipe_openat(directory, path, flags | O_CLOEXEC, mode))
    }
  }

  /// Closes a descriptor.
  ///
  /// Never retries: on Linux the descriptor is closed even after EINTR.
  package static func close(_ descriptor: CInt) throws(SystemError) {
    if Glibc.close(descriptor) == -1, errno != EINTR { throw SystemError(errno, in: "close") }
    #if DEBUG
      // Simulates a deferred error; the descriptor is closed nevertheless.
      if let failure = SystemCallFaults.failure(of: "close") { throw failure }
    #endif
  }

  /// Duplicates a descriptor to a new number of at least 3.
  package static func duplicate(_ descriptor: CInt) throws(SystemError) -> CInt {
    try valueOrErrno("fcntl") { DescriptorReserve.admit(dragpipe_fcntl(descriptor, F_DUPFD_CLOEXEC, 3)) }
  }

  /// Duplicates a descriptor to a given number.
  package static func duplicate(_ descriptor: CInt, onto target: CInt) throws(SystemError) {
    _ = try valueOrErrno("dup2") { dup2(descriptor, target) }
  }

  /// Calls fcntl(2).
  package static func control(_ descriptor: CInt, _ command: CInt, _ argument: CInt = 0) throws(SystemError) -> CInt {
    try valueOrErrno("fcntl") { dragpipe_fcntl(descriptor, command, argument) }
  }
}

extension SystemCalls {
  /// Creates a pipe.
  package static func pipe() throws(SystemError) -> (read: CInt, write: CInt) {
    var ends: [CInt] = [-1, -1]
    _ = try valueOrErrno("pipe2") { dragpipe_pipe(&ends) }
    return try admitting(ends, from: "pipe2")
  }

  /// Returns two descriptors; closes both and fails if either is in the reserve.
  static func admitting(_ pair: [CInt], from call: String) throws(SystemError) -> (CInt, CInt) {
    let admitted = pair.map(DescriptorReserve.admit)
    guard admitted.contains(-1) else { return (pair[0], pair[1]) }
    for descriptor in admitted where descriptor != -1 { try? close(descriptor) }
    throw SystemError(EMFILE, in: call)
  }

  /// Raises the capacity of a pipe to at least `length` bytes, and returns it; fails with EPERM above the user's limit.
  package static func widenPipe(_ descriptor: CInt, to length: Int) throws(SystemError) -> Int {
    Int(try valueOrErrno("fcntl") { dragpipe_widen_pipe(descriptor, CInt(length)) })
  }

  /// Creates an eventfd(2).
  package static func eventDescriptor() throws(SystemError) -> CInt {
    try valueOrErrno("eventfd") { DescriptorReserve.admit(dragpipe_eventfd()) }
  }
}
