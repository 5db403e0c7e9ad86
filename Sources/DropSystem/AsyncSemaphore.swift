// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A FIFO asynchronous semaphore.
///
/// With one permit, it serializes tasks across suspension points, where tasks in an actor could interleave.
package final class AsyncSemaphore: Sendable {
  private struct State {
    var permits: Int
    var lastTicket = 0
    var queue: [(ticket: Int, continuation: CheckedContinuation<Bool, Never>)] = []
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
      state.lastTicket += 1
      return state.lastTicket
    }
    guard let ticket else { return true }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let result: Bool? = state.withLock { state in
          // If the task is cancelled after this check, the handler finds its ticket.
          if Task.isCancelled { return false }
          if state.permits > 0 {
            state.permits -= 1
            return true
          }
          state.queue.append((ticket, continuation))
          return nil
        }
        if let result { continuation.resume(returning: result) }
      }
    } onCancel: {
      let waiter = state.withLock { state -> CheckedContinuation<Bool, Never>? in
        state.queue.firstIndex { $0.ticket == ticket }.map { state.queue.remove(at: $0).continuation }
      }
      waiter?.resume(returning: false)
    }
  }

  /// Whether a task waits for a permit.
  package var isAwaited: Bool { state.withLock { !$0.queue.isEmpty } }

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
      if !state.queue.isEmpty { return state.queue.removeFirst().continuation }
      state.permits += 1
      return nil
    }
    next?.resume(returning: true)
  }
}

/// A first-in, first-out queue, in which each operation takes constant time on average.
package struct FIFOQueue<Element> {
  /// The maximum capacity that an empty queue keeps.
  static var keptCapacity: Int { 1024 }

  /// The first elements, in reverse.
  private(set) var front: [Element] = []
  /// The elements after ``front``.
  private(set) var back: [Element] = []

  /// Creates an empty queue.
  package init() {}

  /// The elements, in the order in which they were appended.
  package var elements: [Element] { front.reversed() + back }

  /// The number of elements.
  package var count: Int { front.count + back.count }

  /// The element that was appended last, which can be replaced; `nil` for an empty queue.
  package var last: Element? { back.last ?? front.first }

  /// Appends an element.
  package mutating func append(_ element: Element) {
    back.append(element)
  }

  /// Replaces the last element.
  ///
  /// - Precondition: The queue is not empty.
  package mutating func replaceLast(with element: Element) {
    if back.isEmpty { front[0] = element } else { back[back.count - 1] = element }
  }

  /// Removes the first element.
  ///
  /// - Returns: The element; `nil` if the queue is empty.
  package mutating func popFirst() -> Element? {
    if front.isEmpty {
      // The memory of many elements is kept only until they have left.
      if front.capacity > Self.keptCapacity { front = [] }
      swap(&front, &back)
      front.reverse()
    }
    return front.popLast()
  }

  /// Removes all elements.
  package mutating func removeAll() {
    front.removeAll(keepingCapacity: front.capacity <= Self.keptCapacity)
    back.removeAll(keepingCapacity: back.capacity <= Self.keptCapacity)
  }

  /// Changes the elements as an array, which takes linear time.
  package mutating func edit(_ body: (inout [Element]) -> Void) {
    var elements = elements
    (front, back) = ([], [])
    body(&elements)
    back = elements
  }
}

extension FIFOQueue: Sendable where Element: Sendable {}

/// A FIFO queue of elements that tasks wait for.
///
/// Any number of tasks may wait. A cancelled task takes no element.
package final class AsyncQueue<Element: Sendable>: Sendable {
  private struct State {
    var elements = FIFOQueue<Element>()
    var isClosed = false
  }

  private let state = Lock(State())
  /// At least one permit for each element, and one for the end.
  private let available = AsyncSemaphore(permits: 0)

  /// Creates an empty queue.
  package init() {}

  /// The number of elements that no task has taken.
  package var count: Int { state.withLock { $0.elements.count } }

  /// Whether a task waits for an element.
  package var isAwaited: Bool { available.isAwaited }

  /// Whether the queue accepts no more elements.
  package var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Appends an element.
  ///
  /// - Parameters:
  ///   - element: The element. A queue that is closed or has `limit` elements drops it.
  ///   - limit: The maximum number of elements.
  ///   - replaces: Returns whether the element (second) replaces the last element (first). It must not block.
  package func put(
    _ element: Element, limit: Int = .max, replacing replaces: (Element, Element) -> Bool = { _, _ in false }
  ) {
    let isAppended = state.withLock { state in
      if state.isClosed { return false }
      if let last = state.elements.last, replaces(last, element) {
        state.elements.replaceLast(with: element)
        return false
      }
      guard state.elements.count < limit else { return false }
      state.elements.append(element)
      return true
    }
    if isAppended { available.signal() }
  }

  /// Changes the elements, unless the queue is closed.
  ///
  /// - Parameter body: Appends at most one element. It must not block or release an object that runs other code.
  package func change(_ body: (inout [Element]) -> Void) {
    let isLonger = state.withLock { state in
      let count = state.elements.count
      if !state.isClosed { state.elements.edit(body) }
      return state.elements.count > count
    }
    if isLonger { available.signal() }
  }

  /// Closes the queue to new elements.
  ///
  /// - Parameter isDiscarding: Whether the elements are released; otherwise tasks can still take them.
  package func close(discarding isDiscarding: Bool = false) {
    let removed = state.withLock { state -> FIFOQueue<Element> in
      state.isClosed = true
      guard isDiscarding else { return FIFOQueue() }
      defer { state.elements = FIFOQueue() }
      return state.elements
    }
    // The release of an element may run any code, so it happens outside the lock.
    withExtendedLifetime(removed) {}
    available.signal()
  }

  /// Waits for the next element.
  ///
  /// - Returns: The element; `nil` at the end of a closed queue, or if the task is cancelled.
  package func next() async -> Element? {
    while !Task.isCancelled, await available.wait() {
      let (element, isClosed) = state.withLock { state in
        (state.elements.popFirst(), state.isClosed)
      }
      if let element { return element }
      // The permit of the end stays available for later calls.
      if isClosed {
        available.signal()
        return nil
      }
    }
    return nil
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
