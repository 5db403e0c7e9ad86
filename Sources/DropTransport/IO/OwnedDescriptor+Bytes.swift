// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc

extension OwnedDescriptor {
  /// Reads a file from its offset to its end.
  ///
  /// - Throws: The system error; `EFBIG` for more than `limit` bytes.
  borrowing func contents(limit: Int) throws(SystemError) -> [UInt8] {
    let descriptor = raw
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      // The standard function would erase the type of the error.
      let count = chunk.withUnsafeMutableBytes { chunk in
        Result { () throws(SystemError) in try SystemCalls.read(descriptor, chunk) }
      }
      let read = try count.get()
      if read == 0 { return bytes }
      guard bytes.count + read <= limit else { throw SystemError(EFBIG, in: "read") }
      bytes += chunk[..<read]
    }
  }
}
