// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import FoundationEssentials
internal import ItemTransfer
internal import Synchronization

/// A sequence of the chunks of a response.
///
/// When the sequence is released, it cancels the request if the request is still in progress.
final class SessionChunks: AsyncSequence, Sendable {
  typealias Element = Data
  typealias Failure = any Error

  private let content: SessionContent
  private let session: DropSession
  /// Called when all chunks have been delivered.
  private let onEnd: @Sendable () -> Void
  /// A received piece that has not been delivered.
  private let pending = Lock<SessionContent.Piece?>(nil)

  init(_ content: SessionContent, session: DropSession, onEnd: @escaping @Sendable () -> Void = {}) {
    self.content = content
    self.session = session
    self.onEnd = onEnd
  }

  deinit {
    session.cancel(content.number)
  }

  /// Puts back a piece that the caller has inspected.
  func starting(with piece: SessionContent.Piece) -> SessionChunks {
    pending.withLock { $0 = piece }
    return self
  }

  /// Takes the next run of the pending piece.
  ///
  /// - Parameter limit: The maximum number of zeros in a run.
  /// - Returns: The run; `nil` without a pending piece.
  /// - Throws: `damaged` if the piece is not a part of a sequence of chunks.
  private func takePending(zerosAtMost limit: UInt64) throws(DropStreamError) -> ContentRun? {
    let run: Result<ContentRun?, DropStreamError> = pending.withLock { pending in
      switch pending.take() {
      case nil: return .success(nil)
      case .bytes(let data, _): return .success(.bytes(data))
      case .zeros(let count):
        if count > limit { pending = .zeros(count - limit) }
        return .success(.zeros(Swift.min(count, limit)))
      case .descriptor:
        return .failure(DropStreamError(.damaged, "corrupt: a descriptor follows a chunk"))
      }
    }
    return try run.get()
  }

  /// Waits for the next piece and grants credit to the peer.
  ///
  /// Returns `nil` at the end.
  func nextPiece() async throws(DropStreamError) -> SessionContent.Piece? {
    do throws(DropStreamError) {
      guard let (piece, credit) = try await content.next() else {
        onEnd()
        return nil
      }
      if credit > 0 { session.output.send(.credit(number: content.number, credit)) }
      return piece
    } catch {
      // The caller reads no more after an error.
      session.cancel(content.number)
      throw error
    }
  }

  func makeAsyncIterator() -> Iterator {
    Iterator(chunks: self)
  }

  struct Iterator: ContentRunIterator {
    let chunks: SessionChunks

    mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
      try await chunks.nextRun(zerosAtMost: UInt64(ZeroBytes.maximumCount))?.chunk
    }

    mutating func nextRun(isolation: isolated (any Actor)?) async throws -> ContentRun? {
      try await chunks.nextRun(zerosAtMost: UInt64(Int64.max))
    }
  }

  private func nextRun(zerosAtMost limit: UInt64) async throws(DropStreamError) -> ContentRun? {
    if let run = try takePending(zerosAtMost: limit) { return run }
    guard let piece = try await nextPiece() else { return nil }
    return try starting(with: piece).takePending(zerosAtMost: limit)
  }
}
