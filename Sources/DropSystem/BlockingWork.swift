// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Glibc
internal import Synchronization

/// Runs blocking work outside the cooperative pool, which has few threads.
///
/// Cancellation does not interrupt the work: keep it short, or use `runInterruptibly`.
package func runBlocking<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
  // The function returns after the work has ended, so the pointer outlives its use.
  nonisolated(unsafe) let value = UnsafeMutablePointer<Value>.allocate(capacity: 1)
  defer { value.deallocate() }
  let task = BlockingTask { value.initialize(to: try work()) }
  await withCheckedContinuation { continuation in
    // A new queue gets a thread at once. A shared queue gets about one more thread a second while all are blocked.
    DispatchQueue(label: "org.dragpipe.blocking").async {
      task.run()
      continuation.resume()
    }
  }
  try task.outcome()
  return value.move()
}

/// Work and its error, each guarded by a lock.
///
/// Without the locks, the thread sanitizer would report races, because it does not see that a continuation
/// synchronizes.
///
/// The thread may retain this object after the work has ended, but releases the work's captures first. The result of
/// the work is not stored here: an object of a generic type costs a metadata lookup at every step.
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

  /// Stores the outcome.
  ///
  /// The lock makes the writes of the work visible to the waiting task.
  private func end(with error: (any Error)?) {
    self.error.withLock { $0 = error }
  }

  /// Throws the error of the work, if there is one.
  func outcome() throws {
    if let error = error.withLock({ $0.take() }) { throw error }
  }
}

/// A flag that reports cancellation to work on another thread.
package final class Interruption: Sendable {
  private let flag = Atomic(false)

  /// Creates a flag that is not raised.
  package init() {}

  /// Raises the flag.
  package func raise() {
    flag.store(true, ordering: .relaxed)
  }

  /// Whether the flag is raised, which means that the task that waits for the work was cancelled.
  ///
  /// The work reads this flag between its steps.
  package var isRaised: Bool { flag.load(ordering: .relaxed) }
}

/// Runs blocking work of any length as `runBlocking` does, and reports the task's cancellation to the work.
///
/// - Throws: The error of the work; `CancellationError` if the task was cancelled before the work started.
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

/// A serial executor that runs an actor's work on a ``DetachedThread``, where the work may block for any time.
package final class BlockingExecutor: SerialExecutor {
  private struct State {
    var jobs: [UnownedJob] = []
    /// Whether a thread runs jobs, or is about to.
    var isRunning = false
  }

  private let state = Lock(State())

  /// Creates an executor without a thread; a thread is taken while there are jobs.
  package init() {}

  /// Runs a job after all earlier jobs.
  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let startsThread = state.withLock { state in
      state.jobs.append(job)
      defer { state.isRunning = true }
      return !state.isRunning
    }
    // The thread retains the executor.
    if startsThread { DetachedThread.start { self.runJobs() } }
  }

  private func runJobs() {
    while true {
      let jobs = state.withLock { state in
        defer { state.jobs = [] }
        state.isRunning = !state.jobs.isEmpty
        return state.jobs
      }
      if jobs.isEmpty { return }
      for job in jobs { job.runSynchronously(on: asUnownedSerialExecutor()) }
    }
  }

  /// Returns a reference that the runtime compares by identity.
  package func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    UnownedSerialExecutor(ordinary: self)
  }
}

/// A task executor whose jobs may block.
///
/// A task that mostly waits for files prefers it, because a change to another thread for each file would take longer
/// than the file.
package final class BlockingTaskExecutor: TaskExecutor {
  private static let mark = DispatchSpecificKey<Bool>()

  private let queue: DispatchQueue

  /// Creates an executor with a serial queue.
  package init(label: String) {
    queue = DispatchQueue(label: label)
    queue.setSpecific(key: Self.mark, value: true)
  }

  /// Whether the calling code runs on such an executor, and may therefore block.
  package static var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) == true }

  /// Runs a job on the queue.
  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

/// A signal that wakes a thread that waits for a descriptor, for example when a task is cancelled.
///
/// A raised interrupt cannot be reset.
package final class Interrupt: Sendable {
  private let event: OwnedDescriptor
  private let isRaised = Atomic(false)

  /// Creates an interrupt that is not raised.
  package init() throws(SystemError) {
    event = OwnedDescriptor(try SystemCalls.eventDescriptor())
  }

  /// A descriptor that becomes readable when the interrupt is raised, for `poll`.
  package var descriptor: CInt { event.raw }

  /// Whether the interrupt is raised.
  package var hasBeenRaised: Bool { isRaised.load(ordering: .acquiring) }

  /// Waits until the interrupt is raised, up to a timeout.
  ///
  /// Blocks. A signal may end the wait early.
  ///
  /// - Returns: Whether the interrupt is raised.
  package func isRaised(within milliseconds: CInt) -> Bool {
    var descriptors = [pollfd(fd: event.raw, events: Int16(POLLIN), revents: 0)]
    let ready = try? SystemCalls.poll(&descriptors, milliseconds)
    return ready ?? 0 > 0
  }

  /// Raises the interrupt.
  package func raise() {
    guard !isRaised.exchange(true, ordering: .acquiringAndReleasing) else { return }
    var one: UInt64 = 1
    // The first write to an eventfd that was never read always succeeds.
    withUnsafeBytes(of: &one) { _ = try? SystemCalls.write(event.raw, $0) }
  }
}
