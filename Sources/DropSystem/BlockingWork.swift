// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Glibc
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

/// Runs an actor's work on a thread of its own, where it may block, away from the cooperative pool.
package final class BlockingExecutor: SerialExecutor {
  private let queue: DispatchQueue

  package init(label: String) {
    queue = DispatchQueue(label: label)
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // The block keeps the executor alive while it runs.
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  package func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    UnownedSerialExecutor(ordinary: self)
  }
}

/// Wakes a thread that waits for a descriptor, once and for good: how a task's cancellation reaches a blocked read.
package final class Interrupt: Sendable {
  private let event: OwnedDescriptor
  private let isRaised = Atomic(false)

  package init() throws(SystemError) {
    event = OwnedDescriptor(try SystemCalls.eventDescriptor())
  }

  /// Becomes readable when the interrupt is raised; to be polled beside the descriptor waited for.
  package var descriptor: CInt { event.raw }

  package var hasBeenRaised: Bool { isRaised.load(ordering: .acquiring) }

  /// Waits for it, no longer than that; blocks.
  package func isRaised(within milliseconds: CInt) -> Bool {
    var descriptors = [pollfd(fd: event.raw, events: Int16(POLLIN), revents: 0)]
    let ready = try? SystemCalls.poll(&descriptors, milliseconds)
    return ready ?? 0 > 0
  }

  package func raise() {
    guard !isRaised.exchange(true, ordering: .acquiringAndReleasing) else { return }
    var one: UInt64 = 1
    // An eventfd that was never read takes its first write.
    withUnsafeBytes(of: &one) { _ = try? SystemCalls.write(event.raw, $0) }
  }
}
