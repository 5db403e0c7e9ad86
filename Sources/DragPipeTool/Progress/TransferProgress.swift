// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import Glibc
internal import ItemTransfer
internal import Synchronization

/// Shows on standard error how far a transfer is.
///
/// Whoever moves bytes says so here, at the price of a lock. A task of its own looks at the sum ten times a second and
/// draws it: a slow or stopped terminal slows nothing but the drawing.
///
/// ```swift
/// let mode = try ProgressMode(option: arguments.value("progress"), isQuiet: arguments.has("quiet"))
/// let progress = TransferProgress("sending", mode: mode, environment: environment)
/// progress.setTotal(bytes: nil, items: files.count)
/// try await progress.showing {
///   progress.enter(.transferring)
///   for file in files {
///     progress.begin(item: file, byteCount: nil)
///     let item = ItemProgress()
///     progress.follow(item)                      // or advance(by:) with every chunk
///     try await writer.write(provider(of: file), progress: item)
///   }
/// }
/// progress.note("all sent")                      // the line is gone by now
/// ```
final class TransferProgress: Sendable {
  private let style: ProgressStyle
  private let action: String
  private let environment: ToolEnvironment
  /// `nil` where nothing is shown.
  private let screen: ProgressScreen?
  private let yieldsToOtherJobs: Bool
  private let delay: Duration
  private let state: Lock<TransferState>

  /// Makes ready to show a transfer; nothing is seen of it before ``showing(isolation:_:)``.
  ///
  /// - Parameters:
  ///   - action: What is done while bytes move, in a word: "sending", "receiving".
  ///   - mode: What somebody wants to see.
  ///   - environment: Where it is written to.
  ///   - isShared: Whether another process of the same pipeline draws on the same terminal; then `auto` shows nothing.
  ///   - delay: What is over sooner, people see nothing of.
  convenience init(
    _ action: String, mode: ProgressMode, environment: ToolEnvironment, isShared: Bool = false,
    delay: Duration = ProgressPresenter.usualDelay
  ) {
    self.init(action, mode: mode, environment: environment, isShared: isShared, delay: delay) { name in
      getenv(name).map { String(cString: $0) }
    }
  }

  /// The same, with another environment: `variable` looks up a variable.
  init(
    _ action: String, mode: ProgressMode, environment: ToolEnvironment, isShared: Bool,
    delay: Duration = ProgressPresenter.usualDelay, variable: (String) -> String?
  ) {
    let style = ProgressStyle(
      mode, isTerminal: environment.errorsAreTerminal, isShared: isShared, variable: variable)
    screen = style == .hidden ? nil : ProgressScreen(environment, columnsVariable: variable("COLUMNS"))
    self.style = style
    self.action = action
    self.environment = environment
    self.delay = delay
    yieldsToOtherJobs = mode == .auto
    state = Lock(TransferState(keepsPhaseChanges: style == .records))
  }

  // MARK: What is known

  /// Says how much there is in all; `nil` stands for what nobody knows.
  func setTotal(bytes: UInt64?, items: Int?) {
    guard style != .hidden else { return }
    state.withLock { $0.setTotal(bytes: bytes, items: items) }
  }

  /// Says that the next item is on its way.
  ///
  /// - Parameters:
  ///   - name: As its source gave it; it is made safe when it is shown.
  ///   - byteCount: Its size, where that is known: its share is shown as long as nobody knows all there is.
  func begin(item name: String?, byteCount: UInt64?) {
    guard style != .hidden else { return }
    countFollowed()
    _ = state.withLock { $0.begin(item: name, byteCount: byteCount) }
  }

  /// Adds bytes of the current item that have moved; a negative count takes nothing back.
  func advance(by bytes: Int) {
    guard style != .hidden, bytes > 0 else { return }
    state.withLock { $0.advance(by: UInt64(bytes)) }
  }

  /// Says what is being done now.
  func enter(_ phase: ItemProgress.Phase) {
    guard style != .hidden else { return }
    state.withLock { $0.enter(phase) }
  }

