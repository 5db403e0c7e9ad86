// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Synchronization

/// A result for one waiting task, usually delivered by the connection's thread.
///
/// Only the first result is used; later results are dropped.
final class Completion<Value: Sendable>: Sendable {
  private enum State {
    case pending
    case waiting(CheckedContinuation<Result<Value, DisplayError>, Never>)
    case done(Result<Value, DisplayError>)
  }

  private let state = Lock(State.pending)

  /// Whether a result has been delivered.
  var isDone: Bool {
    state.withLock { state in
      if case .done = state { true } else { false }
    }
  }

  /// Delivers the result, unless a result has already been delivered.
  func complete(_ result: Result<Value, DisplayError>) {
    let continuation: CheckedContinuation<Result<Value, DisplayError>, Never>? = state.withLock { state in
      switch state {
      case .pending:
        state = .done(result)
        return nil
      case .waiting(let continuation):
        state = .done(result)
        return continuation
      case .done: return nil
      }
    }
    continuation?.resume(returning: result)
  }

  /// Waits for the result.
  ///
  /// Cancellation ends the wait at once. Only one task may wait.
  ///
  /// - Throws: The delivered error; `cancelled` if the task is cancelled.
  func value() async throws(DisplayError) -> Value {
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let result: Result<Value, DisplayError>? = state.withLock { state in
          if case .done(let result) = state { return result }
          state = .waiting(continuation)
          return nil
        }
        if let result { continuation.resume(returning: result) }
      }
    } onCancel: {
      complete(.failure(.cancelled))
    }
    return try result.get()
  }
}
