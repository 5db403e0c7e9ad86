// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import Synchronization

/// A block of memory for a chunk, used by one after the other: whoever has taken it, until it is given back.
struct ChunkMemory: @unchecked Sendable {
  let start: UnsafeMutableRawPointer
  /// In bytes; at least what was asked for.
  let capacity: Int
}

/// Memory of chunks that nobody has any longer, for the next ones.
///
/// What the C library gives back to the kernel it must have made and cleared anew, which takes about as long as to fill
/// it. So a few blocks are kept, for all sessions together.
final class ChunkMemoryStore: Sendable {
  static let shared = ChunkMemoryStore()

  private let idle = Lock<[ChunkMemory]>([])
  static let mostIdle = 4
  /// Less is kept by the C library, and more is no chunk.
  private static let keptCapacities = (64 << 10)...SessionRequest.maximumChunkLength

  deinit {
    for memory in idle.withLock({ $0 }) { free(memory.start) }
  }

  /// What is kept now, in bytes each.
  var idleCapacities: [Int] { idle.withLock { $0.map(\.capacity) } }

  /// Takes memory for `capacity` bytes, or some more, which holds whatever it held before.
  ///
  /// - Returns: The memory, to be given back; `nil` where there is none.
  func take(_ capacity: Int) -> ChunkMemory? {
    if Self.keptCapacities.contains(capacity) {
      let kept: ChunkMemory? = idle.withLock { idle in
        // Whoever keeps a chunk for long is not to keep much more with it.
        let fits = idle.lastIndex { $0.capacity >= capacity && $0.capacity <= capacity + capacity / 8 }
        return fits.map { idle.remove(at: $0) }
      }
      if let kept { return kept }
    }
    return malloc(max(1, capacity)).map { ChunkMemory(start: $0, capacity: capacity) }
  }

  /// Whether it makes a difference to give it back here: else it is simply freed.
  static func keeps(_ memory: ChunkMemory) -> Bool {
    keptCapacities.contains(memory.capacity)
  }

  /// Lets go of memory: whoever takes some next may have it, instead of what has lain here longest.
  func giveBack(_ memory: ChunkMemory) {
    guard Self.keeps(memory) else { return free(memory.start) }
    let excess = idle.withLock { idle in
      idle.append(memory)
      return idle.count > Self.mostIdle ? idle.removeFirst() : nil
    }
    if let excess { free(excess.start) }
  }
}
