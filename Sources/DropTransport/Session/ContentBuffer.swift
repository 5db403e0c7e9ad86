// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import Glibc

/// A buffer for one chunk.
///
/// Readers can fill it directly, so a chunk is copied at most once.
final class ContentBuffer: @unchecked Sendable {
  private var memory: UnsafeMutableRawPointer?
  private let capacity: Int
  private(set) var count = 0

  /// - Parameter capacity: The exact length of the chunk in bytes. The caller has checked it against a limit.
  init(capacity: Int) {
    self.capacity = capacity
    memory = malloc(max(1, capacity))
  }

  deinit {
    free(memory)
  }

  /// The unfilled part of the memory.
  var room: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(start: memory?.advanced(by: count), count: capacity - count)
  }

  /// The bytes that were appended.
  ///
  /// The pointer is valid while the buffer lives, until ``take()``.
  var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: memory, count: count)
  }

  /// Appends bytes, which may already be at the start of ``room``.
  ///
  /// - Precondition: The bytes fit into ``room``.
  func append(_ bytes: UnsafeRawBufferPointer) {
    let room = room
    precondition(bytes.count <= room.count)
    if bytes.baseAddress != UnsafeRawPointer(room.baseAddress) { room.copyMemory(from: bytes) }
    count += bytes.count
  }

  /// Returns the chunk and transfers the ownership of the memory to it.
  func take() -> Data {
    guard count > 0, let memory = memory.take() else { return Data() }
    return Data(bytesNoCopy: memory, count: count, deallocator: .free)
  }
}
