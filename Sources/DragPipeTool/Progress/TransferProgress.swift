// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import Glibc
internal import ItemTransfer
internal import Synchronization

/// The progress of a transfer, shown on standard error.
///
/// The code that moves bytes reports them to this object, which takes only a lock. A separate task draws the state ten
/// times a second, so a slow or stopped terminal delays only the drawing.
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
/// progress.note("all sent")                      // after the line has been erased
/// ```
final class TransferProgress: Sendable {
  private let style: ProgressStyle
  private let action: String
  private let environment: ToolEnvironment
  /// The output for progress, or `nil` if no progress is shown.
  private let screen: ProgressScreen?
  private let yieldsToOtherJobs: Bool
  private let delay: Duration
  private let state: Lock<TransferState>

  /// Prepares to show a transfer; ``showing(isolation:_:)`` starts the output.
  ///
  /// - Parameters:
  ///   - action: The word for the transfer while bytes move, such as "sending".
  ///   - mode: The requested mode.
  ///   - environment: The tool's environment.
  ///   - isShared: Whether another process of the pipeline draws on the same terminal. In that case `auto` shows
  ///     nothing.
  ///   - delay: The time before the first line.
  ///   - variable: Returns the value of an environment variable.
  init(
    _ action: String, mode: ProgressMode, environment: ToolEnvironment, isShared: Bool = false,
    delay: Duration = ProgressPresenter.usualDelay,
    variable: (String) -> String? = { name in getenv(name).map { String(cString: $0) } }
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

  // MARK: State

  /// Sets the totals, or `nil` for an unknown total.
  func setTotal(bytes: UInt64?, items: Int?) {
    guard style != .hidden else { return }
    state.withLock { $0.setTotal(bytes: bytes, items: items) }
  }

  /// Begins the next item.
  ///
  /// - Parameters:
  ///   - name: The name from the item's source, not escaped.
  ///   - byteCount: The size in bytes, if known. It is used only if the total of all items is unknown.
  func begin(item name: String?, byteCount: UInt64?) {
    guard style != .hidden else { return }
    countFollowed()
    _ = state.withLock { $0.begin(item: name, byteCount: byteCount) }
  }

  /// Adds bytes of the current item; a negative count has no effect.
  func advance(by bytes: Int) {
    guard style != .hidden, bytes > 0 else { return }
    state.withLock { $0.advance(by: UInt64(bytes)) }
  }

  /// Begins a phase of the transfer.
  func enter(_ phase: ItemProgress.Phase) {
    guard style != .hidden else { return }
    state.withLock { $0.enter(phase) }
  }

  /// Adds the bytes of another progress to the current item, until that progress ends or the next item begins.
  ///
  /// The other progress is read only ten times a second and between items, so its updates do not become slower.
  func follow(_ progress: ItemProgress) {
    guard style != .hidden else { return }
    state.withLock { $0.follow(progress) }
  }

  /// Erases the progress line and writes a message.
  func note(_ line: String) {
    if let screen { screen.note(line) } else { environment.note(line) }
  }

  /// Ends the progress line, so that other output can follow on the terminal.
  ///
  /// Plain lines and JSON records continue.
  func leaveTerminal() async {
    guard style == .line, let screen else { return }
    await runBlocking { screen.leave() }
  }

  // MARK: Showing

  /// Draws while `body` runs, and erases the line at the end.
  ///
  /// Call this method once. Cancelling the task does not interrupt it before `body` has returned.
  ///
  /// - Returns: The result of `body`.
  /// - Throws: Errors of `body` only.
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

  /// Draws until the task is cancelled.
  private func draw(on screen: ProgressScreen, since start: ContinuousClock.Instant) async -> ProgressPresenter {
    var presenter = ProgressPresenter(style: style, action: action, delay: delay)
    while !Task.isCancelled {
      let (now, phaseChanges) = look()
      let text = presenter.present(now, after: phaseChanges, at: .now - start, columns: screen.columns)
      if let text, !leavesAlone(screen) {
        await runBlocking { [style] in
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
      // A program waits for the last record, but may have to read earlier records first.
      await runBlocking { screen.write(text, timeout: .seconds(1)) }
    }
    if screen.hasLine, !leavesAlone(screen) { await runBlocking { screen.erase() } }
  }

  /// Whether another job uses the terminal and the mode is `auto`.
  ///
  /// In the mode `always`, the line is drawn nevertheless.
  private func leavesAlone(_ screen: ProgressScreen) -> Bool {
    yieldsToOtherJobs && screen.isOfAnotherJob
  }

  /// Adds the bytes of followed progress, and returns the state to show.
  private func look() -> (now: TransferSnapshot, phaseChanges: [TransferSnapshot]) {
    countFollowed()
    return state.withLock { ($0.now, $0.takePhaseChanges()) }
  }

  /// Reads each followed progress outside the lock, and removes each progress that has ended.
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

/// The progress of a transfer for another program, as one line of JSON.
///
/// The line has no keys for unknown values. Only the last record has an ``ending``.
struct ProgressRecord: Encodable, Sendable {
  /// The maximum size of a line in bytes.
  ///
  /// A pipe takes this number of bytes at once or not at all.
  ///
  /// Most of this space is for the name, since each of its characters takes up to twelve bytes.
  static let byteLimit = 4096
  private static let nameLimit = 255

  let phase: String
  /// The number of the current item, from 1.
  let item: Int?
  /// The first 255 Unicode scalars of the item's name.
  let name: String?
  let bytes: UInt64
  let totalBytes: UInt64?
  /// The number of completed items.
  let items: Int
  let totalItems: Int?
  let bytesPerSecond: UInt64?
  let secondsRemaining: UInt64?
  let ending: String?

  init(_ snapshot: TransferSnapshot, rate: TransferRate, ending: ItemProgress.Ending? = nil) {
    phase = snapshot.phase.word
    item = snapshot.item > 0 ? snapshot.item : nil
    name = snapshot.name.map { String(String.UnicodeScalarView($0.unicodeScalars.prefix(Self.nameLimit))) }
    bytes = snapshot.bytes
    let total = snapshot.totalBytes.map { max($0, snapshot.bytes) }
    totalBytes = total
    items = ending == .finished ? snapshot.item : max(0, snapshot.item - 1)
    totalItems = snapshot.totalItems
    bytesPerSecond = rate.bytesPerSecond
    secondsRemaining = total.flatMap { rate.secondsRemaining(for: $0 - snapshot.bytes) }
    self.ending = ending?.word
  }

  /// The JSON object without control characters, then a newline.
  var line: String {
    // Encoding cannot fail, since the record has only integers and strings.
    (try? JSONOutput().text(self)).map { $0 + "\n" } ?? ""
  }
}

extension ItemProgress.Phase {
  /// The word for the phase, in progress lines and in JSON.
  var word: String {
    switch self {
    case .preparing: "preparing"
    case .transferring: "transferring"
    case .verifying: "verifying"
    }
  }
}

extension ItemProgress.Ending {
  /// The word for the ending, in JSON.
  var word: String {
    switch self {
    case .finished: "finished"
    case .cancelled: "cancelled"
    case .failed: "failed"
    }
  }
}

/// The value of `--progress`.
enum ProgressMode: String, CaseIterable, Sendable {
  /// A progress line on a terminal, nothing elsewhere.
  ///
  /// A terminal that cannot redraw a line, or that shows the line of another process, gets nothing.
  case auto
  /// A progress line on a terminal that can redraw it, plain lines elsewhere.
  case always
  /// No progress.
  case never
  /// One JSON object a line, for another program.
  case json

  /// The option that selects a mode.
  static let option = OptionSpecification(
    name: "progress", value: ArgumentValue("WHEN", .words(allCases.map(\.rawValue))),
    summary: "show progress: auto (on a terminal), always, never, json")

  /// Parses `--progress` and `--quiet`.
  ///
  /// - Parameters:
  ///   - option: The value of `--progress`; `nil` means ``auto``.
  ///   - isQuiet: Whether `--quiet` is given, which hides all progress.
  /// - Throws: `usage` for any other value of `--progress`.
  init(option: String?, isQuiet: Bool) throws(ToolFailure) {
    guard let mode = ProgressMode(rawValue: option ?? Self.auto.rawValue) else {
      throw ToolFailure(
        .usage,
        "--progress \((option ?? "").escapedForDisplay(limit: 40)) is unknown; use auto, always, never or json")
    }
    self = isQuiet ? .never : mode
  }
}

/// The form of progress output.
enum ProgressStyle: Sendable, Hashable {
  /// No output.
  case hidden
  /// One line that is redrawn. Its only escape sequence erases to the end of the line.
  case line
  /// At most one new line each second, without escape sequences.
  case plainLines
  /// One JSON object a line.
  case records

  /// Chooses the form for a mode.
  ///
  /// - Parameters:
  ///   - mode: The requested mode.
  ///   - isTerminal: Whether the output is a terminal.
  ///   - isShared: Whether another process draws on the same terminal. Two progress lines would overwrite each other.
  ///   - variable: Looks up an environment variable.
  init(_ mode: ProgressMode, isTerminal: Bool, isShared: Bool, variable: (String) -> String?) {
    let isBare = !(variable("NO_COLOR") ?? "").isEmpty || variable("TERM") == "dumb"
    self =
      switch mode {
      case .never: .hidden
      case .json: .records
      case .auto: isTerminal && !isBare && !isShared ? .line : .hidden
      case .always: isTerminal && !isBare ? .line : .plainLines
      }
  }
}
