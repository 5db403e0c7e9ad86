// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A FIFO asynchronous semaphore.
///
/// With one permit, it serializes tasks across suspension points, where tasks in an actor could interleave.
package final class AsyncSemaphore: Sendable {
  private struct State {
    var permits: Int
    var queue = ContinuationQueue()
    /// The tickets of tasks that were cancelled while they were not in the queue: they had not joined it yet, or had
    /// left it.
    var cancelled: Set<Int> = []
  }

  private let state: Lock<State>

  /// Creates a semaphore with a number of permits.
  package init(permits: Int = 1) {
    state = Lock(State(permits: permits))
  }

  /// Waits for a permit.
  ///
  /// A caller that gets a permit releases it with ``signal()``.
  ///
  /// - Returns: Whether the caller has a permit; `false` if the task was cancelled before it got one. A permit that is
  ///   free at the time of the call is taken at once, even by a cancelled task.
  package func wait() async -> Bool {
    let ticket: Int? = state.withLock { state in
      if state.permits > 0 {
        state.permits -= 1
        return nil
      }
      return state.queue.takeTicket()
    }
    guard let ticket else { return true }
    let hasPermit = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let result: Bool? = state.withLock { state in
          if state.cancelled.remove(ticket) != nil { return false }
          if state.permits > 0 {
            state.permits -= 1
            return true
          }
          state.queue.join(ticket, continuation)
          return nil
        }
        if let result { continuation.resume(returning: result) }
      }
    } onCancel: {
      let waiter = state.withLock { state -> CheckedContinuation<Bool, Never>? in
        if let continuation = state.queue.leave(ticket) { return continuation }
        state.cancelled.insert(ticket)
        return nil
      }
      waiter?.resume(returning: false)
    }
    _ = state.withLock { $0.cancelled.remove(ticket) }
    return hasPermit
  }

  /// Takes a permit if one is free.
  ///
  /// - Returns: Whether the caller has a permit.
  package func tryWait() -> Bool {
    state.withLock { state in
      guard state.permits > 0 else { return false }
      state.permits -= 1
      return true
    }
  }

  /// Releases a permit.
  ///
  /// The task that has waited longest gets the permit. If no task waits, the permit is free.
  package func signal() {
    let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      let next = state.queue.takeFirst()
      if next == nil { state.permits += 1 }
      return next
    }
    next?.resume(returning: true)
  }
}

/// A FIFO queue of suspended tasks, guarded by its owner's lock.
///
/// A task takes a ticket before it joins, so that its cancellation handler can find it at any time. The owner resumes
/// the tasks that it removes; a cancelled task resumes with `false`.
package struct ContinuationQueue: Sendable {
  private var lastTicket = 0
  private var waiting: [(ticket: Int, continuation: CheckedContinuation<Bool, Never>)] = []

  /// Creates an empty queue.
  package init() {}

  /// Whether no task waits.
  package var isEmpty: Bool { waiting.isEmpty }

  /// Returns a number that identifies one waiting task.
  package mutating func takeTicket() -> Int {
    lastTicket += 1
    return lastTicket
  }

  /// Appends a task.
  package mutating func join(_ ticket: Int, _ continuation: CheckedContinuation<Bool, Never>) {
    waiting.append((ticket, continuation))
  }

  /// Removes and returns the task with a ticket; `nil` if it is not in the queue.
  ///
  /// The caller resumes the task outside the lock.
  package mutating func leave(_ ticket: Int) -> CheckedContinuation<Bool, Never>? {
    waiting.firstIndex { $0.ticket == ticket }.map { waiting.remove(at: $0).continuation }
  }

  /// Removes and returns the task that has waited longest; `nil` if no task waits.
  ///
  /// The caller resumes the task outside the lock.
  package mutating func takeFirst() -> CheckedContinuation<Bool, Never>? {
    waiting.isEmpty ? nil : waiting.removeFirst().continuation
  }

  /// Removes and returns all tasks.
  ///
  /// The caller resumes the tasks outside the lock.
  package mutating func takeAll() -> [CheckedContinuation<Bool, Never>] {
    if waiting.isEmpty { return [] }
    defer { waiting = [] }
    return waiting.map(\.continuation)
  }
}

/// A gate that suspends tasks until it is opened.
///
/// It cannot be closed again.
package final class Latch: Sendable {
  private struct State {
    var isOpen = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Lock(State())

  /// Creates a closed latch.
  package init() {}

  /// Opens the latch, and resumes all waiting tasks.
  package func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Waits until the latch is open.
  ///
  /// Cancellation does not end the wait.
  package func wait() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if !state.isOpen { state.waiting.append(continuation) }
        return state.isOpen
      }
      if isOpen { continuation.resume() }
    }
  }
}
