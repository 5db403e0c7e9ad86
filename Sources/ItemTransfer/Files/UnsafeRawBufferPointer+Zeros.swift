// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

extension UnsafeRawBufferPointer {
  /// Whether the bytes are worth a hole in a file: a whole page or more, and all of them zero.
  package var isHole: Bool {
    // Shorter runs cost more to skip than to write. The first byte is zero, and each equals the one before.
    guard count >= 4096, let start = baseAddress, self[0] == 0 else { return false }
    return memcmp(start, start + 1, count - 1) == 0
  }
}