  /// Counts what another progress counts as bytes of the current item, until it ends or the next item begins.
  ///
  /// It is looked at when something is drawn, not told of every change: following costs its owner nothing.
  func follow(_ progress: ItemProgress) {
    guard style != .hidden else { return }
    state.withLock { $0.follow(progress) }
  }

  /// Prints a line for people, with the progress line out of its way.
  func note(_ line: String) {
    if let screen { screen.note(line) } else { environment.note(line) }
  }

  /// Leaves the terminal to what is written there from now on; records for programs go on.
  func leaveTerminal() async {
    guard style == .line, let screen else { return }
    try? await runBlocking { screen.leave() }
  }

  // MARK: Showing

  /// Draws while `body` runs; erases the line whatever comes of it.
  ///
  /// Cancelling the task is `body`'s business; the end is shown when that has returned. To be called once.
  ///
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws, and nothing else.
  func showing<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
  ) async throws -> Result {
    guard let screen else { return try await body() }
    let start = ContinuousClock.now
    let drawing = Task.detached { await self.draw(on: screen, since: start) }
    do {
      let result = try await body()
      await showEnd(.finished, of: drawing, on: screen, since: start)
      return result
    } catch {
      await showEnd(Self.ending(error), of: drawing, on: screen, since: start)
      throw error
    }
  }

  /// Draws until it is cancelled.
  private func draw(on screen: ProgressScreen, since start: ContinuousClock.Instant) async -> ProgressPresenter {
    var presenter = ProgressPresenter(style: style, action: action, delay: delay)
    while !Task.isCancelled {
      let (now, phaseChanges) = look()
      let text = presenter.present(now, after: phaseChanges, at: .now - start, columns: screen.columns)
      if let text, !leavesAlone(screen) {
        try? await runBlocking { [style] in
          if style == .line { screen.draw(text) } else { screen.write(text) }
        }
      }
      try? await Task.sleep(for: ProgressPresenter.interval)
    }
    return presenter
  }

  private func showEnd(
    _ ending: ItemProgress.Ending, of drawing: Task<ProgressPresenter, Never>, on screen: ProgressScreen,
    since start: ContinuousClock.Instant
  ) async {
    drawing.cancel()
    var presenter = await drawing.value
    let (now, phaseChanges) = look()
    if let text = presenter.presentEnd(now, ending, after: phaseChanges, at: .now - start) {
      // A program waits for this one, and may have others to read before.
      try? await runBlocking { screen.write(text, patience: .seconds(1)) }
    }
    if screen.hasLine, !leavesAlone(screen) { try? await runBlocking { screen.erase() } }
  }

  /// Whether the terminal is another job's: what was asked for expressly is shown all the same.
  private func leavesAlone(_ screen: ProgressScreen) -> Bool {
    yieldsToOtherJobs && screen.isOfAnotherJob
  }

  /// Counts what is followed, and takes what there is to show.
  private func look() -> (now: TransferSnapshot, phaseChanges: [TransferSnapshot]) {
    countFollowed()
    return state.withLock { ($0.now, $0.takePhaseChanges()) }
  }

  /// Asks each followed progress outside the lock, and lets go there of those that have ended.
  private func countFollowed() {
    let seen = state.withLock { $0.followed }.map { ($0.id, $0.progress, $0.progress.snapshot) }
    guard !seen.isEmpty else { return }
    state.withLock { state in
      for (id, _, snapshot) in seen { state.count(snapshot, ofFollowed: id) }
    }
  }

  private static func ending(_ error: any Error) -> ItemProgress.Ending {
    switch error {
    case is CancellationError, is OutputClosed: return .cancelled
    case let error as DropStreamError where error.code == .cancelled: return .cancelled
    case let error as ItemProviderError where error.code == .cancelled: return .cancelled
    default: return Task.isCancelled || ToolFailure(error).exitCode == .cancelledByPeer ? .cancelled : .failed
    }
  }
}
