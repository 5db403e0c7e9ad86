// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import CDropShims
internal import Glibc
internal import ItemTransfer

extension SystemCalls {
  package static func pipe() throws(SystemError) -> (read: CInt, write: CInt) {
    var ends: [CInt] = [-1, -1]
    _ = try valueOrErrno("pipe2") { dragpipe_pipe(&ends) }
    return try admitting(ends, from: "pipe2")
  }

  /// Refuses both descriptors where one is in the reserve.
  static func admitting(_ pair: [CInt], from call: String) throws(SystemError) -> (CInt, CInt) {
    let admitted = pair.map(DescriptorReserve.admit)
    guard admitted.contains(-1) else { return (pair[0], pair[1]) }
    for descriptor in admitted where descriptor != -1 { try? close(descriptor) }
    throw SystemError(EMFILE, in: call)
  }

  /// Makes a pipe hold so many bytes at least.
  static func widenPipe(_ descriptor: CInt, to length: Int) throws(SystemError) {
    _ = try valueOrErrno("fcntl") { dragpipe_widen_pipe(descriptor, CInt(length)) }
  }

  static func eventDescriptor() throws(SystemError) -> CInt {
    try valueOrErrno("eventfd") { DescriptorReserve.admit(dragpipe_eventfd()) }
  }
}
