// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Synchronization

/// The thread of a session that waits for what the other side says, and what takes over from it.
///
/// Whoever reads a request starts its loader there and then, or cancels it, and goes on with the task that an answer wakes, which saves
/// the change to another thread that would take longer than most of these do. What keeps the thread for more than a
/// moment is left alone with it: another thread takes over the reading, and as long as the first is away, gives the
/// next ones threads of their own. So nothing waits for a slow representation, for one that takes its time to be given
/// up, or for whoever uses it.
final class SessionReader: Sendable {
  /// After how many moments in which nothing was run nobody looks any more.
  private static let vigilance = 50
  /// What takes longer is as well done by another thread: then so are the next tasks.
  private static let shortWork = Duration.microseconds(100)

  private struct State {
    /// The thread that reads; they are numbered as they start.
    var reader = 0
    var threadCount = 1
    /// Whether a thread that has read before is in a loader or a task still.
    var isOneAway = false
    /// Whether the thread that reads is in a loader or a task, and how many there were.
    var isRunning = false
    var runCount: UInt64 = 0
    /// Whether somebody looks now and then, and what was seen.
    var isWatched = false
    var seenCount: UInt64 = 0
    var quietMoments = 0
    var hasEnded = false
  }

  private let state = Lock(State())
  private let end = Latch()
  /// Where the session's tasks go on.
  let executor = SessionTaskExecutor()

  /// Reads until the session ends, by itself or by an interrupt.
  func start(_ input: consuming SessionInput, for session: DropSession) {
    startThread(0, Cell(input), session)
  }

  private func startThread(_ index: Int, _ input: Cell, _ session: DropSession) {
    DetachedThread.start { [self] in
      read(input, for: session, as: index)
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

  /// Reads to the end, or until another thread has taken over.
  private func read(_ input: Cell, for session: DropSession, as index: Int) {
    var lastLook = ContinuousClock.now
    do throws(DropStreamError) {
      while true {
        let limit = session.tickInterval
        var now = input.signs.byte
        switch try input.next(atMost: limit) {
        case .message(let message):
          if case .request(let number, let request) = message {
            // Taken in before the other thread may read on: its cancellation must find it.
            guard let serving = try session.serving(of: number, request) else { break }
            guard run(serving, input, session, as: index, { $0.start(in: $1) }) else { return }
          } else if message.isAnswer {
            let woken = try executor.gather { () throws(DropStreamError) in
              _ = try session.take(message, input.takeDescriptor)
            }
            guard goOn(with: woken, input, session, as: index) else { return }
          } else {
            let unwanted = try session.take(message, input.takeDescriptor)
            // Not gathered: what the program does at a cancellation must find all threads as usual.
            let isStillReading =
              unwanted.isEmpty
              || run(unwanted, input, session, as: index) { unwanted, _ in
                for serving in unwanted { serving.cancel() }
              }
            guard isStillReading else { return }
          }
        case .nothing: now = .now
        case .end: return state.withLock { $0.hasEnded = true }
        }
        guard now - lastLook >= limit else { continue }
        lastLook = now
        session.passTime(to: now, signs: input.signs)
      }
    } catch {
      session.fail(error, lastWords: error.isOfPeer ? SenderFailure(kind: .failed, reason: error.description) : nil)
      state.withLock { $0.hasEnded = true }
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

  // MARK: Taking over

  /// Runs what belongs to the program here, or, where nobody would take over the reading, in a thread of its own.
  ///
  /// What `work` needs is given to it, not captured, for which memory would have to be had each time.
  ///
  /// - Returns: Whether this thread still reads.
  private func run<Subject: Sendable>(
    _ subject: Subject, _ input: Cell, _ session: DropSession, as index: Int,
    _ work: @escaping @Sendable (Subject, DropSession) -> Void
  ) -> Bool {
    guard beginRunning(input, session) else {
      DetachedThread.start { work(subject, session) }
      return true
    }
    work(subject, session)
    return endRunning(as: index)
  }

  /// - Returns: Whether a loader or a task may run here, because somebody would take over the reading.
  private func beginRunning(_ input: Cell, _ session: DropSession) -> Bool {
    let (mayRun, mustBeWatched) = state.withLock { state -> (Bool, Bool) in
      if state.isOneAway { return (false, false) }
      state.isRunning = true
      state.runCount += 1
      defer { state.isWatched = true }
      return (true, !state.isWatched)
    }
    if mustBeWatched { SessionWatch.shared.add { [self] in look(input, session) } }
    return mayRun
  }

  /// - Returns: Whether this thread still reads.
  private func endRunning(as index: Int) -> Bool {
    state.withLock { state in
      if state.reader == index { state.isRunning = false } else { state.isOneAway = false }
      return state.reader == index
    }
  }

  /// Called once a moment: has another thread read where this one is kept from it for more than that.
  ///
  /// - Returns: Whether to look again.
  private func look(_ input: Cell, _ session: DropSession) -> Bool {
    let (newReader, goesOn) = state.withLock { state -> (Int?, Bool) in
      if state.hasEnded { return (nil, false) }
      if state.isRunning, state.runCount == state.seenCount {
        state.reader += 1
        state.threadCount += 1
        state.isRunning = false
        state.isOneAway = true
        // Nobody else touches it before the new thread does.
        input.leaveTasksAlone()
        return (state.reader, true)
      }
      state.quietMoments = state.runCount == state.seenCount ? state.quietMoments + 1 : 0
      state.seenCount = state.runCount
      state.isWatched = state.quietMoments <= Self.vigilance
      return (nil, state.isWatched)
    }
    if let newReader { startThread(newReader, input, session) }
    return goesOn
  }

  /// Used by whichever thread reads, never by two.
  private final class Cell: @unchecked Sendable {
    var value: SessionInput?
    /// How many of the next tasks are not to be run by the thread that reads.
    private var tasksForOthers = 0

    init(_ value: consuming SessionInput) {
      self.value = consume value
    }

    func next(atMost limit: Duration) throws(DropStreamError) -> SessionInput.Event {
      try value?.next(atMost: limit) ?? .end
    }

    var mayHaveMore: Bool { value?.mayHaveMore ?? false }

    var signs: SessionSigns { value?.signs ?? SessionSigns() }

    func mayRunTask() -> Bool {
      if tasksForOthers > 0 { tasksForOthers -= 1 } else { return true }
      return false
    }

    /// After one that took long.
    func leaveTasksAlone() {
      tasksForOthers = 32
    }

    func takeDescriptor() throws(DropStreamError) -> SharedDescriptor? {
      try value?.takeDescriptor()
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
