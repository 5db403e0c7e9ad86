// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import CDropShims
internal import Dispatch
internal import Glibc
internal import Synchronization

/// Runs blocking work outside the cooperative pool, which has few threads.
///
/// The work runs in the calling task: long work checks `Task.isCancelled` between its steps. On a ``BlockingExecutor``
/// there is no change of threads.
package nonisolated(nonsending) func runBlocking<Value: Sendable, Failure>(
  _ work: @Sendable () throws(Failure) -> Value
) async throws(Failure) -> Value {
  if BlockingExecutor.isCurrent { return try work() }
  return try await withTaskExecutorPreference(BlockingExecutor.shared) { () async throws(Failure) -> Value in
    try work()
  }
}

/// The threads of this process that may block: on files, descriptors and the program's loaders.
///
/// A task that mostly waits for files prefers this executor, because a change to another thread for each file would take
/// longer than the file. The number of threads has no limit, since each may wait for a peer; without memory for a new
/// thread, a dispatch queue runs the work. An idle thread waits three seconds for more work, then ends: an idle thread
/// starts work faster than a new thread.
package final class BlockingExecutor: TaskExecutor {
  /// The executor.
  package static let shared = BlockingExecutor()

  private static let idleTime = DispatchTimeInterval.seconds(3)

  private enum Work: Sendable {
    case job(UnownedJob)
    /// Work without a task, which may take as long as a session.
    case body(@Sendable () -> Void)
  }

  private struct State {
    /// The work for idle threads.
    ///
    /// ``wakeUp`` is signalled once for each element.
    var works: [Work] = []
    var idleCount = 0
  }

  private let state = Lock(State())
  private let wakeUp = DispatchSemaphore(value: 0)

  /// Whether the calling code runs on this executor, and may therefore block.
  ///
  /// An actor may continue on a thread of the executor in a task that does not prefer it, and must not block there.
  package static var isCurrent: Bool {
    dragpipe_thread_may_block()
      && withUnsafeCurrentTask { $0?.unownedTaskExecutor } == shared.asUnownedTaskExecutor()
  }

  /// Runs a job on a thread that may block.
  package func enqueue(_ job: consuming ExecutorJob) {
    start(.job(UnownedJob(job)))
  }

  /// Runs `body` on a thread of its own, which it may block for any time.
  package static func startThread(_ body: @escaping @Sendable () -> Void) {
    shared.start(.body(body))
  }

  private func start(_ work: Work) {
    let isTaken = state.withLock { state in
      guard state.idleCount > state.works.count else { return false }
      state.works.append(work)
      return true
    }
    if isTaken { wakeUp.signal() } else { startThread(work) }
  }

  /// The first work of a new thread.
  private final class Start: Sendable {
    let work: Work
    let executor: BlockingExecutor

    init(_ work: Work, _ executor: BlockingExecutor) {
      self.work = work
      self.executor = executor
    }
  }

  private func startThread(_ work: Work) {
    let start = Unmanaged.passRetained(Start(work, self))
    var thread = pthread_t()
    let code = pthread_create(
      &thread, nil,
      { start in
        guard let start else { return nil }
        let executor = BlockingExecutor.runFirstWork(of: start)
        while let work = executor.nextWork() { executor.run(work) }
        return nil
      }, start.toOpaque())
    guard code == 0 else {
      start.release()
      return DispatchQueue(label: "org.dragpipe.thread").async { self.run(work) }
    }
    pthread_detach(thread)
  }

  /// Runs the first work of a thread, and releases it before the thread waits for more.
  private static func runFirstWork(of start: UnsafeMutableRawPointer) -> BlockingExecutor {
    let start = Unmanaged<Start>.fromOpaque(start).takeRetainedValue()
    dragpipe_set_thread_may_block(true)
    start.executor.run(start.work)
    return start.executor
  }

  private func run(_ work: Work) {
    switch work {
    case .job(let job): job.runSynchronously(on: asUnownedTaskExecutor())
    case .body(let body): body()
    }
  }

  private func nextWork() -> Work? {
    state.withLock { $0.idleCount += 1 }
    while true {
      let hasTime = wakeUp.wait(timeout: .now() + Self.idleTime) == .success
      // Another thread may have taken the work of this signal when its own idle time ended.
      let (work, isStolen) = state.withLock { state -> (Work?, Bool) in
        if state.works.isEmpty, hasTime { return (nil, true) }
        state.idleCount -= 1
        return (state.works.isEmpty ? nil : state.works.removeFirst(), false)
      }
      if !isStolen { return work }
    }
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

  /// Runs `body`, and raises the interrupt if the task is cancelled.
  package nonisolated(nonsending) func raisedOnCancellation<Value: Sendable, Failure>(
    _ body: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    // `withTaskCancellationHandler` would erase the type of the error, so the closure returns a `Result`.
    let result: Result<Value, Failure> = await withTaskCancellationHandler {
      do throws(Failure) { return .success(try await body()) } catch { return .failure(error) }
    } onCancel: {
      raise()
    }
    return try result.get()
  }
}
