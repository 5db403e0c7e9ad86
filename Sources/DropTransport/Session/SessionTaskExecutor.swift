// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import Synchronization

/// Goes on with the tasks of a session where that costs least.
///
/// A task that waits for the other side is woken by the thread that reads. To wake another thread for it takes longer
/// than all else that a short answer needs, the more so where the processor sleeps that it is woken on. So this thread
/// gathers what a message has woken, and may go on with it itself. Whatever else there is to do is done by the system's
/// threads.
final class SessionTaskExecutor: TaskExecutor {
  /// What a message has woken; hardly ever more than one.
  struct Woken {
    var first: UnownedJob?
    var others: [UnownedJob] = []

    fileprivate mutating func append(_ job: UnownedJob) {
      if first == nil { first = job } else { others.append(job) }
    }
  }

  private struct State {
    /// The thread that takes a message in.
    var gatherer: pthread_t?
    var woken = Woken()
  }

  private let state = Lock(State())

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let thread = pthread_self()
    let isGathered = state.withLock { state in
      guard state.gatherer == thread else { return false }
      state.woken.append(job)
      return true
    }
    if !isGathered { runElsewhere(job) }
  }

  /// Takes a message in.
  ///
  /// - Returns: What it has woken, for the caller to run; after an error, that runs elsewhere already.
  func gather(_ takeIn: () throws(DropStreamError) -> Void) throws(DropStreamError) -> Woken {
    let thread = pthread_self()
    state.withLock { $0.gatherer = thread }
    do throws(DropStreamError) { try takeIn() } catch {
      let woken = endGathering()
      for job in [woken.first].compactMap(\.self) + woken.others { runElsewhere(job) }
      throw error
    }
    return endGathering()
  }

  private func endGathering() -> Woken {
    state.withLock { state in
      state.gatherer = nil
      defer { state.woken = Woken() }
      return state.woken
    }
  }

  func runHere(_ job: UnownedJob) {
    job.runSynchronously(on: asUnownedTaskExecutor())
  }

  /// As if there were no executor but the system's, whose threads take over what the task prefers.
  func runElsewhere(_ job: UnownedJob) {
    globalConcurrentExecutor.enqueue(job)
  }
}
