// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// An asynchronous sequence of the items that a reader finds in chunks.
///
/// The sequence requests no more chunks than the next item needs. The first error ends it. A cancelled task gets a
/// `CancellationError` and never a short sequence, although some sequences of chunks just end on cancellation.
package struct ReaderSequence<Chunks: AsyncSequence & Sendable, Reader: ChunkedReader>: AsyncSequence, Sendable
where Chunks.Element == Data {
  private let chunks: Chunks
  private let reader: Reader

  /// Creates the sequence of items that `reader`, which is at its start, finds in `chunks`.
  package init(chunks: Chunks, reader: Reader) {
    self.chunks = chunks
    self.reader = reader
  }

  package func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(chunks: chunks.makeAsyncIterator(), reader: reader)
  }

  package struct AsyncIterator: AsyncIteratorProtocol {
    private var chunks: Chunks.AsyncIterator
    private var reader: Reader
    private var isFinished = false
    private var isOver = false

    fileprivate init(chunks: Chunks.AsyncIterator, reader: Reader) {
      self.chunks = chunks
      self.reader = reader
    }

    package mutating func next(isolation actor: isolated (any Actor)?) async throws -> Reader.Item? {
      guard !isOver else { return nil }
      do {
        let item = try await nextItem(isolation: actor)
        isOver = item == nil
        return item
      } catch {
        isOver = true
        throw error
      }
    }

    private mutating func nextItem(isolation actor: isolated (any Actor)?) async throws -> Reader.Item? {
      while true {
        try Task.checkCancellation()
        if let item = try reader.next() { return item }
        if isFinished { return nil }
        if let chunk = try await chunks.next(isolation: actor) {
          reader.append(chunk)
        } else {
          try Task.checkCancellation()
          reader.finish()
          isFinished = true
        }
      }
    }
  }
}

/// A reader that finds items in bytes that arrive in chunks.
///
/// A ``ReaderSequence`` drives it.
package protocol ChunkedReader: Sendable {
  associatedtype Item
  associatedtype Failure: Error

  /// Appends the next bytes, which may end anywhere.
  mutating func append(_ bytes: Data)
  /// Marks the end of the bytes.
  mutating func finish()
  /// Returns the next item. `nil` means that more bytes are needed or, after ``finish()``, that there are no more
  /// items.
  mutating func next() throws(Failure) -> Item?
}
