// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Synchronization

extension DropSession {
  /// The offers of the peer.
  public struct Drops: AsyncSequence, Sendable {
    /// An offer.
    public typealias Element = IncomingDrop
    /// The error that ends the sequence.
    public typealias Failure = DropStreamError

    let session: DropSession

    /// Returns an iterator.
    ///
    /// All iterators share a single pass.
    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(session: session)
    }

    /// An iterator over the offers.
    public struct AsyncIterator: AsyncIteratorProtocol {
      let session: DropSession

      /// Waits for the next offer.
      ///
      /// Returns `nil` when the peer has ended the session.
      ///
      /// - Throws: The failure of the session, such as `peerGone` when the peer has died. `cancelled` when the task is
      ///   cancelled; another task may continue.
      public mutating func next(
        isolation actor: isolated (any Actor)? = #isolation
      ) async throws(DropStreamError) -> IncomingDrop? {
        if let offer = await session.mailbox.next() { return IncomingDrop(offer, session: session) }
        if Task.isCancelled { throw .cancelled }
        if let failure = session.state.withLock(\.visibleFailure) { throw failure }
        return nil
      }
    }
  }
}

@available(*, unavailable)
extension DropSession.Drops.AsyncIterator: Sendable {}
