// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Glibc
internal import Synchronization

/// A pool of threads for work that blocks for a long time, such as a session's wait for its peer.
///
/// All dispatch queues share a few hundred threads, and a process may have more sessions. An idle thread waits three
/// seconds for more work, then ends: an idle thread starts work faster than a new thread.
package enum DetachedThread {
  private final class Work: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
      self.body = body
    }
  }

  private static let idleTime = DispatchTimeInterval.seconds(3)

  private struct State {
    /// The work for idle threads.
    ///
    /// ``wakeUp`` is signalled once for each element.
    var works: [Work] = []
    var idleCount = 0
  }

  private static let state = Lock(State())
  private static let wakeUp = DispatchSemaphore(value: 0)

  /// Runs `body` on an idle or a new thread, or on a dispatch queue if no thread can be created.
  package static func start(_ body: @escaping @Sendable () -> Void) {
    let work = Work(body)
    let isTaken = state.withLock { state in
      guard state.idleCount > state.works.count else { return false }
      state.works.append(work)
      return true
    }
    if isTaken { wakeUp.signal() } else { startNew(work) }
  }

  private static func startNew(_ work: Work) {
    let reference = Unmanaged.passRetained(work)
    var thread = pthread_t()
    let code = pthread_create(
      &thread, nil,
      { reference in
        guard let reference else { return nil }
        Unmanaged<Work>.fromOpaque(reference).takeRetainedValue().body()
        DetachedThread.runFurtherWork()
        return nil
      }, reference.toOpaque())
    guard code == 0 else {
      reference.release()
      return DispatchQueue(label: "org.dragpipe.thread").async(execute: work.body)
    }
    pthread_detach(thread)
  }

  /// Runs the work that arrives while this thread is idle.
  ///
  /// Each body is released when it has returned.
  private static func runFurtherWork() {
    while let work = nextWork() { work.body() }
  }

  private static func nextWork() -> Work? {
    state.withLock { $0.idleCount += 1 }
    while true {
      let hasTime = wakeUp.wait(timeout: .now() + idleTime) == .success
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
