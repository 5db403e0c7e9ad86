// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import Synchronization

/// Turns the signals that ask a process to end into the cancellation of its task.
///
/// The first one cancels in order; a second ends the process at once, unless it follows so closely that it is for the
/// same reason. Afterwards the process dies of the signal it got, so that a shell sees what happened.
public final class ToolSignals: Sendable {
  private struct State {
    var received: (number: CInt, time: ContinuousClock.Instant)?
    var cancel: (@Sendable () -> Void)?
  }

  /// Whoever passes a signal on may send it twice: `timeout` to its command, and then to the group that it is in.
  private static let echoTime = Duration.milliseconds(200)

  private let state = Lock(State())
  private let awaited: sigset_t

  /// Has signals wait until somebody listens; to be called before the process has a second thread.
  ///
  /// A write to a pipe that nobody reads becomes an error, not a death.
  public init() {
    signal(SIGPIPE, SIG_IGN)
    var awaited = sigset_t()
    sigemptyset(&awaited)
    // A process started with the signal ignored (nohup) means to go on. SIGQUIT would not end one that runs where
    // Swift's backtraces are installed, but print one.
    for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] where !Self.isIgnored(number) { sigaddset(&awaited, number) }
    // Blocked in every thread to come, a signal waits until it is taken: none is lost however early it comes.
    pthread_sigmask(SIG_BLOCK, &awaited, nil)
    self.awaited = awaited
  }

  /// Takes the signals as they come, those that waited first, for the rest of the process's life.
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

  /// Says what the first signal cancels.
  public func cancel<Success: Sendable>(_ task: Task<Success, Never>) {
    let isLate = state.withLock { state in
      state.cancel = { task.cancel() }
      return state.received != nil
    }
    if isLate { task.cancel() }
  }

  /// Ends the process by the signal it got, if it got one.
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
    // Blocked everywhere else: sent to the process, it would wait there.
    var unblocked = sigset_t()
    sigemptyset(&unblocked)
    sigaddset(&unblocked, number)
    pthread_sigmask(SIG_UNBLOCK, &unblocked, nil)
    raise(number)
  }
}
