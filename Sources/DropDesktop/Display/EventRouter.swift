// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Synchronization

/// A router that passes each event of a connection to the subscriptions that select the event.
final class EventRouter<Event: Sendable>: Sendable {
  private struct State: Sendable {
    var subscribers: [UInt64: Subscriber] = [:]
    var lastNumber: UInt64 = 0
    var failure: DesktopError?
  }

  private struct Subscriber: Sendable {
    /// Called with each event on the routing task.
    ///
    /// It must not block, and returns whether the queue still exists.
    let receive: @Sendable (Event) -> Bool
    let end: @Sendable () -> Void
  }

  private let state = Lock(State())

  /// The reason why the events have ended.
  var failure: DesktopError {
    state.withLock { $0.failure } ?? DesktopError(.displayGone, "the connection to the display is closed")
  }

  /// Returns a queue of the values into which `select` turns events.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of unread values; further values are dropped. A limit of 1 suffices if only the fact
  ///     of a change matters.
  ///   - replaces: Returns whether a new value (second) replaces the last unread value (first). The motions of a fast
  ///     pointer then do not fill the queue of a slow reader.
  ///   - select: Returns the value of an event, or `nil`. It must not block.
  /// - Returns: The queue, which closes with the connection. Events are selected until it is released.
  func events<Value: Sendable>(
    limit: Int = 8, replacing replaces: @escaping @Sendable (Value, Value) -> Bool = { _, _ in false },
    _ select: @escaping @Sendable (Event) -> Value?
  ) -> AsyncQueue<Value> {
    let queue = AsyncQueue<Value>()
    // The references are weak, so that releasing the queue ends the subscription.
    let subscriber = Subscriber(
      receive: { [weak queue] event in
        guard let queue else { return false }
        if let value = select(event) { queue.put(value, limit: limit, replacing: replaces) }
        return true
      },
      end: { [weak queue] in queue?.close() })
    let isOpen = state.withLock { state in
      guard state.failure == nil else { return false }
      state.lastNumber += 1
      state.subscribers[state.lastNumber] = subscriber
      return true
    }
    if !isOpen { queue.close() }
    return queue
  }

  /// Routes events until the connection ends.
  ///
  /// - Parameter next: Returns the next event of the connection; `nil` at its end.
  func route(_ next: () async throws -> Event?) async {
    var failure = DesktopError(.displayGone, "the connection to the display is closed")
    do {
      while let event = try await next() {
        for (number, subscriber) in state.withLock({ $0.subscribers }) where !subscriber.receive(event) {
          state.withLock { $0.subscribers[number] = nil }
        }
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
