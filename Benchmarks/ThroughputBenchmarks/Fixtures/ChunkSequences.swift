// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The same chunk again and again.
struct RepeatedChunks: AsyncSequence, AsyncIteratorProtocol, Sendable {
  typealias Element = Data
  typealias Failure = Never

  let chunk: Data
  /// How many bytes are to come.
  var left: Int

  func makeAsyncIterator() -> RepeatedChunks { self }

  mutating func next() async -> Data? {
    guard left > 0 else { return nil }
    let piece = chunk.prefix(left)
    left -= piece.count
    return piece
  }
}

/// A chunk again and again, copied so that each is memory of its own.
struct FreshChunks: AsyncSequence, AsyncIteratorProtocol, Sendable {
  typealias Element = Data
  typealias Failure = Never

  let chunk: Data
  /// How many chunks are to come.
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
