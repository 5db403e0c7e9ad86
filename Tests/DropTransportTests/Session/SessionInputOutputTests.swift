// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import TestSupport
import Testing

@testable import DropTransport

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct SessionInputOutputTests {
  private static func output(_ descriptor: CInt) throws -> SessionOutput {
    let descriptor = try StreamDescriptor(
      OwnedDescriptor(descriptor), access: O_WRONLY, interrupt: Interrupt(), idleTimeout: nil)
    return SessionOutput(descriptor, idleTimeout: nil) { _ in }
  }

  @Test func onlyFramesQueuedBeforeTheCloseAreWritten() async throws {
    let pair = try DescriptorPair.socketPair()
    let output = try Self.output(pair.read)
    output.enqueue(RawPeer.hello)
    await output.close(within: .seconds(60))
    output.send(RawPeer.finish)
    #expect(try await readAll(pair.write) == SessionScript([RawPeer.hello]).bytes)
  }

  @Test func laterTasksWaitForSpaceInTheQueueUntilTheyAreCancelled() async throws {
    let pair = try DescriptorPair.pipe()
    let output = try Self.output(pair.write)
    // The first frame is longer than any pipe, so all frames stay in the queue.
    let frame = RawPeer.data(1, pattern(4 << 20), isWhole: false)
    for _ in 0..<4 {
      #expect(await output.room())
      output.send(frame, hasRoom: true)
    }
    let waiting = Task { await output.room() }
    let cancelled = Task { await output.room() }
    try await Task.sleep(for: .milliseconds(20))
    cancelled.cancel()
    #expect(await cancelled.value == false)
    let reading = Task { try await readAll(pair.read) }
    #expect(await waiting.value)
    output.releaseRoom()
    await output.close(within: .seconds(60))
    #expect(try await reading.value.count == Preamble.length + 4 * frame.length)
  }

  @Test func sessionThroughTwoSocketsEnds() async throws {
    let (there, back) = (try DescriptorPair.socketPair(), try DescriptorPair.socketPair())
    let session = Task {
      try await DropStream.withSession(over: .descriptors(input: there.read, output: back.read)) { _ in }
    }
    try await RawPeer(there.write).say(RawPeer.hello)
    _ = try await finishing("the end of the session") { await session.result }
    close(there.write)
    close(back.write)
  }

  /// A chunk that arrives in small pieces shows that the peer works.
  @Test func everyPartOfAChunkIsASignOfThePeer() throws {
    let pair = try DescriptorPair.socketPair()
    defer { close(pair.write) }
    let descriptor = try StreamDescriptor(
      OwnedDescriptor(pair.read), access: O_RDONLY, interrupt: Interrupt(), idleTimeout: nil)
    var input = SessionInput(descriptor, limits: DropStreamLimits())
    let bytes = SessionScript([RawPeer.hello, RawPeer.data(1, pattern(100_000))]).bytes
    var last = input.signs.word
    for part in [bytes[..<30_000], bytes[30_000..<50_000], bytes[50_000..<60_000]] {
      try pair.send(part)
      while case .message = try input.next(atMost: .milliseconds(1)) {}
      let word = input.signs.word
      #expect(word > last)
      last = word
    }
  }

  @Test(arguments: [false, true]) func silentPeerIsWaitedForUntilTheLimit(_ isNonBlocking: Bool) async throws {
    let pair = try DescriptorPair.socketPair()
    defer { close(pair.write) }
    if isNonBlocking { try SystemCalls.setNonBlocking(pair.read) }
    let descriptor = try StreamDescriptor(
      OwnedDescriptor(pair.read), access: O_RDONLY, interrupt: Interrupt(), idleTimeout: nil)
    let limit = Duration.milliseconds(300)
    #expect(limit > DropSession.tick)
    var input = SessionInput(descriptor, limits: DropStreamLimits())
    let start = ContinuousClock.now
    guard case .nothing = try input.next(atMost: limit) else {
      Issue.record("an event without a peer")
      return
    }
    // The kernel may round the limit down to its own ticks.
    #expect(ContinuousClock.now - start > limit - .milliseconds(20))
  }
}

