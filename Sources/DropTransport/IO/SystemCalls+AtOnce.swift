// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import CDropShims
internal import Glibc
internal import ItemTransfer

/// Calls that a task may make: they fail rather than wait, and somebody who may wait does the work then.
extension SystemCalls {
  /// Reads what is in memory, and fails rather than wait for a disk or another machine.
  static func readAtOnce(
    _ descriptor: CInt, _ buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(SystemError) -> Int {
    try valueUnlessArmed("preadv2") { dragpipe_read_at_once(descriptor, buffer.baseAddress, buffer.count, offset) }
  }

  /// Opens a file if that takes no waiting for a disk or another machine.
  static func openAtOnce(_ path: String, _ flags: CInt) throws(SystemError) -> CInt {
    try valueUnlessArmed("openat2") { dragpipe_open_at_once(path, flags | O_CLOEXEC) }
  }

  /// What is known of an open file on a disk of this machine without waiting for anything; fails for any other.
  static func statusAtOnce(_ descriptor: CInt) throws(SystemError) -> FileStatus {
    var status = stat()
    _ = try valueUnlessArmed("statx") { dragpipe_status_at_once(descriptor, &status) }
    return FileStatus(status)
  }

  /// For calls after whose failure the waiting one is made: tests in which calls fail are about that.
  private static func valueUnlessArmed<Value: SignedInteger>(
    _ call: String, _ body: () -> Value
  ) throws(SystemError) -> Value {
    #if DEBUG
      if SystemCallFaults.areArmed { throw SystemError(EAGAIN, in: call) }
    #endif
    return try valueOrErrno(call, body)
  }
}
