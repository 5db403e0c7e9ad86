// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import DropTransport
import FoundationEssentials
import Glibc

/// Functions for files without holes.
///
/// Reading a hole would take less time.
enum BenchmarkFile {
  static func make(_ path: String, byteCount: Int) throws {
    let block = Self.block
    // Writes small pieces, since the memory of this process would be counted as that of its child processes.
    let output = try OwnedDescriptor.open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
    var left = byteCount
    while left > 0 {
      let count = min(left, block.count)
      try block.withUnsafeBytes {
        try SystemCalls.writeAll(output.raw, UnsafeRawBufferPointer(rebasing: $0.prefix(count)))
      }
      left -= count
    }
  }

  /// A block of one million bytes that cannot be compressed.
  private static let block: [UInt8] = {
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    var block: [UInt8] = []
    block.reserveCapacity(1_000_000)
    while block.count < 1_000_000 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      withUnsafeBytes(of: state) { block.append(contentsOf: $0) }
    }
    return block
  }()
}

/// A sequence that repeats one chunk without copying it.
struct RepeatedChunks: AsyncSequence, AsyncIteratorProtocol, Sendable {
  typealias Element = Data
  typealias Failure = Never

  let chunk: Data
  /// The number of remaining bytes.
  var left: Int

  func makeAsyncIterator() -> RepeatedChunks { self }

  mutating func next() async -> Data? {
    guard left > 0 else { return nil }
    let piece = chunk.prefix(left)
    left -= piece.count
    return piece
  }
}

/// A sequence that repeats one chunk; each element is a copy with its own memory.
struct FreshChunks: AsyncSequence, AsyncIteratorProtocol, Sendable {
  typealias Element = Data
  typealias Failure = Never

  let chunk: Data
  /// The number of remaining chunks.
  var left: Int

  func makeAsyncIterator() -> FreshChunks { self }

  mutating func next() async -> Data? {
    guard left > 0 else { return nil }
    left -= 1
    var copy = chunk
    copy[copy.startIndex] = UInt8(truncatingIfNeeded: left)
    return copy
  }
}
