// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import CDropShims
import DropSystem
import DropTransport
import Glibc

/// Transfers without a library: blocking calls on the socket that is standard error.
///
/// The functions are not inlined, since the compiler fails on temporary stack allocations in asynchronous functions.
enum PlainSocket {
  private static let bufferLength = 256 << 10

  @inline(never)
  static func write(_ count: Int) throws {
    try withUnsafeTemporaryAllocation(byteCount: count, alignment: 16) { buffer in
      try SystemCalls.writeAll(STDERR_FILENO, UnsafeRawBufferPointer(buffer))
    }
  }

  @inline(never)
  static func readMessage() throws -> Int {
    try withUnsafeTemporaryAllocation(byteCount: bufferLength, alignment: 16) { try read(into: $0) }
  }

  @inline(never)
  static func read(_ count: Int) throws {
    try withUnsafeTemporaryAllocation(byteCount: min(count, bufferLength), alignment: 16) { buffer in
      var left = count
      while left > 0 { left -= try read(into: UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(left))) }
    }
  }

  private static func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    let count = try SystemCalls.read(STDERR_FILENO, buffer)
    guard count > 0 else { throw MeasurementFailure("the other side has left") }
    return count
  }

  // MARK: Open files

  @inline(never)
  static func send(_ file: borrowing OwnedDescriptor) throws {
    var byte: UInt8 = 1
    var descriptor = file.raw
    guard dragpipe_send_descriptors(STDERR_FILENO, &byte, 1, &descriptor, 1) == 1 else {
      throw SystemError(errno, in: "sendmsg")
    }
  }

  /// Receives an open file and closes it.
  @inline(never)
  static func receiveDescriptor() throws {
    var byte: UInt8 = 0
    var count: CInt = 0
    let files = UnsafeMutablePointer<CInt>.allocate(capacity: Int(dragpipe_descriptors_a_call))
    defer { files.deallocate() }
    guard dragpipe_receive(STDERR_FILENO, &byte, 1, files, &count, 0) == 1, count == 1 else {
      throw SystemError(errno, in: "recvmsg")
    }
    close(files[0])
  }
}