/// The reuse of memory for content.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct ContentBufferTests {
  private let store = ChunkMemoryStore()

  @Test(arguments: [64 << 10, 1 << 20]) func returnedMemoryIsReusedNext(capacity: Int) throws {
    let first = try #require(store.take(capacity))
    store.giveBack(first)
    #expect(store.idleCapacities == [capacity])
    let second = try #require(store.take(capacity))
    #expect(second.start == first.start && second.capacity == capacity && store.idleCapacities.isEmpty)
    store.giveBack(second)
  }

  @Test func memoryOfAnUnsuitableLengthIsNotReused() throws {
    let kept = try #require(store.take(90_000))
    store.giveBack(kept)
    for capacity in [90_001, 79_999, 65_536] {
      let other = try #require(store.take(capacity))
      #expect(other.capacity == capacity && store.idleCapacities.contains(90_000))
      store.giveBack(other)
    }
    let fitting = try #require(store.take(80_000))
    #expect(fitting.start == kept.start && fitting.capacity == 90_000)
    store.giveBack(fitting)
  }

  @Test(arguments: [0, 1, (64 << 10) - 1, (1 << 20) + 29]) func tooShortOrTooLongBufferIsNotRetained(capacity: Int)
    throws
  {
    store.giveBack(try #require(store.take(capacity)))
    #expect(store.idleCapacities.isEmpty)
  }

  @Test func onlyTheMostRecentlyUsedBlocksAreKept() throws {
    let all = try (0...ChunkMemoryStore.idleLimit).map { try #require(store.take(100_000 + $0 * 50_000)) }
    for memory in all { store.giveBack(memory) }
    #expect(store.idleCapacities == all.dropFirst().map(\.capacity))
  }

  @Test func retainedChunkDoesNotChangeWhenMemoryIsReused() {
    func chunk(_ byte: UInt8) -> Data {
      let buffer = ContentBuffer(capacity: 100_000)
      [UInt8](repeating: byte, count: 100_000).withUnsafeBytes { buffer.append($0) }
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

/// The content before a requested range.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct SkippedContentTests {
  private static let content = Data(pattern(1000))

  private static func skipped(_ count: Int, check: Data?) -> SkippedContent {
    SkippedContent(
      SessionRequest(
        generation: 1, item: 0, representation: 0, credit: 0, range: UInt64(count)..<UInt64(Int64.max),
        startDigest: check.map { Array($0).startDigest }))
  }

  @Test func equalPrefixIsSkippedInChunksOfAnyLength() throws {
    for chunkLength in [1, 7, 100, 999, 1000] {
      for count in [1, 6, 7, 8, 999, 1000] {
        var skipped = Self.skipped(count, check: Self.content.prefix(count))
        var rest = Data()
        for start in stride(from: 0, to: 1000, by: chunkLength) {
          rest += try skipped.drop(from: Self.content[start..<min(start + chunkLength, 1000)])
        }
        try skipped.end()
        #expect(rest == Self.content.dropFirst(count))
      }
    }
  }

  @Test func differentPrefixAndShorterContentAreRefused() throws {
    let check = Self.content.prefix(500)
    for bit in [0, 8 * 250, 8 * 500 - 1] {
      var other = Self.content
      other[bit / 8] ^= 1 << (bit % 8)
      var skipped = Self.skipped(500, check: check)
      expectDropError { try skipped.drop(from: other) }
    }
    var skipped = Self.skipped(500, check: check)
    #expect(try skipped.drop(from: Self.content.prefix(499)).isEmpty)
    expectDropError { try skipped.end() }
    #expect(try skipped.drop(from: Self.content[499..<500]).isEmpty)
    #expect(throws: Never.self) { try skipped.end() }
    // Without a checksum, any content is skipped.
    var unchecked = Self.skipped(500, check: nil)
    #expect(try unchecked.drop(from: Self.content.prefix(499)).isEmpty)
    #expect(throws: Never.self) { try unchecked.end() }
  }

  @Test func checksumsOfTwoPartsAreCombined() {
    var generator = SeededGenerator.announced("joined checksums")
    for _ in 0..<200 {
      let bytes = pattern(Int.random(in: 0..<5000, using: &generator))
      let cut = Int.random(in: 0...bytes.count, using: &generator)
      var (first, second) = (CRC32C(), CRC32C())
      bytes[..<cut].withUnsafeBytes { first.update($0) }
      bytes[cut...].withUnsafeBytes { second.update($0) }
      first.update(second, byteCount: UInt64(bytes.count - cut))
      #expect(first.value == bytes.crc32c)
    }
  }
}
