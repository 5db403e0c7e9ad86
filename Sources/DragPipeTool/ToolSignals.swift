// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Turns the signals that ask a process to end into the cancellation of its task.
///
/// The first one cancels in order; a second ends the process at once. Afterwards the process dies of the signal it got,
/// so that a shell sees what happened.
public final class ToolSignals: Sendable {
  private struct State {
    var received: CInt?
    var cancel: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())
  /// Written once, in the initializer, and kept only so that the sources live.
  nonisolated(unsafe) private var sources: [any DispatchSourceSignal] = []

  /// Starts to listen.
  ///
  /// A write to a pipe that nobody reads becomes an error, not a death.
  public init() {
    signal(SIGPIPE, SIG_IGN)
    sources = [SIGINT, SIGTERM, SIGHUP].compactMap { number -> (any DispatchSourceSignal)? in
      // A process started with the signal ignored (nohup) means to go on.
      let before = signal(number, SIG_IGN)
      guard unsafeBitCast(before, to: Int.self) != unsafeBitCast(SIG_IGN, to: Int.self) else { return nil }
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { [weak self] in self?.receive(number) }
      source.resume()
      return source
    }
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
    if let received = state.withLock({ $0.received }) { Self.die(of: received) }
  }

  private func receive(_ number: CInt) {
    let (isFirst, cancel) = state.withLock { state in
      defer { state.received = state.received ?? number }
      return (state.received == nil, state.cancel)
    }
    if isFirst { cancel?() } else { Self.die(of: number) }
  }

  private static func die(of number: CInt) {
    signal(number, SIG_DFL)
    // Worker threads have it blocked; sent to the process it would reach another thread, some time later.
    var unblocked = sigset_t()
    sigemptyset(&unblocked)
    sigaddset(&unblocked, number)
    pthread_sigmask(SIG_UNBLOCK, &unblocked, nil)
    raise(number)
  }
}
