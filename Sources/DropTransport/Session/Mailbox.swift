// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import ItemCoding
internal import Synchronization

/// Keeps what comes until somebody takes it; who waits and is cancelled takes nothing with it.
final class Mailbox<Element: Sendable>: Sendable {
  private struct State {
    var elements: [Element] = []
    var isClosed = false
    var nextTicket = 0
    var waiting: [(ticket: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Lock(State())

  func put(_ element: Element) {
    let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
      if !state.isClosed { state.elements.append(element) }
      return state.waiting.isEmpty ? nil : state.waiting.removeFirst().continuation
    }
    waiting?.resume()
  }

  /// Takes out what nobody is to have any more.
  func remove(where isStale: (Element) -> Bool) {
    state.withLock { state in
      guard let index = state.elements.firstIndex(where: isStale) else { return }
      state.elements.remove(at: index)
    }
  }

  /// Nothing more will come; what lies here can be taken.
  func close() {
    let waiting = state.withLock { state in
      state.isClosed = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for (_, continuation) in waiting { continuation.resume() }
  }

  /// Lets go of what lies here.
  func empty() {
    let old = state.withLock { state in
      defer { state.elements = [] }
      return state.elements
    }
    withExtendedLifetime(old) {}
  }

  /// Waits for something; `nil` when nothing more will come, or the task is cancelled.
  func next() async -> Element? {
    while true {
      let (element, isClosed, ticket) = state.withLock { state -> (Element?, Bool, Int) in
        state.nextTicket += 1
        return (state.elements.isEmpty ? nil : state.elements.removeFirst(), state.isClosed, state.nextTicket)
      }
      if element != nil || isClosed || Task.isCancelled { return element }
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let mustWait = state.withLock { state in
            guard state.elements.isEmpty, !state.isClosed, !Task.isCancelled else { return false }
            state.waiting.append((ticket, continuation))
            return true
          }
          if !mustWait { continuation.resume() }
        }
      } onCancel: {
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
          guard let index = state.waiting.firstIndex(where: { $0.ticket == ticket }) else { return nil }
          return state.waiting.remove(at: index).continuation
        }
        waiting?.resume()
      }
    }
  }
}
