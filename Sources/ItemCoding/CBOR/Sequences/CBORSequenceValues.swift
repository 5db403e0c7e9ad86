// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// What a reader finds in chunks that arrive over time.
///
/// No more chunks are asked for than the next value needs. The first error ends the sequence. A cancelled task gets a
/// `CancellationError`, never a short sequence: some sequences of chunks just end when their task is cancelled.
struct CBORSequenceValues<Chunks: AsyncSequence & Sendable, Value: Decodable>: AsyncSequence, Sendable
where Chunks.Element == Data {
  let chunks: Chunks
  let reader: CBORSequenceReader<Value>

  func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(chunks: chunks.makeAsyncIterator(), reader: reader)
  }

  struct AsyncIterator: AsyncIteratorProtocol {
    private var chunks: Chunks.AsyncIterator
    private var reader: CBORSequenceReader<Value>
    private var isFinished = false
    private var isOver = false

    init(chunks: Chunks.AsyncIterator, reader: CBORSequenceReader<Value>) {
      self.chunks = chunks
      self.reader = reader
    }

    mutating func next(isolation actor: isolated (any Actor)?) async throws -> Value? {
      guard !isOver else { return nil }
      do {
        let value = try await nextValue(isolation: actor)
        isOver = value == nil
        return value
      } catch {
        isOver = true
        throw error
      }
    }

    private mutating func nextValue(isolation actor: isolated (any Actor)?) async throws -> Value? {
      while true {
        try Task.checkCancellation()
        if let value = try reader.next() { return value }
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
