// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Synchronization

/// A list, and who is told when it changes: what a store and its copies in other processes have in common.
final class SharedListState<Element: Sendable & Equatable & Identifiable>: Sendable {
  struct Snapshot: Sendable {
    var elements: [Element]
    var revision: UInt64 = 0
    /// Whether it has been heard of at all.
    var isKnown: Bool
    /// Why there will be no more; what was last known stays.
    var failure: SharedListError?
    fileprivate var hasEnded = false
  }

  private struct State {
    var snapshot: Snapshot
    var observers: [UInt64: AsyncStream<Void>.Continuation] = [:]
    var observerCount: UInt64 = 0
  }

  private let state: Lock<State>

  /// Starts with elements, or with a list that nobody has heard of yet.
  init(_ elements: [Element]?) {
    state = Lock(State(snapshot: Snapshot(elements: elements ?? [], isKnown: elements != nil)))
  }

  var snapshot: Snapshot { state.withLock { $0.snapshot } }

  /// Why there will be no more; `nil` while there may be.
  var end: SharedListError? {
    state.withLock { $0.snapshot.hasEnded ? $0.snapshot.failure ?? .ended : nil }
  }

  /// Says that there is something new; what, the snapshot tells.
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

  /// Changes the list, unless it has ended, and tells everybody.
  ///
  /// - Parameter body: Changes the snapshot, its revision included.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws, and nothing has changed then; why there will be no more.
  func change<Result>(_ body: (inout Snapshot) throws(SharedListError) -> Result) throws(SharedListError) -> Result {
    // Out of the lock before anybody is told.
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

  /// Ends the list for all observers, who still see what is there.
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
