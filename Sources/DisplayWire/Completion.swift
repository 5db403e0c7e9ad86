// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// A result for one waiting task, usually delivered by the connection's thread.
///
/// Only the first result is used; later results are dropped.
typealias Completion<Value: Sendable> = AsyncQueue<Result<Value, DisplayError>>

extension AsyncQueue {
  /// Delivers the result, unless a result has already been delivered.
  func complete<Value>(_ result: Element) where Element == Result<Value, DisplayError> {
    put(result)
    close()
  }

  /// Waits for the result.
  ///
  /// Cancellation ends the wait at once. Only one task may wait.
  ///
  /// - Throws: The delivered error; `cancelled` if the task is cancelled.
  func value<Value>() async throws(DisplayError) -> Value where Element == Result<Value, DisplayError> {
    guard let result = await next() else {
      close()
      throw .cancelled
    }
    return try result.get()
  }
}
