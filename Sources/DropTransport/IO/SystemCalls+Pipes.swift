// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import CDropShims
internal import Glibc

extension SystemCalls {
  package static func pipe() throws(SystemError) -> (read: CInt, write: CInt) {
    var ends: [CInt] = [-1, -1]
    _ = try valueOrErrno("pipe2") { dragpipe_pipe(&ends) }
    return (ends[0], ends[1])
  }

  /// Makes a pipe hold so many bytes at least.
  static func widenPipe(_ descriptor: CInt, to length: Int) throws(SystemError) {
    _ = try valueOrErrno("fcntl") { dragpipe_widen_pipe(descriptor, CInt(length)) }
  }

  static func eventDescriptor() throws(SystemError) -> CInt {
    try valueOrErrno("eventfd") { dragpipe_eventfd() }
  }
}
