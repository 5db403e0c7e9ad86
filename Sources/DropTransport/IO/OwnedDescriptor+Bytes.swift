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
      let count = try chunk.withUnsafeMutableBufferPointer { (chunk) throws(SystemError) in
        try SystemCalls.read(descriptor, UnsafeMutableRawBufferPointer(chunk))
      }
      if count == 0 { return bytes }
      guard bytes.count + count <= limit else { throw SystemError(EFBIG, in: "read") }
      bytes += chunk[..<count]
    }
  }
}
