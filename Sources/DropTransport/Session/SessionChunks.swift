// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import ItemCoding
internal import Synchronization

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The chunks that come for a request, whose source is told when nobody wants the rest.
final class SessionChunks: AsyncSequence, Sendable {
  typealias Element = Data
  typealias Failure = any Error

  private let content: SessionContent
  private let session: DropSession
  private let first: Lock<Data?>

  init(_ content: SessionContent, session: DropSession, startingWith first: Data? = nil) {
    self.content = content
    self.session = session
    self.first = Lock(first)
  }

  deinit {
    session.cancel(content.number)
  }

  /// Puts back the chunk that was looked at.
  func starting(with data: Data) -> SessionChunks {
    first.withLock { $0 = data }
    return self
  }

  /// The next piece; `nil` at the end.
  func nextPiece() async throws(DropStreamError) -> SessionContent.Piece? {
    do throws(DropStreamError) {
      guard let (piece, credit) = try await content.next() else { return nil }
      if credit > 0 { session.output.send(.credit(number: content.number, credit)) }
      return piece
    } catch {
      // Nobody will look at what may still come.
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
      if let first = chunks.first.withLock({ $0.take() }) { return first }
      guard let piece = try await chunks.nextPiece() else { return nil }
      guard case .bytes(let data, isWhole: false) = piece else {
        throw DropStreamError(.damaged, "damaged: a chunk is followed by something else")
      }
      return data
    }
  }
}
