// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import ItemCoding
internal import Synchronization

/// The threads of a session that wait for what the other side says: one reads, the other sees to it that it can.
///
/// Whoever reads a request starts its loader there and then, and goes on with the task that an answer wakes, which saves
/// the change to another thread that would take longer than most of these do. What keeps the thread for more than a
/// moment is left alone with it: the other thread takes over the reading, and as long as the first is away, gives the
/// next ones threads of their own. So nothing waits for a slow representation, or for whoever uses it. The other thread
/// is there only while something happens.
final class SessionReader: Sendable {
  /// How long a loader or a task may keep the thread that reads.
  private static let moment = DispatchTimeInterval.milliseconds(1)
  /// What takes longer is as well done by another thread: then so are the next tasks.
  private static let shortWork = Duration.microseconds(100)
  /// After how many moments in which nothing was run nobody looks any more.
  private static let vigilance = 50

  /// What the thread does that does not read.
  private enum Other {
    case none, watching
    /// It has read before, and is in a loader or a task still.
    case running
  }

  private struct State {
    /// The thread that reads; they are numbered as they start.
    var reader = 0
    var lastThread = 0
    var threadCount = 1
    var other = Other.none
    /// Whether the thread that reads is in a loader or a task, and how many there were.
    var isRunning = false
    var runCount: UInt64 = 0
    var hasEnded = false
  }

  private let state = Lock(State())
  private let wakeUp = DispatchSemaphore(value: 0)
  private let end = Latch()
  /// Where the session's tasks go on.
  let executor = SessionTaskExecutor()

  /// Reads until the session ends, by itself or by an interrupt.
  func start(_ input: consuming SessionInput, for session: DropSession) {
    startThread(0, Cell(input), session)
  }

  private func startThread(_ index: Int, _ input: Cell, _ session: DropSession) {
    DetachedThread.start { [self] in
      while index == state.withLock({ $0.reader }) ? read(input, for: session, as: index) : watch(input, as: index) {}
      let isLast = state.withLock { state in
        state.threadCount -= 1
        return state.threadCount == 0
      }
      guard isLast else { return }
      input.value = nil
      end.open()
    }
  }

  /// Waits until nothing is read any more, and the descriptor is closed.
  func waitForEnd() async {
    await end.wait()
  }

  /// - Returns: Whether there is more to read, for the other thread.
  private func read(_ input: Cell, for session: DropSession, as index: Int) -> Bool {
    var lastLook = ContinuousClock.now
    do throws(DropStreamError) {
      while true {
        let limit = session.tickInterval
        switch try input.next(atMost: limit) {
        case .message(let message):
          guard case .request(let number, let request) = message else {
            // Other messages may call what the program does at a cancellation, which must find all threads as usual.
            guard message.isAnswer else {
              try session.take(message) { input.takeDescriptor() }
              break
            }
            let woken = try executor.gather { () throws(DropStreamError) in
              try session.take(message) { input.takeDescriptor() }
            }
            if !goOn(with: woken, input, session, as: index) { return true }
            break
          }
          // Taken in before the other thread may read on: its cancellation must find it.
          guard let serving = try session.serving(of: number, request) else { break }
          guard beginRunning(input, session) else {
            DetachedThread.start { serving.start(in: session) }
            break
          }
          serving.start(in: session)
          if !endRunning(as: index) { return true }
        case .nothing: break
        case .end:
          stop()
          return false
        }
        if limit != nil, ContinuousClock.now - lastLook >= DropSession.tick {
          lastLook = .now
          session.passTime(since: input.lastByte)
        }
      }
    } catch {
      session.fail(error, lastWords: error.isOfPeer ? SenderFailure(kind: .failed, reason: error.description) : nil)
      stop()
      return false
    }
  }

  /// Goes on with what a message has woken: with one task here, if nothing more is to be read at once.
  ///
  /// - Returns: Whether this thread still reads.
  private func goOn(
    with woken: SessionTaskExecutor.Woken, _ input: Cell, _ session: DropSession, as index: Int
  ) -> Bool {
    guard let first = woken.first else { return true }
    for job in woken.others { executor.runElsewhere(job) }
    guard !input.mayHaveMore, input.mayRunTask(), beginRunning(input, session) else {
      executor.runElsewhere(first)
      return true
    }
    let start = ContinuousClock.now
    executor.runHere(first)
    let isLong = ContinuousClock.now - start > Self.shortWork
    guard endRunning(as: index) else { return false }
    if isLong { input.leaveTasksAlone() }
    return true
  }

  private func stop() {
    state.withLock { $0.hasEnded = true }
    wakeUp.signal()
  }

  // MARK: Taking over

  /// - Returns: Whether a loader or a task may run here, because somebody would take over the reading.
  private func beginRunning(_ input: Cell, _ session: DropSession) -> Bool {
    let (mayServe, newThread) = state.withLock { state -> (Bool, Int?) in
      if state.other == .running { return (false, nil) }
      state.isRunning = true
      state.runCount += 1
      if state.other == .watching { return (true, nil) }
      state.other = .watching
      state.threadCount += 1
      state.lastThread += 1
      return (true, state.lastThread)
    }
    if let newThread { startThread(newThread, input, session) }
    return mayServe
  }

  /// - Returns: Whether this thread still reads.
  private func endRunning(as index: Int) -> Bool {
    state.withLock { state in
      if state.reader == index { state.isRunning = false } else { state.other = .watching }
      return state.reader == index
    }
  }

  /// Waits until the other thread is kept from reading, or there is nothing more to watch.
  ///
  /// - Returns: Whether this thread is to read now.
  private func watch(_ input: Cell, as index: Int) -> Bool {
    var seen: UInt64 = 0
    var quietMoments = 0
    while true {
      let isReader: Bool? = state.withLock { state in
        if state.hasEnded { return false }
        if state.isRunning, state.runCount == seen {
          state.reader = index
          state.isRunning = false
          state.other = .running
          // Before it reads: the other thread does not touch it any more.
          input.leaveTasksAlone()
          return true
        }
        quietMoments = state.runCount == seen ? quietMoments + 1 : 0
        seen = state.runCount
        guard quietMoments > Self.vigilance else { return nil }
        state.other = .none
        return false
      }
      if let isReader { return isReader }
      _ = wakeUp.wait(timeout: .now() + Self.moment)
    }
  }

  /// Used by whichever thread reads, never by both.
  private final class Cell: @unchecked Sendable {
    var value: SessionInput?
    /// How many of the next tasks are not to be run by the thread that reads.
    private var tasksForOthers = 0

    init(_ value: consuming SessionInput) {
      self.value = consume value
    }

    func next(atMost limit: Duration?) throws(DropStreamError) -> SessionInput.Event {
      try value?.next(atMost: limit) ?? .end
    }

    var mayHaveMore: Bool { value?.mayHaveMore ?? false }

    var lastByte: ContinuousClock.Instant { value?.lastByte ?? .now }

    func mayRunTask() -> Bool {
      if tasksForOthers > 0 { tasksForOthers -= 1 } else { return true }
      return false
    }

    /// After one that took long.
    func leaveTasksAlone() {
      tasksForOthers = 32
    }

    func takeDescriptor() -> SharedDescriptor? {
      value?.takeDescriptor()
    }
  }
}

extension DropStreamError {
  /// Whether the other side has done what it must not, and is told.
  fileprivate var isOfPeer: Bool {
    switch code {
    case .damaged, .unsupported, .limitExceeded, .notADropStream, .unsafeName: true
    default: false
    }
  }
}
