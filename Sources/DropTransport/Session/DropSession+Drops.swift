// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Synchronization

extension DropSession {
  /// What the other side of a session offers.
  public struct Drops: AsyncSequence, Sendable {
    /// One offer.
    public typealias Element = IncomingDrop
    /// Why there is no more.
    public typealias Failure = DropStreamError

    let session: DropSession

    /// Starts, or goes on with, the one pass.
    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(session: session)
    }

    /// Walks the offers.
    public struct AsyncIterator: AsyncIteratorProtocol {
      let session: DropSession

      /// Waits for the next offer; `nil` when the other side has ended the session.
      ///
      /// - Throws: Why the session has failed: `peerGone` when the other side has died. `cancelled` when the task is;
      ///   another one may go on.
      public mutating func next(
        isolation actor: isolated (any Actor)? = #isolation
      ) async throws(DropStreamError) -> IncomingDrop? {
        if let offer = await session.mailbox.next() { return IncomingDrop(offer, session: session) }
        if Task.isCancelled { throw .cancelled }
        let failure = session.state.withLock { $0.isEndedByPeer ? nil : $0.failure }
        if let failure { throw failure }
        return nil
      }
    }
  }
}

@available(*, unavailable)
extension DropSession.Drops.AsyncIterator: Sendable {}
