// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// How a list came from one state to a later one.
public struct SharedListChange<Element: Sendable & Equatable & Identifiable>: Sendable {
  /// The list now.
  public let elements: [Element]
  /// What was removed and inserted since the last change that the observer has seen, and nothing else.
  public let difference: CollectionDifference<Element>
  /// Counts the edits of the store; two processes that see one revision see one list.
  public let revision: UInt64
}

/// The changes of a list as an observer sees them.
///
/// The first one inserts what is there. Changes that come faster than they are taken become one: nobody is told of what
/// is past. It ends when the list's owner ends it, and throws when the list can no longer be heard of.
public struct SharedListChanges<Value: Sendable & Equatable & Identifiable>: AsyncSequence, Sendable {
  /// How the list has changed.
  public typealias Element = SharedListChange<Value>
  /// Why there is no more.
  public typealias Failure = SharedListError

  let state: SharedListState<Value>

  /// Starts with what is there.
  public func makeAsyncIterator() -> Iterator {
    Iterator(state: state, ticks: state.ticks().makeAsyncIterator())
  }

  /// Goes through the changes.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let state: SharedListState<Value>
    fileprivate var ticks: AsyncStream<Void>.Iterator
    private var seen: SharedListState<Value>.Snapshot?

    fileprivate init(state: SharedListState<Value>, ticks: AsyncStream<Void>.Iterator) {
      self.state = state
      self.ticks = ticks
    }

    /// Waits for the next change; `nil` at the end, and when the task is cancelled.
    ///
    /// - Parameter actor: Where it waits.
    /// - Returns: What has changed since the last one.
    /// - Throws: `SharedListError` when the list can no longer be heard of.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(SharedListError) -> SharedListChange<Value>? {
      while true {
        let now = state.snapshot
        if now.isKnown, now.revision != seen?.revision {
          let difference = now.elements.minimalDifference(from: seen?.elements ?? [])
          seen = now
          return SharedListChange(elements: now.elements, difference: difference, revision: now.revision)
        }
        if let failure = now.failure { throw failure }
        guard await ticks.next(isolation: actor) != nil else { return nil }
      }
    }
  }
}

@available(*, unavailable)
extension SharedListChanges.Iterator: Sendable {}
