// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// The bytes that a scanner still needs: unread chunks, and pinned bytes.
///
/// Pinned bytes are the bytes from a certain offset to the reading position, such as the current element. Chunks are
/// read in place. Only pinned bytes at the end of a chunk are copied, so each byte is copied at most once, and an
/// element within one chunk is never copied.
struct ScannerBuffer: Sendable {
  /// The current chunk, and the reading position in it.
  private var chunk = Data()
  private var position = 0
  /// The offset of the chunk's first byte in the text.
  private var chunkOffset = 0

  /// The chunks after the current chunk; chunks before `nextWaiting` have been read.
  private var waiting: [Data] = []
  private var nextWaiting = 0

  /// The offset of the first pinned byte, and the pinned bytes from earlier chunks.
  private(set) var pinOffset: Int?
  private var carried = Data()

  /// The reading position in the text.
  var offset: Int { chunkOffset + position }

  /// The number of buffered bytes, read or unread.
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

  /// Advances the grammar, at most `limit` + 1 bytes past the pin.
  mutating func advance(_ grammar: inout JSONGrammar, pinLimit limit: Int) -> JSONGrammar.Event {
    var position = self.position
    let end = pinOffset.map { min(chunk.count, $0 + limit + 1 - chunkOffset) } ?? chunk.count
    let event = chunk.withUnsafeBytes { bytes in
      grammar.advance(over: UnsafeRawBufferPointer(rebasing: bytes[..<end]), from: &position)
    }
    self.position = position
    return event
  }

  /// Passes the unread bytes of the chunk to `body`, and moves past the bytes whose number `body` returns.
  ///
  /// If `body` returns `nil`, the reading position stays.
  mutating func passing<Value>(_ body: (UnsafeRawBufferPointer) -> (Value, count: Int)?) -> Value? {
    let result = chunk.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[position...])) }
    guard let (value, count) = result else { return nil }
    position += count
    return value
  }

  /// Returns whether there are bytes to read, and moves on to the next chunk if the current chunk is consumed.
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

  /// Pins all bytes from `offset` on, which must be in the current chunk.
  mutating func pin(at offset: Int) {
    pinOffset = offset
  }

  mutating func unpin() {
    pinOffset = nil
    carried = Data()
  }

  /// Returns the bytes from `start`, which must be pinned, to the reading position.
  func bytes(from start: Int) -> Data {
    let inChunk = chunk.dropFirst(max(start - chunkOffset, 0)).prefix(offset - max(start, chunkOffset))
    guard start < chunkOffset, let pinOffset else { return inChunk }
    return carried.dropFirst(start - pinOffset) + inChunk
  }

  /// Returns the bytes from the pin to the reading position, and removes the pin.
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
