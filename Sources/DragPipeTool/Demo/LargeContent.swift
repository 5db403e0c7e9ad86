// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import FoundationEssentials
internal import Synchronization

/// Bytes that are made when they are asked for, a chunk at a time, of which no two are the same.
final class LargeContent: AsyncSequence, Sendable {
  private static let chunkLength = 256 << 10

  let byteCount: Int64
  private let made = Lock<Int64>(0)

  init(byteCount: Int64) {
    self.byteCount = byteCount
  }

  /// How many were made so far, by all iterators together.
  var madeByteCount: Int64 { made.withLock { $0 } }

  func makeAsyncIterator() -> Iterator { Iterator(content: self) }

  struct Iterator: AsyncIteratorProtocol {
    fileprivate let content: LargeContent
    private var offset: Int64 = 0

    fileprivate init(content: LargeContent) {
      self.content = content
    }

    mutating func next() async throws -> Data? {
      let count = Int(Swift.min(Int64(LargeContent.chunkLength), content.byteCount - offset))
      guard count > 0 else { return nil }
      let chunk = LargeContent.chunk(of: count, at: offset)
      offset += Int64(count)
      content.made.withLock { $0 += Int64(count) }
      return chunk
    }
  }

  /// The bytes from `offset` on.
  private static func chunk(of count: Int, at offset: Int64) -> Data {
    let stamp = Swift.withUnsafeBytes(of: offset.littleEndian) { Data($0) }
    var chunk = stamp
    chunk.reserveCapacity(chunkLength)
    chunk += pattern
    return chunk.prefix(count)
  }

  /// What stands behind the number of the first byte in every chunk.
  private static let pattern = Data((0..<chunkLength - 8).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) })
}
