// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// The bytes a scanner still needs: chunks not gone through yet, and the beginning of what is pinned.
///
/// Chunks are read where they lie. Only what is pinned when a chunk ends is copied, so each byte is copied at most once
/// and an element that lies within one chunk not at all.
struct ChunkBuffer: Sendable {
  /// The chunk being read, and where in it reading goes on.
  private var chunk = Data()
  private var position = 0
  /// The offset of the chunk's first byte in the whole text.
  private var chunkOffset = 0

  /// Chunks still to come; those before `nextWaiting` are done with.
  private var waiting: [Data] = []
  private var nextWaiting = 0

  /// Where the bytes begin that have to be kept, and those of them which lay in earlier chunks.
  private(set) var pinOffset: Int?
  private var carried = Data()

  /// How far reading has come in the whole text.
  var offset: Int { chunkOffset + position }

  /// How many bytes are held, whether read or not.
  var retainedByteCount: Int {
    carried.count + chunk.count + waiting[nextWaiting...].reduce(0) { $0 + $1.count }
  }

  mutating func append(_ bytes: Data) {
    guard !bytes.isEmpty else { return }
    if chunk.isEmpty {
      chunk = bytes
    } else {
      waiting.append(bytes)
    }
  }

  /// Lets the grammar go on, but no further than `limit` bytes and one more from where the pin is.
  mutating func advance(_ grammar: inout JSONGrammar, pinLimit limit: Int) -> JSONGrammar.Event {
    var position = self.position
    let end = pinOffset.map { min(chunk.count, $0 + limit + 1 - chunkOffset) } ?? chunk.count
    let event = chunk.withUnsafeBytes { bytes in
      grammar.advance(over: UnsafeRawBufferPointer(rebasing: bytes[..<end]), from: &position)
    }
    self.position = position
    return event
  }

  /// Whether there are bytes to read, in this chunk or, which is then begun, the next.
  mutating func hasMore() -> Bool {
    guard position == chunk.count else { return true }
    if let pinOffset {
      carried.append(chunk.dropFirst(max(pinOffset - chunkOffset, 0)))
    }
    chunkOffset += position
    position = 0
    chunk = Data()
    guard nextWaiting < waiting.count else {
      waiting.removeAll(keepingCapacity: true)
      nextWaiting = 0
      return false
    }
    swap(&chunk, &waiting[nextWaiting])
    nextWaiting += 1
    return true
  }

  /// Keeps all bytes from `offset` on, which must lie in the current chunk.
  mutating func pin(at offset: Int) {
    pinOffset = offset
  }

  mutating func unpin() {
    pinOffset = nil
    carried = Data()
  }

  /// The bytes from `start`, which must be pinned, to where reading has come.
  func bytes(from start: Int) -> Data {
    let inChunk = chunk.dropFirst(max(start - chunkOffset, 0)).prefix(offset - max(start, chunkOffset))
    guard start < chunkOffset, let pinOffset else { return inChunk }
    return carried.dropFirst(start - pinOffset) + inChunk
  }

  /// Gives away the bytes from the pin to where reading has come, and pins nothing any more.
  mutating func takePinned() -> Data {
    guard let pinOffset else { return Data() }
    let inChunk = chunk.dropFirst(max(pinOffset - chunkOffset, 0)).prefix(offset - max(pinOffset, chunkOffset))
    var bytes = carried
    unpin()
    guard !bytes.isEmpty else { return inChunk }
    bytes.append(inChunk)
    return bytes
  }
}
