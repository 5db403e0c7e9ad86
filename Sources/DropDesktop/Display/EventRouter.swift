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
  ///   - select: Returns the value of an event, or `nil`. It must not block.
  /// - Returns: The subscription, which ends when it is released.
  func events<Value: Sendable>(
    limit: Int = 8, _ select: @escaping @Sendable (X11Event) -> Value?
  ) -> EventSubscription<Value> {
    let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingOldest(limit))
    let subscriber = Subscriber(
      receive: { event in if let value = select(event) { continuation.yield(value) } },
      end: { continuation.finish() })
    let number: UInt64? = state.withLock { state in
      guard state.failure == nil else { return nil }
      state.lastNumber += 1
      state.subscribers[state.lastNumber] = subscriber
      return state.lastNumber
    }
    if number == nil { continuation.finish() }
    return EventSubscription(stream, continuation) { [weak self] in
      guard let number else { return }
      // The removed closures may run any code when they are released.
      let removed = self?.state.withLock { $0.subscribers.removeValue(forKey: number) }
      withExtendedLifetime(removed) {}
    }
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
final class EventSubscription<Value: Sendable>: Sendable {
  private let stream: AsyncStream<Value>
  private let continuation: AsyncStream<Value>.Continuation
  private let cancel: @Sendable () -> Void

  fileprivate init(
    _ stream: AsyncStream<Value>, _ continuation: AsyncStream<Value>.Continuation,
    cancel: @escaping @Sendable () -> Void
  ) {
    self.stream = stream
    self.continuation = continuation
    self.cancel = cancel
  }

  deinit {
    cancel()
  }

  /// Adds a value that is not from an event.
  func add(_ value: Value) {
    continuation.yield(value)
  }

  /// Waits for the next value; `nil` once the connection has ended or the task is cancelled.
  func next() async -> Value? {
    // The iterators of a stream share its buffer.
    var iterator = stream.makeAsyncIterator()
    return await iterator.next(isolation: nil)
  }
}
