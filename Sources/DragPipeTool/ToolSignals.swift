// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import Synchronization

/// A receiver of the signals that ask the process to end.
///
/// The signals cancel its task.
///
/// The first signal cancels the task cleanly. A second signal ends the process at once; signals within 200 ms are
/// treated as one signal. At the end, the process sends the first signal to itself, so that a shell sees the reason.
public final class ToolSignals: Sendable {
  private struct State {
    var received: (number: CInt, time: ContinuousClock.Instant)?
    var cancel: (@Sendable () -> Void)?
  }

  /// The time after the first signal in which further signals are ignored.
  ///
  /// `timeout` sends each signal twice: to its command, and to the process group of that command.
  private static let echoTime = Duration.milliseconds(200)

  private let state = Lock(State())
  private let awaited: sigset_t

  /// Blocks the signals until ``listen()`` receives them.
  ///
  /// Call this before the process has a second thread.
  ///
  /// SIGPIPE is ignored, so writing to a closed pipe fails with an error instead of ending the process.
  public init() {
    signal(SIGPIPE, SIG_IGN)
    var awaited = sigset_t()
    sigemptyset(&awaited)
    // A signal that was ignored when the process started, as with nohup, stays ignored. SIGQUIT is included because
    // Swift's backtrace handler would otherwise print a backtrace instead of ending the process.
    for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] where !Self.isIgnored(number) { sigaddset(&awaited, number) }
    // Later threads inherit the mask, so a signal stays pending until `listen()` receives it.
    pthread_sigmask(SIG_BLOCK, &awaited, nil)
    self.awaited = awaited
  }

  /// Receives pending and later signals until the process ends.
  public func listen() -> Never {
    var awaited = awaited
    while true {
      var number: CInt = 0
      if sigwait(&awaited, &number) == 0 { receive(number) }
    }
  }

  private static func isIgnored(_ number: CInt) -> Bool {
    var action = sigaction()
    sigaction(number, nil, &action)
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  /// Sets the task that the first signal cancels.
  ///
  /// If a signal has already arrived, cancels the task at once.
  public func cancel<Success: Sendable>(_ task: Task<Success, Never>) {
    let isLate = state.withLock { state in
      state.cancel = { task.cancel() }
      return state.received != nil
    }
    if isLate { task.cancel() }
  }

  /// If a signal has been received, ends the process with that signal.
  public func endAsSignalled() {
    if let received = state.withLock({ $0.received }) { Self.die(of: received.number) }
  }

  private func receive(_ number: CInt) {
    let now = ContinuousClock.now
    let (first, cancel) = state.withLock { state in
      defer { state.received = state.received ?? (number, now) }
      return (state.received, state.cancel)
    }
    guard let first else {
      cancel?()
      return
    }
    if now - first.time > Self.echoTime { Self.die(of: number) }
  }

  private static func die(of number: CInt) {
    signal(number, SIG_DFL)
    // Other threads block the signal, so `raise` delivers it to this thread.
    var unblocked = sigset_t()
    sigemptyset(&unblocked)
    sigaddset(&unblocked, number)
    pthread_sigmask(SIG_UNBLOCK, &unblocked, nil)
    raise(number)
  }
}
