// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Synchronization

/// A change of a list from one state to a later state.
public struct SharedListChange<Element: Sendable & Equatable & Identifiable>: Sendable {
  /// The elements after the change.
  public let elements: [Element]
  /// The minimal removals and insertions since the previous change that the observer received.
  public let difference: CollectionDifference<Element>
  /// The number of changes that the owner of the list has made so far; copies with the same revision are equal.
  public let revision: UInt64
}

/// A sequence of the changes of a list, for one observer.
///
/// The first change inserts all elements. Changes that arrive before the observer requests the next change are
/// combined. The sequence ends when the owner ends the list. It throws if the connection to the owner is lost, or if
/// the owner sends an invalid message.
public struct SharedListChanges<Value: Sendable & Equatable & Identifiable>: AsyncSequence, Sendable {
  /// A change of the list.
  public typealias Element = SharedListChange<Value>
  /// The error if the connection to the owner of the list is lost, or if the owner sends an invalid message.
  public typealias Failure = SharedListError

  let state: SharedListState<Value>

  /// Returns an iterator, which starts with all elements.
  public func makeAsyncIterator() -> Iterator {
    Iterator(state: state, ticks: state.ticks().makeAsyncIterator())
  }

  /// An iterator over the changes.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let state: SharedListState<Value>
    fileprivate var ticks: AsyncStream<Void>.Iterator
    private var seen: SharedListState<Value>.Snapshot?

    fileprivate init(state: SharedListState<Value>, ticks: AsyncStream<Void>.Iterator) {
      self.state = state
      self.ticks = ticks
    }

    /// Waits for the next change.
    ///
    /// - Parameter actor: The actor that waits.
    /// - Returns: The changes since the previous call; `nil` at the end of the list, and if the task is cancelled.
    /// - Throws: `SharedListError` if the connection to the owner is lost, or if the owner sends an invalid message.
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

/// The elements and the observers of a list, in a store or in a copy.
final class SharedListState<Element: Sendable & Equatable & Identifiable>: Sendable {
  struct Snapshot: Sendable {
    var elements: [Element]
    var revision: UInt64 = 0
    /// Whether the elements are known; `false` for a copy that has not received them yet.
    var isKnown: Bool
    /// The error that ended the list, if any; the last elements are kept.
    var failure: SharedListError?
    fileprivate var hasEnded = false
  }

  private struct State {
    var snapshot: Snapshot
    var observers: [UInt64: AsyncStream<Void>.Continuation] = [:]
    var observerCount: UInt64 = 0
  }

  private let state: Lock<State>

  /// Creates a list with elements; `nil` means a copy whose elements are not known yet.
  init(_ elements: [Element]?) {
    state = Lock(State(snapshot: Snapshot(elements: elements ?? [], isKnown: elements != nil)))
  }

  var snapshot: Snapshot { state.withLock { $0.snapshot } }

  /// The reason why there are no more changes; `nil` before the end.
  var end: SharedListError? {
    state.withLock { $0.snapshot.hasEnded ? $0.snapshot.failure ?? .ended : nil }
  }

  /// Returns a stream that signals each change of ``snapshot``, and finishes when the list ends.
  func ticks() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let number = state.withLock { state -> UInt64? in
      if state.snapshot.hasEnded { return nil }
      state.observerCount += 1
      state.observers[state.observerCount] = continuation
      return state.observerCount
    }
    guard let number else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { _ = $0.observers.removeValue(forKey: number) }
    }
    return stream
  }

  /// Changes the list, unless it has ended, and notifies all observers.
  ///
  /// - Parameter body: Changes the snapshot, including its revision.
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`, which leaves the list unchanged, or the reason for the end.
  func change<Result>(_ body: (inout Snapshot) throws(SharedListError) -> Result) throws(SharedListError) -> Result {
    // Observers are notified outside the lock.
    let (outcome, observers) = state.withLock {
      state -> (Swift.Result<Result, SharedListError>, [AsyncStream<Void>.Continuation]) in
      if state.snapshot.hasEnded { return (.failure(state.snapshot.failure ?? .ended), []) }
      var changed = state.snapshot
      do throws(SharedListError) {
        let result = try body(&changed)
        let isNew = changed.revision != state.snapshot.revision || changed.isKnown != state.snapshot.isKnown
        state.snapshot = changed
        return (.success(result), isNew ? Array(state.observers.values) : [])
      } catch {
        return (.failure(error), [])
      }
    }
    for observer in observers { observer.yield() }
    return try outcome.get()
  }

  /// Ends the list for all observers, which still receive the last elements.
  func end(_ failure: SharedListError?) {
    let observers = state.withLock { state -> [AsyncStream<Void>.Continuation] in
      guard !state.snapshot.hasEnded else { return [] }
      state.snapshot.hasEnded = true
      state.snapshot.failure = failure
      defer { state.observers = [:] }
      return Array(state.observers.values)
    }
    for observer in observers {
      observer.yield()
      observer.finish()
    }
  }
}

extension Array where Element: Equatable & Identifiable {
  /// Returns the minimal removals and insertions that lead from an earlier state to this state.
  ///
  /// Identifiers are unique, so the elements that stay are a longest increasing subsequence of offsets. The function
  /// takes O(n log n) time and O(n) memory, regardless of the number of changes.
  func minimalDifference(from earlier: [Element]) -> CollectionDifference<Element> {
    let most = Swift.min(count, earlier.count)
    var start = 0
    while start < most, self[start] == earlier[start] { start += 1 }
    var end = 0
    while end < most - start, self[count - 1 - end] == earlier[earlier.count - 1 - end] { end += 1 }
    let (old, new) = (start..<(earlier.count - end), start..<(count - end))

    let places = Dictionary(old.map { (earlier[$0].id, $0) }, uniquingKeysWith: { first, _ in first })
    let common = new.compactMap { place in
      places[self[place].id].flatMap { earlier[$0] == self[place] ? (old: $0, new: place) : nil }
    }
    let kept = common.map(\.old).longestAscendingRow.map { common[$0] }
    let (keptOld, keptNew) = (Set(kept.map(\.old)), Set(kept.map(\.new)))
    let removals = old.filter { !keptOld.contains($0) }.map {
      CollectionDifference<Element>.Change.remove(offset: $0, element: earlier[$0], associatedWith: nil)
    }
    let insertions = new.filter { !keptNew.contains($0) }.map {
      CollectionDifference<Element>.Change.insert(offset: $0, element: self[$0], associatedWith: nil)
    }
    return CollectionDifference(removals + insertions) ?? difference(from: earlier)
  }
}

extension [Int] {
  /// The indices of a longest increasing subsequence.
  fileprivate var longestAscendingRow: [Int] {
    // `ends` has, for each length, the index at which the subsequence with the smallest last element ends. `before` has
    // the predecessor of each index in its subsequence.
    var ends: [Int] = []
    var before = [Int?](repeating: nil, count: count)
    for (place, number) in enumerated() {
      var range = 0..<ends.count
      while !range.isEmpty {
        let middle = range.lowerBound + range.count / 2
        range = self[ends[middle]] < number ? middle + 1..<range.upperBound : range.lowerBound..<middle
      }
      if range.lowerBound > 0 { before[place] = ends[range.lowerBound - 1] }
      if range.lowerBound == ends.count { ends.append(place) } else { ends[range.lowerBound] = place }
    }
    var row: [Int] = []
    var place = ends.last
    while let last = place {
      row.append(last)
      place = before[last]
    }
    return row.reversed()
  }
}
