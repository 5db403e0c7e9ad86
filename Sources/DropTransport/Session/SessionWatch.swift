// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import Synchronization

/// One thread that looks after the threads of all sessions, once a moment, as long as there is something to look at.
final class SessionWatch: Sendable {
  static let shared = SessionWatch()

  /// In microseconds.
  private static let moment: UInt32 = 1000

  /// Looks, and says whether to look again.
  typealias Look = @Sendable () -> Bool

  private struct State {
    var looks: [Look] = []
    var isRunning = false
  }

  private let state = Lock(State())

  /// Has `look` called, for the first time in a moment or less, until it returns `false`; it must not take long.
  func add(_ look: @escaping Look) {
    let mustStart = state.withLock { state in
      state.looks.append(look)
      defer { state.isRunning = true }
      return !state.isRunning
    }
    if mustStart { DetachedThread.start { self.run() } }
  }

  private func run() {
    while true {
      usleep(Self.moment)
      let looks = state.withLock { state in
        defer { state.looks = [] }
        return state.looks
      }
      // What is no longer looked at is let go of here, outside the lock.
      let kept = looks.filter { $0() }
      let goesOn = state.withLock { state in
        state.looks = kept + state.looks
        state.isRunning = !state.looks.isEmpty
        return state.isRunning
      }
      if !goesOn { return }
    }
  }
}
