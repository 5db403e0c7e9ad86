// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropSystem
internal import Synchronization

/// The signals for the loop of a drag, in the order of their arrival.
///
/// A signal that only repeats the one before replaces it, so that a fast pointer and a slow target need no memory.
final class DragInbox<Signal: Sendable>: Sendable {
  /// The maximum number of signals; further ones are dropped.
  static var maximumCount: Int { 1024 }

  /// The signals; their closure is part of the subscription.
  private final class Queue: Sendable {
    private let signals = Lock<[Signal]>([])
    private let replaces: @Sendable (Signal, Signal) -> Bool

    init(replaces: @escaping @Sendable (Signal, Signal) -> Bool) {
      self.replaces = replaces
    }

    func add(_ signal: Signal) {
      signals.withLock { signals in
        if let last = signals.last, replaces(last, signal) { signals.removeLast() }
        if signals.count < DragInbox.maximumCount { signals.append(signal) }
      }
    }

    func takeAll() -> [Signal] {
      signals.withLock { signals in
        defer { signals = [] }
        return signals
      }
    }
  }

  private let queue: Queue
  private let wakeUps: EventSubscription<Void>

  /// Creates an inbox of the events of a connection.
  ///
  /// - Parameters:
  ///   - router: The events.
  ///   - replaces: Returns whether the second signal replaces the first one, which is the last in the queue.
  ///   - select: Returns the signal of an event, or `nil`. It must not block.
  init(
    _ router: EventRouter, replaces: @escaping @Sendable (Signal, Signal) -> Bool,
    _ select: @escaping @Sendable (X11Event) -> Signal?
  ) {
    let queue = Queue(replaces: replaces)
    self.queue = queue
    wakeUps = router.events(limit: 1) { event -> Void? in
      guard let signal = select(event) else { return nil }
      queue.add(signal)
      return ()
    }
  }

  /// Appends a signal that is not from an event.
  func add(_ signal: Signal) {
    queue.add(signal)
    wakeUps.add(())
  }

  /// Waits for signals; `nil` once the connection has ended or the task is cancelled.
  func next() async -> [Signal]? {
    while true {
      let signals = queue.takeAll()
      if !signals.isEmpty { return signals }
      guard await wakeUps.next() != nil else { return nil }
    }
  }
}
