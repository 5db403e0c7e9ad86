// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Synchronization

/// The thread of a session that reads the peer's messages, and its replacement.
///
/// The reading thread also starts loaders and resumes tasks, because waking another thread takes longer than most of
/// that work. ``SessionReaderState`` decides whether the thread may run such work. If the work takes longer than one to
/// two milliseconds, ``SessionWatchdog`` makes another thread read. So a slow loader, cancellation handler or task does
/// not delay the session: see <doc:SessionThreads>.
final class SessionReader: Sendable {
  /// The longest duration of a task that is worth running on the reading thread.
  ///
  /// After a longer task, the next tasks run on other threads.
  private static let shortWork = Duration.microseconds(100)

  private let state = Lock(SessionReaderState())
  private let end = Latch()
  /// The executor that the session's tasks prefer.
  let executor = SessionTaskExecutor()

  /// Starts a thread that reads until the session ends or is interrupted.
  func start(_ input: consuming SessionInput, for session: DropSession) {
    startThread(0, Input(input), session)
  }

  /// Waits until no thread reads any more and the descriptor is closed.
  func waitForEnd() async {
    await end.wait()
  }

  private func startThread(_ index: Int, _ input: Input, _ session: DropSession) {
    DetachedThread.start { [self] in
      read(input, for: session, as: index)
      guard state.withLock({ $0.endThread() }) else { return }
      input.close()
      end.open()
    }
  }

  /// Reads to the end, or until another thread has replaced this thread.
  private func read(_ input: Input, for session: DropSession, as index: Int) {
    var lastTick = ContinuousClock.now
    do throws(DropStreamError) {
      while true {
        let limit = session.tickInterval
        var now = input.signs.byte
        switch try input.next(atMost: limit) {
        case .message(let message):
          guard try handle(message, input, session, as: index) else { return }
        case .nothing: now = .now
        case .end: return state.withLock { $0.endReading() }
        }
        guard now - lastTick >= limit else { continue }
        lastTick = now
        session.passTime(to: now, signs: input.signs)
      }
    } catch {
      session.fail(error, lastWords: error.isOfPeer ? SenderFailure(kind: .failed, reason: error.description) : nil)
      state.withLock { $0.endReading() }
    }
  }

  /// Handles a message.
  ///
  /// - Returns: Whether this thread still reads.
  private func handle(
    _ message: SessionMessage, _ input: Input, _ session: DropSession, as index: Int
  ) throws(DropStreamError) -> Bool {
    if case .request(let number, let request) = message {
      // The request is registered before another thread can read its cancellation.
      guard let serving = try session.serving(of: number, request) else { return true }
      return run(serving, input, session, as: index) { $0.start(in: $1) }
    }
    if message.isAnswer {
      let resumed = try executor.gather { () throws(DropStreamError) in
        _ = try session.take(message, input.takeDescriptor)
      }
      return resume(resumed, input, session, as: index)
    }
    let cancelled = try session.take(message, input.takeDescriptor)
    // Jobs are not gathered here: tasks that the cancellation handlers resume run on the system's threads.
    return cancelled.isEmpty
      || run(cancelled, input, session, as: index) { cancelled, _ in
        for serving in cancelled { serving.cancel() }
      }
  }

  // MARK: Program code on the reading thread

  /// Runs the first job on this thread if no further input can be read at once, and the other jobs elsewhere.
  ///
  /// - Returns: Whether this thread still reads.
  private func resume(
    _ resumed: SessionTaskExecutor.ResumedJobs, _ input: Input, _ session: DropSession, as index: Int
  ) -> Bool {
    guard let first = resumed.first else { return true }
    for job in resumed.others { executor.runElsewhere(job) }
    guard !input.mayHaveMore, input.mayRunTask(), enterProgramCode(input, session) else {
      executor.runElsewhere(first)
      return true
    }
    let start = ContinuousClock.now
    executor.runHere(first)
    let isLong = ContinuousClock.now - start > Self.shortWork
    guard leaveProgramCode(as: index) else { return false }
    if isLong { input.skipTasks() }
    return true
  }

  /// Runs program code on this thread, or on another thread if no thread could replace this thread.
  ///
  /// `work` takes its subject as an argument: a captured subject would need an allocation for each call.
  ///
  /// - Returns: Whether this thread still reads.
  private func run<Subject: Sendable>(
    _ subject: Subject, _ input: Input, _ session: DropSession, as index: Int,
    _ work: @escaping @Sendable (Subject, DropSession) -> Void
  ) -> Bool {
    guard enterProgramCode(input, session) else {
      DetachedThread.start { work(subject, session) }
      return true
    }
    work(subject, session)
    return leaveProgramCode(as: index)
  }

  private func enterProgramCode(_ input: Input, _ session: DropSession) -> Bool {
    switch state.withLock({ $0.enterProgramCode() }) {
    case .denied: return false
    case .allowed(let startsWatchdog):
      if startsWatchdog { SessionWatchdog.shared.add { [self] in tick(input, session) } }
      return true
    }
  }

  private func leaveProgramCode(as index: Int) -> Bool {
    state.withLock { $0.leaveProgramCode(thread: index) }
  }

  /// Called by the watchdog.
  ///
  /// - Returns: Whether to call again.
  private func tick(_ input: Input, _ session: DropSession) -> Bool {
    switch state.withLock({ $0.tick() }) {
    case .stop: return false
    case .tickAgain: return true
    case .replace(let index):
      // The replaced thread no longer touches the input, and the new thread has not started.
      input.skipTasks()
      startThread(index, input, session)
      return true
    }
  }

  /// The session's input; only the thread that reads touches it.
  private final class Input: @unchecked Sendable {
    private var value: SessionInput?
    /// The number of further tasks that the reading thread leaves to other threads.
    private var skippedTasks = 0

    init(_ value: consuming SessionInput) {
      self.value = consume value
    }

    func next(atMost limit: Duration) throws(DropStreamError) -> SessionInput.Event {
      try value?.next(atMost: limit) ?? .end
    }

    var mayHaveMore: Bool { value?.mayHaveMore ?? false }

    var signs: SessionSigns { value?.signs ?? SessionSigns() }

    func mayRunTask() -> Bool {
      if skippedTasks > 0 { skippedTasks -= 1 } else { return true }
      return false
    }

    /// Leaves the next tasks to other threads, after a task that took long.
    func skipTasks() {
      skippedTasks = 32
    }

    func takeDescriptor() throws(DropStreamError) -> SharedDescriptor? {
      try value?.takeDescriptor()
    }

    func close() {
      value = nil
    }
  }
}

extension DropStreamError {
  /// Whether the peer has violated the protocol or a limit.
  ///
  /// The session then reports the error to the peer.
  fileprivate var isOfPeer: Bool {
    switch code {
    case .damaged, .unsupported, .limitExceeded, .notADropStream, .unsafeName: true
    default: false
    }
  }
}
