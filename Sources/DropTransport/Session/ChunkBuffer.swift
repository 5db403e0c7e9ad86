// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// Memory for one chunk, into which it can be read from where it comes: it is copied no more than once.
final class ChunkBuffer: @unchecked Sendable {
  private var memory: ChunkMemory?
  private let capacity: Int
  private(set) var count = 0

  /// - Parameter capacity: The exact length of the chunk, held against a limit before.
  init(capacity: Int) {
    self.capacity = capacity
    memory = ChunkMemoryStore.shared.take(capacity)
  }

  deinit {
    if let memory { ChunkMemoryStore.shared.giveBack(memory) }
  }

  /// What is still to be filled.
  var room: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(start: memory?.start.advanced(by: count), count: capacity - count)
  }

  /// What has been added, as long as this lives and has not been taken from.
  var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: memory?.start, count: count)
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
    guard count > 0, let memory = memory.take() else { return Data() }
    guard ChunkMemoryStore.keeps(memory) else {
      return Data(bytesNoCopy: memory.start, count: count, deallocator: .free)
    }
    let deallocator = Data.Deallocator.custom { _, _ in ChunkMemoryStore.shared.giveBack(memory) }
    return Data(bytesNoCopy: memory.start, count: count, deallocator: deallocator)
  }
}
