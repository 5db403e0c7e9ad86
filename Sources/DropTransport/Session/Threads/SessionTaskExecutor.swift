// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import Synchronization

/// The task executor of a session: lets the reading thread run the task that a response resumes.
///
/// Waking another thread takes longer than all other work of a short response, and takes longest if its processor
/// sleeps. So the reading thread gathers the jobs that a message resumes, and may run the first job itself. All other
/// jobs run on the system's threads.
final class SessionTaskExecutor: TaskExecutor {
  /// The jobs that a message has resumed, hardly ever more than one job.
  struct ResumedJobs {
    private(set) var first: UnownedJob?
    private(set) var others: [UnownedJob] = []

    fileprivate mutating func append(_ job: UnownedJob) {
      if first == nil { first = job } else { others.append(job) }
    }
  }

  private struct State {
    /// The thread whose jobs are gathered now, if any.
    var gatherer: pthread_t?
    var resumed = ResumedJobs()
  }

  private let state = Lock(State())

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let thread = pthread_self()
    let isGathered = state.withLock { state in
      guard state.gatherer == thread else { return false }
      state.resumed.append(job)
      return true
    }
    if !isGathered { runElsewhere(job) }
  }

  /// Handles a message and gathers the jobs that this thread enqueues meanwhile.
  ///
  /// - Returns: The jobs, for the caller to run.
  /// - Throws: The error of `handle`; the jobs then run elsewhere.
  func gather(_ handle: () throws(DropStreamError) -> Void) throws(DropStreamError) -> ResumedJobs {
    let thread = pthread_self()
    state.withLock { $0.gatherer = thread }
    do throws(DropStreamError) { try handle() } catch {
      let resumed = endGathering()
      for job in [resumed.first].compactMap(\.self) + resumed.others { runElsewhere(job) }
      throw error
    }
    return endGathering()
  }

  private func endGathering() -> ResumedJobs {
    state.withLock { state in
      state.gatherer = nil
      defer { state.resumed = ResumedJobs() }
      return state.resumed
    }
  }

  /// Runs a job on this thread.
  func runHere(_ job: UnownedJob) {
    job.runSynchronously(on: asUnownedTaskExecutor())
  }

  /// Runs a job on the system's threads, as if the task preferred no executor.
  func runElsewhere(_ job: UnownedJob) {
    globalConcurrentExecutor.enqueue(job)
  }
}
