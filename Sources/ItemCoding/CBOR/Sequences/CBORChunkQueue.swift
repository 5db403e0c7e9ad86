// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// Chunks of a sequence that were not gone through yet, and the beginning of an item that lay in earlier ones.
///
/// Chunks are read where they lie: an item within one is a slice of it, and any other is copied once.
struct CBORChunkQueue: Sendable {
  /// The chunk being read, as offsets from its first byte: where its item begins, and where reading goes on.
  private var chunk = Data()
  private var itemPosition = 0
  private var position = 0

  /// Chunks still to come; those before `nextWaiting` are done with.
  private var waiting: [Data] = []
  private var nextWaiting = 0

  /// What of the item in progress lay in earlier chunks.
  private var carried = Data()

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

  /// Lets `scanner` go on to the end of the next item, and gives that away; `nil` where it is not there yet.
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
    // `Data` does not pass on which error its closure throws.
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
    // Now and then only, so that no chunk is moved more than once on average.
    if nextWaiting * 2 >= waiting.count {
      waiting.removeFirst(nextWaiting)
      nextWaiting = 0
    }
  }
}
