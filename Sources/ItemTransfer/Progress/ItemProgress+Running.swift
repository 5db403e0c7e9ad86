// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Synchronization

extension ItemProgress {
  /// Runs work in a child task that is also cancelled when this progress is cancelled.
  ///
  /// A child task keeps the executor of its parent, unlike a task of its own.
  ///
  /// - Parameters:
  ///   - timeout: The time after which the task is cancelled; `nil` means no limit.
  ///   - work: The work.
  /// - Returns: The result of the work, and whether the time has passed.
  package nonisolated(nonsending) func cancelling<Value: Sendable>(
    after timeout: Duration? = nil, _ work: @escaping @Sendable () async -> Value
  ) async -> (value: Value, hasExpired: Bool) {
    let task = RunningTask()
    let timer = timeout.map { limit in
      Task {
        do { try await Task.sleep(for: limit) } catch { return false }
        task.cancel()
        return true
      }
    }
    let value = await withTaskGroup(of: Value.self) { group in
      group.addTask {
        await withUnsafeCurrentTask { current in
          task.begin(current)
          defer { task.end() }
          return await work()
        }
      }
      addCancellationHandler { task.cancel() }
      guard let value = await group.next() else { preconditionFailure("a group without its task") }
      return value
    }
    timer?.cancel()
    return (value, await timer?.value ?? false)
  }
}

/// A reference to a task, which any thread may cancel while the task runs.
private final class RunningTask: Sendable {
  private struct State: @unchecked Sendable {
    /// The task, which is valid until its end.
    var current: UnsafeCurrentTask?
    var isCancelled = false
  }

  private let state = Lock(State())

  func begin(_ current: UnsafeCurrentTask?) {
    state.withLock { state in
      state.current = current
      if state.isCancelled { current?.cancel() }
    }
  }

  func end() {
    state.withLock { $0.current = nil }
  }

  /// Cancels the task.
  ///
  /// The lock keeps the task from ending meanwhile. Handlers of the cancellation run inside it, as they run inside a lock
  /// of the runtime: they must not wait for the task.
  func cancel() {
    state.withLock { state in
      state.isCancelled = true
      state.current?.cancel()
    }
  }
}
