// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropSystem
internal import Synchronization

/// A router that passes each event of a connection to the subscriptions that select the event.
final class EventRouter: Sendable {
  private struct State: Sendable {
    var subscribers: [UInt64: Subscriber] = [:]
    var lastNumber: UInt64 = 0
    var failure: DesktopError?
  }

  fileprivate struct Subscriber: Sendable {
    /// Called with each event on the routing task; must not block.
    let receive: @Sendable (X11Event) -> Void
    let end: @Sendable () -> Void
  }

  private let state = Lock(State())

  /// The reason why the events have ended.
  var failure: DesktopError {
    state.withLock { $0.failure } ?? DesktopError(.displayGone, "the connection to the display is closed")
  }

  /// Returns a subscription to the events that `select` turns into values.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of unread values; further values are dropped. A limit of 1 suffices if only the fact
  ///     of a change matters.
  ///   - replaces: Returns whether a new value (second) replaces the last unread value (first). The motions of a fast
  ///     pointer then do not fill the queue of a slow reader.
  ///   - select: Returns the value of an event, or `nil`. It must not block.
  /// - Returns: The subscription, which ends when it is released.
  func events<Value: Sendable>(
    limit: Int = 8, replacing replaces: @escaping @Sendable (Value, Value) -> Bool = { _, _ in false },
    _ select: @escaping @Sendable (X11Event) -> Value?
  ) -> EventSubscription<Value> {
    let subscription = EventSubscription<Value>(limit: limit, replacing: replaces)
    // The references are weak, so that releasing the subscription ends it.
    let subscriber = Subscriber(
      receive: { [weak subscription] event in
        if let value = select(event) { subscription?.add(value) }
      },
      end: { [weak subscription] in subscription?.end() })
    let number: UInt64? = state.withLock { state in
      guard state.failure == nil else { return nil }
      state.lastNumber += 1
      state.subscribers[state.lastNumber] = subscriber
      return state.lastNumber
    }
    guard let number else {
      subscription.end()
      return subscription
    }
    subscription.whenReleased { [weak self] in
      // The release of the closures may run any code, so it happens outside of the lock.
      let removed = self?.state.withLock { $0.subscribers.removeValue(forKey: number) }
      withExtendedLifetime(removed) {}
    }
    return subscription
  }

  /// Routes events until the connection ends.
  func route(_ connection: X11Connection) async {
    var failure = DesktopError(.displayGone, "the connection to the display is closed")
    do {
      while let event = try await connection.nextEvent() {
        for subscriber in state.withLock({ Array($0.subscribers.values) }) { subscriber.receive(event) }
      }
    } catch {
      failure = DesktopError(caught: error)
    }
    let ended = state.withLock { state in
      state.failure = failure
      defer { state.subscribers = [:] }
      return state.subscribers
    }
    for subscriber in ended.values { subscriber.end() }
  }
}

/// A queue of the values of selected events, which one task at a time reads.
package final class EventSubscription<Value: Sendable>: Sendable {
  private struct State: Sendable {
    var values: [Value] = []
    var isEnded = false
    var cancel: (@Sendable () -> Void)?
  }

  private let limit: Int
  private let replaces: @Sendable (Value, Value) -> Bool
  private let state = Lock(State())
  /// One permit for each unread value, and one for the end.
  private let available = AsyncSemaphore(permits: 0)

  fileprivate init(limit: Int, replacing replaces: @escaping @Sendable (Value, Value) -> Bool) {
    self.limit = limit
    self.replaces = replaces
  }

  deinit {
    state.withLock { $0.cancel }?()
  }

  fileprivate func whenReleased(_ cancel: @escaping @Sendable () -> Void) {
    state.withLock { $0.cancel = cancel }
  }

  /// Adds a value.
  ///
  /// It may replace the last unread value, and is dropped if the queue is full.
  func add(_ value: Value) {
    let isAdded = state.withLock { state in
      guard !state.isEnded else { return false }
      if let last = state.values.last, replaces(last, value) {
        state.values[state.values.count - 1] = value
        return false
      }
      guard state.values.count < limit else { return false }
      state.values.append(value)
      return true
    }
    if isAdded { available.signal() }
  }

  fileprivate func end() {
    state.withLock { $0.isEnded = true }
    available.signal()
  }

  /// Waits for the next value; `nil` once the connection has ended, or if the task is cancelled.
  ///
  /// A cancelled wait loses no value.
  package func next() async -> Value? {
    guard !Task.isCancelled, await available.wait() else { return nil }
    let value = state.withLock { state in state.values.isEmpty ? nil : state.values.removeFirst() }
    // The permit of the end stays available for later calls.
    if value == nil { available.signal() }
    return value
  }
}
