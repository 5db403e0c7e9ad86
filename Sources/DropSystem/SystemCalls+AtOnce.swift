// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import CDropShims
internal import Glibc

/// Calls that a task may make: they fail rather than wait, and somebody who may wait does the work then.
extension SystemCalls {
  /// Reads what is in memory, and fails rather than wait for a disk or another machine.
  package static func readAtOnce(
    _ descriptor: CInt, _ buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(SystemError) -> Int {
    try valueUnlessArmed("preadv2") { dragpipe_read_at_once(descriptor, buffer.baseAddress, buffer.count, offset) }
  }

  /// Opens a file if finding it takes no waiting for a disk or another machine.
  ///
  /// What the file system then does to open it for reading may take waiting, unless it is on a block device.
  package static func openAtOnce(_ path: String, _ flags: CInt) throws(SystemError) -> CInt {
    try valueUnlessArmed("openat2") { DescriptorReserve.admit(dragpipe_open_at_once(path, flags | O_CLOEXEC)) }
  }

  /// Whether this program may read what was opened as what it is, not for reading.
  package static func mayReadAtOnce(_ place: CInt) -> Bool {
    (try? valueUnlessArmed("faccessat") { dragpipe_may_read(place) }) != nil
  }

  /// What is known of an open file without waiting for anything; fails for whatever is on no block device.
  package static func statusAtOnce(_ descriptor: CInt) throws(SystemError) -> FileStatus {
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
