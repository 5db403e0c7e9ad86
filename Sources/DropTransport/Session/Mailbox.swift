// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Synchronization

/// A FIFO buffer of elements with asynchronous receivers.
///
/// A receiver that is cancelled while it waits consumes no element.
final class Mailbox<Element: Sendable>: Sendable {
  private struct State {
    var elements: [Element] = []
    var isClosed = false
    var line = ContinuationQueue()
  }

  private let state = Lock(State())

  func put(_ element: Element) {
    let waiting = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      if !state.isClosed { state.elements.append(element) }
      return state.line.takeFirst()
    }
    waiting?.resume(returning: true)
  }

  /// The number of stored elements, and whether a task waits for an element.
  var load: (count: Int, isAwaited: Bool) { state.withLock { ($0.elements.count, !$0.line.isEmpty) } }

  /// Removes the first element for which `isStale` returns `true`.
  func remove(where isStale: (Element) -> Bool) {
    state.withLock { state in
      guard let index = state.elements.firstIndex(where: isStale) else { return }
      state.elements.remove(at: index)
    }
  }

  /// Closes the mailbox to new elements.
  ///
  /// Stored elements remain available.
  func close() {
    let waiting = state.withLock { state in
      state.isClosed = true
      return state.line.takeAll()
    }
    for continuation in waiting { continuation.resume(returning: true) }
  }

  /// Releases all stored elements.
  func empty() {
    let old = state.withLock { state in
      defer { state.elements = [] }
      return state.elements
    }
    withExtendedLifetime(old) {}
  }

  /// Waits for an element.
  ///
  /// Returns a stored element at once, even to a cancelled task. Returns `nil` if there is none and the task is
  /// cancelled or the mailbox is closed.
  func next() async -> Element? {
    while true {
      let (element, isClosed, ticket) = state.withLock { state -> (Element?, Bool, Int) in
        (state.elements.isEmpty ? nil : state.elements.removeFirst(), state.isClosed, state.line.takeTicket())
      }
      if element != nil || isClosed || Task.isCancelled { return element }
      _ = await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let mustWait = state.withLock { state in
            guard state.elements.isEmpty, !state.isClosed, !Task.isCancelled else { return false }
            state.line.join(ticket, continuation)
            return true
          }
          if !mustWait { continuation.resume(returning: true) }
        }
      } onCancel: {
        state.withLock { $0.line.leave(ticket) }?.resume(returning: false)
      }
    }
  }
}
