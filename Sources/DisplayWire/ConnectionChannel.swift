// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Synchronization

/// The state that a connection's thread shares with the tasks that use the connection.
///
/// Functions that complete a wait add the result to a ``Delivery``, which the caller performs without the lock.
protocol ConnectionState: Sendable {
  associatedtype Event: Sendable

  /// The requests that the thread has not written yet.
  var output: OutputQueue { get set }
  /// The events that the program has not read yet.
  var inbox: EventInbox<Event> { get set }
  /// The time at which opening the connection fails, or `nil` if it is open.
  var deadline: ContinuousClock.Instant? { get set }
  /// The reason why the connection has ended.
  var ending: DisplayError? { get set }

  /// Removes the first event of the queue, as ``ConnectionState/popEvent()`` does.
  mutating func takeEvent() throws(DisplayError) -> Event?

  /// Ends all waits for a message of the server.
  mutating func failWaits(_ reason: DisplayError, into delivery: inout Delivery)
}

extension ConnectionState {
  mutating func takeEvent() throws(DisplayError) -> Event? { try popEvent() }

  /// Removes the first event of the queue.
  ///
  /// - Returns: The event, or `nil` if the queue is empty.
  /// - Throws: The reason why the connection ended, after all events have been removed.
  mutating func popEvent() throws(DisplayError) -> Event? {
    if let event = inbox.events.popFirst() { return event }
    if let ending { throw ending }
    return nil
  }

  /// Ends the connection.
  ///
  /// Only the first reason is stored.
  mutating func end(_ reason: DisplayError, into delivery: inout Delivery) {
    guard ending == nil else { return }
    ending = reason
    // After the program has closed the connection, nothing reads the remaining events.
    if reason.code == .closed { inbox.removeAll(into: &delivery) }
    failWaits(reason, into: &delivery)
    inbox.wakeReader(into: &delivery)
  }
}

/// Results and wake-ups that are to be delivered, and values that are to be released, without the lock of a connection.
struct Delivery: Sendable {
  private var results: [@Sendable () -> Void] = []
  private var released: [any Sendable] = []

  mutating func add<Value>(_ completion: Completion<Value>, _ result: Result<Value, DisplayError>) {
    results.append { completion.complete(result) }
  }

  /// Releases a value later, such as one whose descriptors are then closed.
  mutating func release(_ value: some Sendable) {
    released.append(value)
  }

  func perform() {
    for deliver in results { deliver() }
  }
}

/// The events that a program has not read yet, and the task that waits for the next one.
struct EventInbox<Event: Sendable>: Sendable {
  fileprivate(set) var events = FIFOQueue<Event>()
  private var reader: Completion<Void>?

  var count: Int { events.count }

  /// Adds an event, and wakes the reading task.
  mutating func add(_ event: Event, into delivery: inout Delivery) {
    events.append(event)
    wakeReader(into: &delivery)
  }

  mutating func removeAll(into delivery: inout Delivery) {
    delivery.release(events)
    events.removeAll()
  }

  /// Sets the completion that wakes the reading task at the next event.
  ///
  /// - Precondition: No other task is waiting for an event.
  fileprivate mutating func setReader(_ completion: Completion<Void>) {
    precondition(reader?.isClosed ?? true, "only one task may read the events of a connection")
    reader = completion
  }

  fileprivate mutating func wakeReader(into delivery: inout Delivery) {
    if let reader { delivery.add(reader, .success(())) }
    reader = nil
  }
}

/// A state under a lock, and the descriptor that wakes the connection's thread.
final class ConnectionChannel<State: ConnectionState>: Sendable {
  let wakeUp: WakeUp
  private let state: Lock<State>

  init(_ state: State) throws(DisplayError) {
    self.state = Lock(state)
    wakeUp = try WakeUp()
  }

  /// Changes the state under its lock, then delivers results and events without the lock.
  func change<Result: Sendable, Failure: Error>(
    _ body: (inout State, inout Delivery) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var delivery = Delivery()
    defer { delivery.perform() }
    return try state.withLock { (state) throws(Failure) in try body(&state, &delivery) }
  }

  /// Queues requests, and wakes the thread.
  func queue<Result: Sendable>(
    _ body: (inout State) throws(DisplayError) -> Result
  ) throws(DisplayError) -> Result {
    let result = try change { (state, _) throws(DisplayError) in try body(&state) }
    wakeUp.signal()
    return result
  }

  /// Ends the connection.
  ///
  /// Only the first reason is stored.
  func end(_ reason: DisplayError) {
    change { state, delivery in state.end(reason, into: &delivery) }
    wakeUp.signal()
  }

  /// Waits for the next event.
  ///
  /// - Returns: The event; `nil` after this program has closed the connection.
  /// - Throws: The reason why the connection ended; `cancelled`.
  func nextEvent() async throws(DisplayError) -> State.Event? {
    do throws(DisplayError) {
      while true {
        let completion = Completion<Void>()
        let event = try change { (state, _) throws(DisplayError) in
          let event = try state.takeEvent()
          if event == nil { state.inbox.setReader(completion) }
          return event
        }
        if let event { return event }
        try await completion.value()
      }
    } catch {
      if error.code == .closed { return nil }
      throw error
    }
  }
}
