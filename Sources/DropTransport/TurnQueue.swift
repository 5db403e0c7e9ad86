// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import ItemCoding
internal import Synchronization

/// Lets tasks through one at a time, or so many at a time, in the order they came: an actor alone would let them
/// interleave at every `await`.
final class TurnQueue: Sendable {
  private struct State {
    /// How many may go through now.
    var free: Int
    var line = WaitingLine<Bool>()
    /// Cancelled between taking a ticket and standing in the queue.
    var cancelled: Set<Int> = []
  }

  private let state: Lock<State>

  init(atOnce count: Int = 1) {
    state = Lock(State(free: count))
  }

  /// Waits for the turn; whoever has it calls ``pass()`` when done.
  ///
  /// - Throws: `cancelled` when the task is cancelled before its turn comes.
  func wait() async throws(DropStreamError) {
    let ticket: Int? = state.withLock { state in
      if state.free > 0 {
        state.free -= 1
        return nil
      }
      return state.line.takeTicket()
    }
    guard let ticket else { return }
    let hasTurn = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer: Bool? = state.withLock { state in
          if state.cancelled.remove(ticket) != nil { return false }
          if state.free > 0 {
            state.free -= 1
            return true
          }
          state.line.join(ticket, continuation)
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      let waiter = state.withLock { state -> CheckedContinuation<Bool, Never>? in
        if let continuation = state.line.leave(ticket) { return continuation }
        state.cancelled.insert(ticket)
        return nil
      }
      waiter?.resume(returning: false)
    }
    _ = state.withLock { $0.cancelled.remove(ticket) }
    if !hasTurn { throw .cancelled }
  }

  /// Takes a turn if there is one.
  func tryTake() -> Bool {
    state.withLock { state in
      guard state.free > 0 else { return false }
      state.free -= 1
      return true
    }
  }

  /// Gives a turn to whoever has waited longest.
  func pass() {
    let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      let next = state.line.takeFirst()
      if next == nil { state.free += 1 }
      return next
    }
    next?.resume(returning: true)
  }
}
