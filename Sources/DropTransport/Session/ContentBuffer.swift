// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// The memory of one chunk, into which a reader can read directly, so that the chunk is copied at most once.
final class ContentBuffer: @unchecked Sendable {
  private var memory: ChunkMemory?
  private let capacity: Int
  private(set) var count = 0

  /// - Parameter capacity: The exact length of the chunk, which the caller has checked against a limit.
  init(capacity: Int) {
    self.capacity = capacity
    memory = ChunkMemoryStore.shared.take(capacity)
  }

  deinit {
    if let memory { ChunkMemoryStore.shared.giveBack(memory) }
  }

  /// The part that is still to be filled.
  var room: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(start: memory?.start.advanced(by: count), count: capacity - count)
  }

  /// The bytes that were added.
  ///
  /// Valid while the buffer lives, until ``take()``.
  var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: memory?.start, count: count)
  }

  /// Adds bytes, which may already be at the start of ``room``.
  func append(_ bytes: UnsafeRawBufferPointer) {
    let room = room
    precondition(bytes.count <= room.count)
    if bytes.baseAddress != UnsafeRawPointer(room.baseAddress) { room.copyMemory(from: bytes) }
    count += bytes.count
  }

  /// Returns the chunk, which now owns the memory.
  func take() -> Data {
    guard count > 0, let memory = memory.take() else { return Data() }
    guard ChunkMemoryStore.keeps(memory) else {
      return Data(bytesNoCopy: memory.start, count: count, deallocator: .free)
    }
    let deallocator = Data.Deallocator.custom { _, _ in ChunkMemoryStore.shared.giveBack(memory) }
    return Data(bytesNoCopy: memory.start, count: count, deallocator: deallocator)
  }
}

/// A block of memory for a chunk, with one owner at a time.
struct ChunkMemory: @unchecked Sendable {
  let start: UnsafeMutableRawPointer
  /// The size in bytes; at least what was requested.
  let capacity: Int
}

/// A small pool of chunk memory for all sessions of the process.
///
/// The C library returns large blocks to the kernel, which clears them again for the next chunk. That takes about as
/// long as filling them, so the pool keeps a few.
final class ChunkMemoryStore: Sendable {
  static let shared = ChunkMemoryStore()
  /// How many idle blocks the pool keeps.
  static let idleLimit = 4
  /// Smaller blocks stay with the C library, and chunks are never larger.
  private static let pooledCapacities = (64 << 10)...SessionRequest.maximumChunkLength

  private let idle = Lock<[ChunkMemory]>([])

  deinit {
    for memory in idle.withLock({ $0 }) { free(memory.start) }
  }

  /// The capacities of the idle blocks in bytes.
  var idleCapacities: [Int] { idle.withLock { $0.map(\.capacity) } }

  /// Takes a block of at least `capacity` bytes; its content is undefined.
  ///
  /// - Returns: The block, to be given back; `nil` if the system has no memory.
  func take(_ capacity: Int) -> ChunkMemory? {
    if Self.pooledCapacities.contains(capacity) {
      let pooled: ChunkMemory? = idle.withLock { idle in
        // A chunk that lives long must not hold much more memory than it needs.
        let fit = idle.lastIndex { $0.capacity >= capacity && $0.capacity <= capacity + capacity / 8 }
        return fit.map { idle.remove(at: $0) }
      }
      if let pooled { return pooled }
    }
    return malloc(max(1, capacity)).map { ChunkMemory(start: $0, capacity: capacity) }
  }

  /// Returns whether the pool keeps blocks of this size; it frees all others.
  static func keeps(_ memory: ChunkMemory) -> Bool {
    pooledCapacities.contains(memory.capacity)
  }

  /// Takes a block back, and frees the block that has been idle longest if there are too many.
  func giveBack(_ memory: ChunkMemory) {
    guard Self.keeps(memory) else { return free(memory.start) }
    let excess = idle.withLock { idle in
      idle.append(memory)
      return idle.count > Self.idleLimit ? idle.removeFirst() : nil
    }
    if let excess { free(excess.start) }
  }
}
