// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import ItemCoding
internal import Synchronization

/// Runs work that blocks on a disk outside the cooperative pool, whose few threads everybody shares.
///
/// The work is not interrupted by cancellation: keep it short, or use `runInterruptibly`.
package func runBlocking<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
  let task = BlockingTask(work)
  await withCheckedContinuation { continuation in
    // A queue of its own has a thread at once; the shared ones start another about once a second while all are blocked.
    DispatchQueue(label: "org.dragpipe.blocking").async {
      task.run()
      continuation.resume()
    }
  }
  guard let outcome = task.takeOutcome() else { throw CancellationError() }
  return try outcome.get()
}

/// Work and what came of it, under a lock: thread sanitizer does not see that a continuation hands anything over.
///
/// The thread holds on to this object a little longer than the work takes; what the work has used is let go of before.
private final class BlockingTask<Value: Sendable>: Sendable {
  private let work: Lock<(@Sendable () throws -> Value)?>
  private let outcome = Lock<Result<Value, any Error>?>(nil)

  init(_ work: @escaping @Sendable () throws -> Value) {
    self.work = Lock(work)
  }

  func run() {
    guard let work = work.withLock({ $0.take() }) else { return }
    let result = Result(catching: work)
    outcome.withLock { $0 = result }
  }

  func takeOutcome() -> Result<Value, any Error>? {
    outcome.withLock { $0.take() }
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
