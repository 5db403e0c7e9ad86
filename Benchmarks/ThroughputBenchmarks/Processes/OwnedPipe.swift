// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import DropTransport

/// Both ends of a pipe, or of two sockets, each closed when its owner is done with it.
struct OwnedPipe: ~Copyable {
  let read: OwnedDescriptor
  let write: OwnedDescriptor

  init() throws(SystemError) {
    let ends = try SystemCalls.pipe()
    read = OwnedDescriptor(ends.read)
    write = OwnedDescriptor(ends.write)
  }

  /// Two sockets of the local machine that are joined; each of them reads and writes.
  init(ofSockets: Void) throws(SystemError) {
    let ends = try SystemCalls.socketPair()
    read = OwnedDescriptor(ends.0)
    write = OwnedDescriptor(ends.1)
  }
}

extension OwnedDescriptor {
  /// Waits for a byte.
  ///
  /// - Returns: Whether one came before the end.
  borrowing func readByte() throws -> Bool {
    var byte: UInt8 = 0
    let raw = raw
    return try withUnsafeMutableBytes(of: &byte) { try SystemCalls.read(raw, $0) } == 1
  }

  /// Writes a line's end, for which a shell may be waiting.
  borrowing func writeByte() throws {
    let raw = raw
    try withUnsafeBytes(of: UInt8(0x0A)) { try SystemCalls.writeAll(raw, $0) }
  }
}
