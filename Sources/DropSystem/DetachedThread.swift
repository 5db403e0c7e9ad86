// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Glibc
internal import Synchronization

/// A thread for what waits, as long as a session lasts or for its peer: the queues of the system have some hundred
/// threads for all, and there may be more sessions than that.
///
/// One that has nothing more to do waits a while for other work, which it begins sooner than a new one would.
package enum DetachedThread {
  private final class Work: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
      self.body = body
    }
  }

  private static let patience = DispatchTimeInterval.seconds(3)

  private struct State {
    /// For threads that wait for work; each has been signalled.
    var works: [Work] = []
    var idleCount = 0
  }

  private static let state = Lock(State())
  private static let wakeUp = DispatchSemaphore(value: 0)

  /// Runs `body` on a thread of its own, or where there is none to be had on one of the system's.
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
        DetachedThread.goOn()
        return nil
      }, reference.toOpaque())
    guard code == 0 else {
      reference.release()
      return DispatchQueue(label: "org.dragpipe.thread").async(execute: work.body)
    }
    pthread_detach(thread)
  }

  /// Does whatever else there is, and waits for it; lets go of each when it is done.
  private static func goOn() {
    while let work = nextWork() { work.body() }
  }

  private static func nextWork() -> Work? {
    state.withLock { $0.idleCount += 1 }
    while true {
      let hasTime = wakeUp.wait(timeout: .now() + patience) == .success
      // A signal may be that of work which another thread has found when its time was over.
      let (work, mustGoOn) = state.withLock { state -> (Work?, Bool) in
        if state.works.isEmpty, hasTime { return (nil, true) }
        state.idleCount -= 1
        return (state.works.isEmpty ? nil : state.works.removeFirst(), false)
      }
      if !mustGoOn { return work }
    }
  }
}
