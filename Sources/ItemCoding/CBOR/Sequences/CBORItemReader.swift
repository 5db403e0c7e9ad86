// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// Cuts a CBOR sequence that arrives in chunks into the bytes of its items, which are well-formed.
package struct CBORItemReader: Sendable {
  private var scanner: CBORItemScanner
  private var queue = CBORChunkQueue()
  private var isFinished = false
  /// What ended the reading.
  private var fault: CBORFault?

  package init(maximumDepth: Int, limits: CBORSequenceLimits) {
    scanner = CBORItemScanner(maximumDepth: maximumDepth, maximumLength: limits.itemBytes)
  }

  /// How many bytes are held at this moment.
  var retainedByteCount: Int { queue.retainedByteCount }

  /// How many bytes of the sequence have been gone over: after ``next()`` has given an item, where that ends.
  package var offset: Int { scanner.offset }

  /// Hands over the next bytes of the sequence, cut anywhere.
  ///
  /// - Precondition: ``finish()`` has not been called.
  package mutating func append(_ bytes: Data) {
    precondition(!isFinished, "bytes appended behind the end of a CBOR sequence")
    // Behind a fault nobody will read them.
    guard fault == nil else { return }
    queue.append(bytes)
  }

  /// Says that there are no more bytes.
  package mutating func finish() {
    isFinished = true
  }

  /// The bytes of the next item; `nil` means that more are needed or, after ``finish()``, that this was all.
  ///
  /// - Throws: `DecodingError.dataCorrupted`, again at each further call.
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
