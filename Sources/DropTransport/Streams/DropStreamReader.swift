// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import ItemTransfer

/// The items of a drop stream, as item providers.
///
/// ```swift
/// try await DropStream.withReader(from: .standardInput) { items in
///   for try await item in items where item.hasRepresentation(conformingTo: .hero) {
///     favourites.add(try await item.value(as: Hero.self))
///   }
/// }
/// ```
///
/// Each item is complete and verified when the loop receives it. The *stream* is verified only when the loop ends without
/// an error: take irreversible steps after that, or call ``collect(maximumCount:isolation:)``.
///
/// The sequence is a single pass: a second iterator continues where the first stopped.
public struct DropStreamReader: AsyncSequence, Sendable {
  /// An item.
  public typealias Element = ItemProvider
  /// An error of the stream.
  public typealias Failure = DropStreamError

  let items: StreamReader<ProviderSink>

  /// Starts or continues the single pass.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(items: items)
  }

  /// An iterator over the items.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let items: StreamReader<ProviderSink>

    /// Returns the next item; `nil` at the verified end.
    ///
    /// - Throws: `DropStreamError`; the code is `cancelled` if the task is cancelled, which ends the stream.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(DropStreamError) -> ItemProvider? {
      try await items.next(isolation: actor)
    }
  }

  /// Reads all remaining items, to the verified end of the stream.
  ///
  /// No item is returned unless all are complete. Representations with which an item would exceed
  /// ``DropStreamLimits/bytesInMemory`` stay in temporary files.
  ///
  /// ```swift
  /// let items = try await DropStream.withReader(from: .file("heroes.drop")) { try await $0.collect() }
  /// ```
  ///
  /// - Parameters:
  ///   - maximumCount: The maximum number of items, since each takes memory. Not negative.
  ///   - actor: The caller's isolation; omit it.
  /// - Returns: The items in the order of the stream.
  /// - Throws: `limitExceeded` if there are more items; `cancelled` if the task is cancelled; every other error of the
  ///   stream.
  public func collect(
    maximumCount: Int = 65_536, isolation actor: isolated (any Actor)? = #isolation
  ) async throws(DropStreamError) -> [ItemProvider] {
    precondition(maximumCount >= 0, "maximumCount is \(maximumCount), but must not be negative")
    var collected: [ItemProvider] = []
    while let item = try await items.next(isolation: actor) {
      guard collected.count < maximumCount else {
        throw DropStreamError(.limitExceeded, "the stream has more items than the \(maximumCount) to collect")
      }
      collected.append(item)
    }
    return collected
  }
}

@available(*, unavailable)
extension DropStreamReader.AsyncIterator: Sendable {}
