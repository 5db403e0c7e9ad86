// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
internal import Glibc

/// Zeros that all holes of files share: a chunk of them is recognised by its address, without a look at its bytes.
package enum ZeroBytes {
  /// The length of the longest chunk.
  package static let maximumCount = 4 << 20

  /// Never written to: the system backs all of it with one page of zeros.
  private nonisolated(unsafe) static let memory: UnsafeMutableRawPointer = {
    guard let memory = calloc(1, maximumCount) else { fatalError("no memory for \(maximumCount) bytes") }
    return memory
  }()

  /// Returns the start of a run of zeros: as much of it as a chunk may have.
  package static func chunk(of count: UInt64) -> Data {
    Data(bytesNoCopy: memory, count: Int(min(count, UInt64(maximumCount))), deallocator: .none)
  }

  fileprivate static func contain(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let start = bytes.baseAddress else { return false }
    return start >= memory && start + bytes.count <= memory + maximumCount
  }
}

extension Data {
  /// Whether the chunk came from ``ZeroBytes``.
  package var isOfHole: Bool { withUnsafeBytes { ZeroBytes.contain($0) } }
}

extension UnsafeRawBufferPointer {
  /// Whether the bytes are worth a hole in a file: a whole page or more, and all of them zero.
  package var isHole: Bool {
    // Shorter runs cost more to skip than to write. The first byte is zero, and each equals the one before.
    guard count >= 4096, let start = baseAddress, self[0] == 0 else { return false }
    return ZeroBytes.contain(self) || memcmp(start, start + 1, count - 1) == 0
  }
}
