// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Synchronization

/// The tasks to await before a connection is closed.
final class UnfinishedTasks: Sendable {
  private let tasks = Lock<[Int: Task<Void, Never>]>([:])

  /// Runs work in a new task.
  func run(_ work: @escaping @Sendable () async -> Void) {
    tasks.withLock { tasks in
      let number = (tasks.keys.max() ?? 0) + 1
      tasks[number] = Task {
        await work()
        self.tasks.withLock { $0[number] = nil }
      }
    }
  }

  /// Waits until no task runs.
  func wait() async {
    while let task = tasks.withLock({ $0.values.first }) { await task.value }
  }
}

extension AsyncQueue where Element: Sendable {
  /// Waits for the next value; returns `nil` at the end.
  ///
  /// - Throws: `timedOut`; `CancellationError`.
  func next(within timeout: Duration, while task: String) async throws -> Element? {
    let value: Element? = try await withThrowingTaskGroup(of: Element?.self) { group in
      group.addTask { await self.next() }
      group.addTask {
        try await Task.sleep(for: timeout)
        throw DesktopError(.timedOut, "no response within \(timeout) while \(task)")
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
    if value == nil { try Task.checkCancellation() }
    return value
  }
}
