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
  /// A received piece that has not been delivered.
  private let pending = Lock<SessionContent.Piece?>(nil)

  init(_ content: SessionContent, session: DropSession) {
    self.content = content
    self.session = session
  }

  deinit {
    session.cancel(content.number)
  }

  /// Puts back a piece that the caller has inspected.
  func starting(with piece: SessionContent.Piece) -> SessionChunks {
    pending.withLock { $0 = piece }
    return self
  }

  /// Returns the next chunk of the pending piece; `nil` without a pending piece.
  ///
  /// - Throws: `damaged` if the piece is not a part of a sequence of chunks.
  private func takePending() throws(DropStreamError) -> Data? {
    let chunk: Result<Data?, DropStreamError> = pending.withLock { pending in
      switch pending.take() {
      case nil: return .success(nil)
      case .bytes(let data, _): return .success(data)
      case .zeros(let count):
        let chunk = ZeroBytes.chunk(of: count)
        let rest = count - UInt64(chunk.count)
        if rest > 0 { pending = .zeros(rest) }
        return .success(chunk)
      case .descriptor:
        return .failure(DropStreamError(.damaged, "corrupt: a descriptor follows a chunk"))
      }
    }
    return try chunk.get()
  }

  /// Waits for the next piece and grants credit to the peer.
  ///
  /// Returns `nil` at the end.
  func nextPiece() async throws(DropStreamError) -> SessionContent.Piece? {
    do throws(DropStreamError) {
      guard let (piece, credit) = try await content.next() else { return nil }
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

  struct Iterator: AsyncIteratorProtocol {
    let chunks: SessionChunks

    mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
      if let chunk = try chunks.takePending() { return chunk }
      guard let piece = try await chunks.nextPiece() else { return nil }
      return try chunks.starting(with: piece).takePending()
    }
  }
}
