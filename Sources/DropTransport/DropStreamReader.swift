// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import ItemTransfer

/// The items of a drop stream, each an item provider like any other.
///
/// ```swift
/// try await DropStream.withReader(from: .standardInput) { items in
///   for try await item in items where item.hasRepresentation(conformingTo: .hero) {
///     favourites.add(try await item.value(as: Hero.self))
///   }
/// }
/// ```
///
/// Each item is whole when it comes. That the *stream* is whole is known only when the loop ends without an error: do
/// what cannot be undone after that. A single pass; a second iterator goes on where the first stopped.
public struct DropStreamReader: AsyncSequence, Sendable {
  /// One item.
  public typealias Element = ItemProvider
  /// Everything that can be wrong with a stream.
  public typealias Failure = DropStreamError

  let items: LaneItems<ProviderSink>

  /// Starts, or goes on with, the one pass.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(items: items)
  }

  /// Walks the items.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let items: LaneItems<ProviderSink>

    /// The next item; `nil` at the verified end.
    ///
    /// - Throws: `DropStreamError`; cancelling the task ends the stream with the code `cancelled`.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(DropStreamError) -> ItemProvider? {
      try await items.next(isolation: actor)
    }
  }
}

@available(*, unavailable)
extension DropStreamReader.AsyncIterator: Sendable {}
