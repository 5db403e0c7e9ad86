// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Memory for one chunk, into which it can be read from where it comes: it is copied no more than once.
final class ChunkBuffer: @unchecked Sendable {
  private var start: UnsafeMutableRawPointer?
  private let capacity: Int
  private var count = 0

  /// - Parameter capacity: The exact length of the chunk, held against a limit before.
  init(capacity: Int) {
    self.capacity = capacity
    start = malloc(max(1, capacity))
  }

  deinit {
    free(start)
  }

  /// What is still to be filled.
  var room: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(start: start?.advanced(by: count), count: capacity - count)
  }

  /// Adds bytes, which may be at the start of ``room`` already.
  func append(_ bytes: UnsafeRawBufferPointer) {
    let room = room
    precondition(bytes.count <= room.count)
    if bytes.baseAddress != UnsafeRawPointer(room.baseAddress) { room.copyMemory(from: bytes) }
    count += bytes.count
  }

  /// The chunk, to which the memory goes over.
  func take() -> Data {
    guard let start, count > 0 else { return Data() }
    self.start = nil
    return Data(bytesNoCopy: start, count: count, deallocator: .free)
  }
}
