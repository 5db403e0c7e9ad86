// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import Synchronization

/// A thread that ticks for all sessions of the process: every millisecond, while at least one session is watched.
final class SessionWatchdog: Sendable {
  static let shared = SessionWatchdog()

  private static let microsecondsPerTick: UInt32 = 1000

  private struct State {
    var ticks: [@Sendable () -> Bool] = []
    var isRunning = false
  }

  private let state = Lock(State())

  /// Calls `tick` in about a millisecond, and again every millisecond until it returns `false`.
  ///
  /// - Parameter tick: Must return at once: all sessions share the thread.
  func add(_ tick: @escaping @Sendable () -> Bool) {
    let mustStart = state.withLock { state in
      state.ticks.append(tick)
      defer { state.isRunning = true }
      return !state.isRunning
    }
    if mustStart { DetachedThread.start { self.run() } }
  }

  private func run() {
    while true {
      usleep(Self.microsecondsPerTick)
      let ticks = state.withLock { state in
        defer { state.ticks = [] }
        return state.ticks
      }
      // Closures that are dropped are released here, outside the lock.
      let kept = ticks.filter { $0() }
      let goesOn = state.withLock { state in
        state.ticks = kept + state.ticks
        state.isRunning = !state.ticks.isEmpty
        return state.isRunning
      }
      if !goesOn { return }
    }
  }
}
