// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// A reader that splits a CBOR sequence, which arrives in chunks, into well-formed items.
package struct CBORItemReader: Sendable {
  private var scanner: CBORItemScanner
  private var queue = CBORChunkQueue()
  private var isFinished = false
  /// The fault that ended the sequence.
  private var fault: CBORFault?

  package init(maximumDepth: Int, limits: CBORSequenceLimits) {
    scanner = CBORItemScanner(maximumDepth: maximumDepth, maximumLength: limits.itemBytes)
  }

  /// The number of bytes that the reader stores.
  var retainedByteCount: Int { queue.retainedByteCount }

  /// The number of bytes that were scanned.
  ///
  /// After ``next()`` has returned an item, this is the end of the item.
  package var offset: Int { scanner.offset }

  /// Appends the next bytes of the sequence, which may end anywhere.
  ///
  /// - Precondition: ``finish()`` has not been called.
  package mutating func append(_ bytes: Data) {
    precondition(!isFinished, "bytes appended after the end of a CBOR sequence")
    // After a fault, the bytes are not needed.
    guard fault == nil else { return }
    queue.append(bytes)
  }

  /// Marks the end of the sequence.
  package mutating func finish() {
    isFinished = true
  }

  /// Returns the bytes of the next item.
  ///
  /// `nil` means that more bytes are needed or, after ``finish()``, that the sequence has ended.
  ///
  /// - Throws: `DecodingError.dataCorrupted`. Further calls throw the same error.
  package mutating func next() throws(DecodingError) -> Data? {
    if let fault { throw fault.corruption() }
    do throws(CBORFault) {
      if let item = try queue.nextItem(&scanner) { return item }
      guard isFinished, scanner.isInItem else { return nil }
      throw CBORFault(
        .truncated, at: scanner.offset, "the sequence ends within the item that begins at byte \(scanner.itemStart)")
    } catch {
      fault = error
      queue = CBORChunkQueue()
      throw error.corruption()
    }
  }
}

/// The unread chunks of a sequence, and the beginning of an item from earlier chunks.
///
/// An item within one chunk is a slice of the chunk. Other items are copied once.
struct CBORChunkQueue: Sendable {
  /// The current chunk.
  private var chunk = Data()
  /// The position in the chunk at which the current item begins; 0 if it began in an earlier chunk.
  private var itemPosition = 0
  /// The position in the chunk of the next byte to read.
  private var position = 0

  /// The next chunks; chunks before `nextWaiting` have been read.
  private var waiting: [Data] = []
  private var nextWaiting = 0

  /// The beginning of the current item, from earlier chunks.
  private var carried = Data()

  /// The number of bytes that the queue stores, read or not.
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

  /// Moves `scanner` to the end of the next item and returns the item; `nil` if it is incomplete.
  mutating func nextItem(_ scanner: inout CBORItemScanner) throws(CBORFault) -> Data? {
    while !chunk.isEmpty {
      if try advance(&scanner) {
        let inChunk = chunk.dropFirst(itemPosition).prefix(position - itemPosition)
        itemPosition = position
        var item = carried
        carried = Data()
        guard !item.isEmpty else { return inChunk }
        item.append(inChunk)
        return item
      }
      carried.append(chunk.dropFirst(itemPosition))
      beginNextChunk()
    }
    return nil
  }

  private mutating func advance(_ scanner: inout CBORItemScanner) throws(CBORFault) -> Bool {
    var position = self.position
    // The closure of `Data` cannot throw a typed error.
    let result = chunk.withUnsafeBytes { bytes -> Result<Bool, CBORFault> in
      do throws(CBORFault) {
        return .success(try scanner.advance(over: bytes, from: &position))
      } catch {
        return .failure(error)
      }
    }
    self.position = position
    return try result.get()
  }

  private mutating func beginNextChunk() {
    chunk = Data()
    itemPosition = 0
    position = 0
    guard nextWaiting < waiting.count else { return }
    swap(&chunk, &waiting[nextWaiting])
    nextWaiting += 1
    // Read chunks are removed in groups, so that a chunk moves at most once on average.
    if nextWaiting * 2 >= waiting.count {
      waiting.removeFirst(nextWaiting)
      nextWaiting = 0
    }
  }
}
