// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// What a reader finds in chunks that arrive over time.
///
/// No more chunks are asked for than the next item needs. The first error ends the sequence. A cancelled task gets a
/// `CancellationError`, never a short sequence: some sequences of chunks just end when their task is cancelled.
package struct ReaderSequence<Chunks: AsyncSequence & Sendable, Reader: ChunkedReader>: AsyncSequence, Sendable
where Chunks.Element == Data {
  private let chunks: Chunks
  private let reader: Reader

  /// What `reader`, which has been given nothing yet, finds in `chunks`.
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
