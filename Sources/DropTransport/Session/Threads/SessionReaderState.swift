// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The state machine of a session's threads: which thread reads, and whether it may run the program's code.
///
/// ```
///                  enter                          leave, as the same thread
///   reading ----------------------> in program code ----------------------> reading
///                                        |
///                                        | tick: the same run as at the previous tick
///                                        v
///   the next thread reads; it may not enter until the replaced thread leaves and ends
/// ```
///
/// A *run* is one continuous execution of the program's code.
///
/// The state machine is pure: the caller holds a lock and starts the threads.
struct SessionReaderState: Sendable {
  /// The maximum number of successive ticks without a new run.
  ///
  /// After a further such tick, the watchdog stops watching the session.
  private static let idleTickLimit = 50

  /// The number of the thread that reads.
  ///
  /// Threads are numbered in the order in which they start.
  private var readingThread = 0
  private var threadCount = 1
  /// Whether the reading thread runs the program's code.
  private var isInProgramCode = false
  /// Whether a thread that was replaced still runs the program's code.
  private var hasReplacedThread = false
  /// Whether the session has ended, so that no thread is replaced any more.
  private var hasEnded = false

  private var runCount: UInt64 = 0
  /// The run count at the last tick.
  private var observedRunCount: UInt64 = 0
  private var isWatched = false
  private var idleTicks = 0

  /// The response to a thread that wants to run program code.
  enum Entry: Equatable {
    /// Another thread has to run the program's code: nothing could replace this thread.
    case denied
    /// This thread may run the program's code. The caller starts the watchdog first if it does not run.
    case allowed(startsWatchdog: Bool)
  }

  /// The action of the watchdog after a tick.
  enum TickResult: Equatable {
    case stop
    case tickAgain
    /// Start a thread with this number, which reads from now on, and tick again.
    case replace(byThread: Int)
  }

  /// Asks whether the reading thread may run the program's code.
  mutating func enterProgramCode() -> Entry {
    if hasReplacedThread { return .denied }
    isInProgramCode = true
    runCount += 1
    defer { isWatched = true }
    return .allowed(startsWatchdog: !isWatched)
  }

  /// Notes that a thread has returned from the program's code.
  ///
  /// - Returns: Whether the thread still reads; otherwise it was replaced and ends.
  mutating func leaveProgramCode(thread: Int) -> Bool {
    if thread == readingThread { isInProgramCode = false } else { hasReplacedThread = false }
    return thread == readingThread
  }

  /// Replaces the reading thread if it has been in the same run since the last tick.
  mutating func tick() -> TickResult {
    if hasEnded { return .stop }
    if isInProgramCode, runCount == observedRunCount {
      readingThread += 1
      threadCount += 1
      isInProgramCode = false
      hasReplacedThread = true
      return .replace(byThread: readingThread)
    }
    idleTicks = runCount == observedRunCount ? idleTicks + 1 : 0
    observedRunCount = runCount
    isWatched = idleTicks <= Self.idleTickLimit
    return isWatched ? .tickAgain : .stop
  }

  /// Records that reading has ended.
  mutating func endReading() {
    hasEnded = true
  }

  /// Notes that a thread has ended.
  ///
  /// - Returns: Whether it was the last thread.
  mutating func endThread() -> Bool {
    threadCount -= 1
    return threadCount == 0
  }
}
