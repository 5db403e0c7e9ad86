// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import DropTransport

/// The reuse of memory for content.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct ContentBufferTests {
  private let store = ChunkMemoryStore()

  @Test("returned memory is reused next", arguments: [64 << 10, 1 << 20])
  func returnedMemoryIsReusedNext(capacity: Int) throws {
    let first = try #require(store.take(capacity))
    store.giveBack(first)
    #expect(store.idleCapacities == [capacity])
    let second = try #require(store.take(capacity))
    #expect(second.start == first.start && second.capacity == capacity)
    #expect(store.idleCapacities.isEmpty)
    store.giveBack(second)
  }

  @Test("memory that is too short, or much too long, is not reused")
  func memoryOfAnUnsuitableLengthIsNotReused() throws {
    let kept = try #require(store.take(90_000))
    store.giveBack(kept)
    for capacity in [90_001, 79_999, 65_536] {
      let other = try #require(store.take(capacity))
      #expect(other.capacity == capacity)
      #expect(store.idleCapacities.contains(90_000))
      store.giveBack(other)
    }
    let fitting = try #require(store.take(80_000))
    #expect(fitting.start == kept.start && fitting.capacity == 90_000)
    store.giveBack(fitting)
  }

  @Test("a buffer that is too short or too long is not retained", arguments: [0, 1, (64 << 10) - 1, (1 << 20) + 1])
  func tooShortOrTooLongBufferIsNotRetained(capacity: Int) throws {
    store.giveBack(try #require(store.take(capacity)))
    #expect(store.idleCapacities.isEmpty)
  }

  @Test("only the most recently used blocks are kept")
  func onlyTheMostRecentlyUsedBlocksAreKept() throws {
    let all = try (0...ChunkMemoryStore.idleLimit).map { try #require(store.take(100_000 + $0 * 50_000)) }
    for memory in all { store.giveBack(memory) }
    #expect(store.idleCapacities == all.dropFirst().map(\.capacity))
  }

  @Test("a retained chunk does not change when released memory is reused")
  func retainedChunkDoesNotChangeWhenMemoryIsReused() {
    func chunk(_ byte: UInt8) -> Data {
      let buffer = ContentBuffer(capacity: 100_000)
      buffer.room.initializeMemory(as: UInt8.self, repeating: byte)
      buffer.append(UnsafeRawBufferPointer(buffer.room))
      return buffer.take()
    }
    var held: [Data] = []
    for byte in UInt8(0)..<20 {
      let data = chunk(byte)
      if byte.isMultiple(of: 2) { held.append(data) }
    }
    #expect(held == stride(from: UInt8(0), to: 20, by: 2).map { Data(repeating: $0, count: 100_000) })
  }
}
