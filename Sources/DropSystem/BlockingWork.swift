// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Synchronization

/// Runs work that blocks on a disk outside the cooperative pool, whose few threads everybody shares.
///
/// The work is not interrupted by cancellation: keep it short, or use `runInterruptibly`.
package func runBlocking<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
  // There until the work has ended, which is waited for in any case.
  nonisolated(unsafe) let value = UnsafeMutablePointer<Value>.allocate(capacity: 1)
  defer { value.deallocate() }
  let task = BlockingTask { value.initialize(to: try work()) }
  await withCheckedContinuation { continuation in
    // A queue of its own has a thread at once; the shared ones start another about once a second while all are blocked.
    DispatchQueue(label: "org.dragpipe.blocking").async {
      task.run()
      continuation.resume()
    }
  }
  try task.outcome()
  return value.move()
}

/// Work and whether it was done, under a lock: thread sanitizer does not see that a continuation hands anything over.
///
/// The thread holds on to this object a little longer than the work takes; what the work has used is let go of before.
/// What the work gives is not kept here: an object of a generic type has the runtime look that up at every step.
private final class BlockingTask: Sendable {
  private let work: Lock<(@Sendable () throws -> Void)?>
  private let error = Lock<(any Error)?>(nil)

  init(_ work: @escaping @Sendable () throws -> Void) {
    self.work = Lock(work)
  }

  func run() {
    guard let work = work.withLock({ $0.take() }) else { return }
    do {
      try work()
      end(with: nil)
    } catch {
      end(with: error)
    }
  }

  /// What the work has written is seen by whoever has had the lock after this.
  private func end(with error: (any Error)?) {
    self.error.withLock { $0 = error }
  }

  /// Throws what the work has thrown.
  func outcome() throws {
    if let error = error.withLock({ $0.take() }) { throw error }
  }
}

/// Tells work on another thread that the task which waits for it was cancelled.
package final class Interruption: Sendable {
  private let flag = Atomic(false)

  package init() {}

  package func raise() {
    flag.store(true, ordering: .relaxed)
  }

  /// To be asked between steps of the work.
  package var isRaised: Bool { flag.load(ordering: .relaxed) }
}

/// Runs work of any length as `runBlocking` does, and lets it know when the task is cancelled.
package func runInterruptibly<Value: Sendable>(
  _ work: @escaping @Sendable (Interruption) throws -> Value
) async throws -> Value {
  let interruption = Interruption()
  return try await withTaskCancellationHandler {
    try await runBlocking {
      if interruption.isRaised { throw CancellationError() }
      return try work(interruption)
    }
  } onCancel: {
    interruption.raise()
  }
}
