// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Synchronization

/// Keeps what comes until somebody takes it; who waits and is cancelled takes nothing with it.
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

  /// How many elements lie here, and whether a task waits for one.
  var load: (count: Int, isAwaited: Bool) { state.withLock { ($0.elements.count, !$0.line.isEmpty) } }

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
      return state.line.takeAll()
    }
    for continuation in waiting { continuation.resume(returning: true) }
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
