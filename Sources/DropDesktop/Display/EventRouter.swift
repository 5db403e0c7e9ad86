// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropSystem
internal import Synchronization

/// Passes each event of a connection to the subscriptions that select it.
final class EventRouter: Sendable {
  private struct State: Sendable {
    var subscribers: [UInt64: Subscriber] = [:]
    var lastNumber: UInt64 = 0
    var failure: DesktopError?
  }

  fileprivate struct Subscriber: Sendable {
    /// Selects events; runs on the routing task and must not block.
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
  ///   - limit: The number of values that wait at most; further ones are dropped. One suffices for a sign that something
  ///     has changed.
  ///   - replaces: Returns whether the second value replaces the first one, which is the last that waits. A fast pointer
  ///     and a slow reader then need no memory.
  ///   - select: Returns the value of an event, or `nil`. It must not block.
  /// - Returns: The subscription, which ends when it is released.
  func events<Value: Sendable>(
    limit: Int = 8, replacing replaces: @escaping @Sendable (Value, Value) -> Bool = { _, _ in false },
    _ select: @escaping @Sendable (X11Event) -> Value?
  ) -> EventSubscription<Value> {
    let subscription = EventSubscription<Value>(limit: limit, replacing: replaces)
    // Weak, so that releasing the subscription ends it.
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
      // The removed closures may run any code when they are released.
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

/// The selected events of a connection, for one task at a time.
package final class EventSubscription<Value: Sendable>: Sendable {
  private struct State: Sendable {
    var values: [Value] = []
    var isEnded = false
    var cancel: (@Sendable () -> Void)?
  }

  private let limit: Int
  private let replaces: @Sendable (Value, Value) -> Bool
  private let state = Lock(State())
  /// A permit for each value, and for the end.
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

  /// Adds a value, which may replace the last one, and is dropped if too many wait.
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
    // The end stays available.
    if value == nil { available.signal() }
    return value
  }
}
