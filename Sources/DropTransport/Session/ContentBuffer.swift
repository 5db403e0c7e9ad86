// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// A buffer for one chunk, in pooled memory.
final class ContentBuffer: @unchecked Sendable {
  private var memory: ChunkMemory?
  private let capacity: Int
  private(set) var count = 0

  /// - Parameter capacity: The exact length of the chunk in bytes. The caller has checked it against a limit.
  init(capacity: Int) {
    self.capacity = capacity
    memory = ChunkMemoryStore.shared.take(capacity)
  }

  deinit {
    if let memory { ChunkMemoryStore.shared.giveBack(memory) }
  }

  /// The bytes that were appended.
  ///
  /// The pointer is valid while the buffer lives, until ``take()``.
  var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: memory?.start, count: count)
  }

  /// Appends bytes.
  ///
  /// - Precondition: The buffer has room for them.
  func append(_ bytes: UnsafeRawBufferPointer) {
    precondition(bytes.count <= capacity - count)
    UnsafeMutableRawBufferPointer(start: memory?.start.advanced(by: count), count: bytes.count).copyMemory(from: bytes)
    count += bytes.count
  }

  /// Returns the chunk and transfers the ownership of the memory to it.
  func take() -> Data {
    guard count > 0, let memory = memory.take() else { return Data() }
    return Data(
      bytesNoCopy: memory.start, count: count,
      deallocator: .custom { _, _ in ChunkMemoryStore.shared.giveBack(memory) })
  }
}

/// A block of memory for a chunk, with one owner at a time.
struct ChunkMemory: @unchecked Sendable {
  let start: UnsafeMutableRawPointer
  /// The size in bytes; at least the requested size.
  let capacity: Int
}

/// A small pool of chunk memory for all sessions of the process.
///
/// The C library returns large blocks to the kernel, which clears them again for the next chunk. Clearing a block takes
/// about as long as filling it, so the pool keeps a few blocks.
final class ChunkMemoryStore: Sendable {
  static let shared = ChunkMemoryStore()
  /// The maximum number of idle blocks.
  static let idleLimit = 4
  /// The sizes of pooled blocks in bytes.
  ///
  /// The C library keeps smaller blocks itself, and no frame of a chunk is larger than the upper bound.
  static let pooledCapacities =
    (64 << 10)...(FrameHeader.length + SessionRequest.maximumChunkLength + FrameHeader.checkLength)

  private let idle = Lock<[ChunkMemory]>([])

  deinit {
    for memory in idle.withLock({ $0 }) { free(memory.start) }
  }

  /// The capacities of the idle blocks in bytes.
  var idleCapacities: [Int] { idle.withLock { $0.map(\.capacity) } }

  /// Takes a block of at least `capacity` bytes with undefined content.
  ///
  /// - Returns: The block, which the caller passes to ``giveBack(_:)`` later; `nil` if the system is out of memory.
  func take(_ capacity: Int) -> ChunkMemory? {
    if Self.pooledCapacities.contains(capacity) {
      let pooled: ChunkMemory? = idle.withLock { idle in
        // A long-lived chunk must not occupy much more memory than it needs.
        let fit = idle.lastIndex { $0.capacity >= capacity && $0.capacity <= capacity + capacity / 8 }
        return fit.map { idle.remove(at: $0) }
      }
      if let pooled { return pooled }
    }
    return malloc(max(1, capacity)).map { ChunkMemory(start: $0, capacity: capacity) }
  }

  /// Returns a block to the pool.
  ///
  /// The pool frees blocks of other sizes than ``pooledCapacities``. Above ``idleLimit``, it frees the block that was
  /// idle longest.
  func giveBack(_ memory: ChunkMemory) {
    guard Self.pooledCapacities.contains(memory.capacity) else { return free(memory.start) }
    let excess = idle.withLock { idle in
      idle.append(memory)
      return idle.count > Self.idleLimit ? idle.removeFirst() : nil
    }
    if let excess { free(excess.start) }
  }
}
