// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropSystem
internal import Glibc
internal import Synchronization

/// A terminal that takes part in the drags of its desktop, by the sequence OSC 72.
///
/// The program needs no display, and may run on another machine.
final class TerminalDisplay: Sendable {
  /// The maximum wait for a response to the query for support.
  private let queryTimeout: Duration
  /// The maximum wait for late responses, which a shell would show.
  private static let lateTimeout = Duration.seconds(2)
  /// The maximum number of unread messages of a drag; further messages are dropped.
  private static let maximumMessages = 1024
  /// The pause after which a lone Escape byte is a key, in milliseconds.
  private static let keyPause: CInt = 50
  private static let suspendKey: UInt8 = 0x1A

  /// The maximum length of a text on the clipboard, in bytes.
  static let maximumClipboardBytes = 8 << 20

  let options: DesktopOptions
  let encoder: TerminalEncoder
  /// Whether the terminal must support drags.
  private let needsDrags: Bool
  /// The identity of this machine for the terminal.
  let machine: String
  /// The bytes of keys.
  let keys = AsyncQueue<[UInt8]>()
  /// The gestures that start drags.
  let gestures = AsyncQueue<TerminalGesture>()
  /// The requests to draw again.
  let redraws = AsyncQueue<Bool>()
  /// The terminal that this process uses.
  static let active = Lock<TerminalDisplay?>(nil)
  private let device: TerminalDevice
  private let interrupt: Interrupt
  private let writing = AsyncSemaphore()
  /// A terminal sends the data of one request after that of another, so one request at a time is enough.
  private let requesting = AsyncSemaphore()
  let unfinished = UnfinishedTasks()
  private let state = Lock(State())

  private struct State {
    var isGone = false
    var isOffering = false
    var isAccepting = false
    var source: AsyncQueue<TerminalMessage>?
    var target: AsyncQueue<TerminalMessage>?
    var transfer: TerminalDataStream?
    var responses: AsyncQueue<Response>?
    /// The number of requests for the attributes without a response.
    var unanswered = 0
    var isSupported = false
    var isFullScreen = false
  }

  private enum Response: Sendable {
    case supported
    case attributes
    case clipboard([UInt8])
  }

  /// Creates a display for a terminal.
  ///
  /// - Parameters:
  ///   - device: The terminal.
  ///   - options: Timeouts and limits.
  ///   - environment: The variables that show a multiplexer, and a terminal on another machine.
  ///   - machine: The identity of this machine.
  ///   - needsDrags: Whether the terminal must support drags.
  /// - Throws: The error of the system.
  init(
    _ device: TerminalDevice, _ options: DesktopOptions, environment: [String: String], machine: String,
    needsDrags: Bool = true
  ) throws(SystemError) {
    self.needsDrags = needsDrags
    self.device = device
    self.options = options
    self.machine = machine
    // A terminal that was started inside tmux inherits the variable, but has another name.
    let isTmux = environment["TERM"].map { name in ["screen", "tmux"].contains { name.hasPrefix($0) } } ?? true
    let isInsideTmux = isTmux && !(environment["TMUX"] ?? "").isEmpty
    encoder = TerminalEncoder(
      client: isInsideTmux ? Int(SystemCalls.processIdentifier) : 0, isInsideTmux: isInsideTmux)
    let isRemote = ["SSH_CONNECTION", "SSH_TTY"].contains { !(environment[$0] ?? "").isEmpty }
    queryTimeout = isRemote ? Self.lateTimeout : .milliseconds(200)
    interrupt = try Interrupt()
  }

  // MARK: Input

  /// Changes the terminal to raw mode, until ``close()``.
  func begin() {
    device.makeRaw()
    Self.active.withLock { $0 = self }
  }

  /// Reads the input until the terminal is closed, or until ``close()``.
  func route() async {
    await withTaskExecutorPreference(BlockingExecutor.shared) {
      var parser = TerminalInputParser(clipboardLimit: Self.maximumClipboardBytes)
      while true {
        let timeout = parser.isAmbiguous && !isReceiving ? Self.keyPause : -1
        switch await runBlocking({ device.read(within: timeout, interrupt) }) {
        case .bytes(let bytes): for input in parser.parse(bytes) { await route(input) }
        case .pause: if !isReceiving, let key = parser.flush() { await route(key) }
        case .end: return end()
        }
      }
    }
  }

  /// Whether the input may pause within a message with data, whose rest must not become keys.
  private var isReceiving: Bool { state.withLock { $0.transfer != nil } }

  private func route(_ input: TerminalInput) async {
    switch input {
    case .bytes(let bytes):
      if bytes.contains(Self.suspendKey) { await suspend() }
      let rest = bytes.filter { $0 != Self.suspendKey }
      if !rest.isEmpty { keys.put(rest, limit: Self.maximumMessages) }
    case .attributes:
      let responses = state.withLock { state in
        state.unanswered = max(0, state.unanswered - 1)
        return state.responses
      }
      responses?.put(.attributes, limit: 1)
    case .clipboard(let bytes): state.withLock { $0.responses }?.put(.clipboard(bytes), limit: 1)
    case .malformedClipboard: break
    case .malformed(let error): state.withLock { $0.transfer }?.fail(DesktopError(.malformed, error.reason))
    case .message(let message):
      // The first message of a drag has no number yet.
      guard message.client == encoder.client || message.client == 0 else { return }
      await route(message)
    }
  }

  private func route(_ message: TerminalMessage) async {
    switch message.kind {
    case .query: state.withLock { $0.responses }?.put(.supported, limit: 1)
    case .move, .drop:
      state.withLock { $0.target }?.put(message, limit: Self.maximumMessages) { last, new in
        [last, new].allSatisfy { $0.kind == .move && !$0.hasMore && !$0.isContinuation } && last.payload.isEmpty
          && last.x >= 0
      }
    case .event, .error, .file:
      guard let source = state.withLock({ $0.source }) else { return }
      // A lost message could be the end of the drag.
      if source.count >= Self.maximumMessages { source.close() } else { source.put(message) }
    case .offer where !message.isContinuation && state.withLock({ $0.isOffering }):
      gestures.put(TerminalGesture(column: message.x, row: message.y), limit: 8)
    case .data, .dataError: await state.withLock { $0.transfer }?.receive(message)
    default: break
    }
  }

  private func end() {
    let (queues, transfer, responses) = state.withLock { state in
      state.isGone = true
      return ([state.source, state.target].compactMap(\.self), state.transfer, state.responses)
    }
    keys.close()
    gestures.close()
    redraws.close()
    for queue in queues { queue.close() }
    responses?.close()
    transfer?.fail(Self.gone)
  }

  private func suspend() async {
    // The withdrawal must not be written into a sequence.
    let hasTurn = await writing.wait()
    device.suspend()
    if hasTurn { writing.signal() }
    await resume()
  }

  /// Enters the raw mode again, and repeats the registrations.
  private func resume() async {
    guard !interrupt.hasBeenRaised, device.isInForeground else { return }
    device.makeRaw()
    // The terminal has forgotten the drag over the window.
    state.withLock { $0.target }?.put(TerminalMessage(.move, x: -1, y: -1))
    let (isOffering, isAccepting, isFullScreen) = state.withLock { ($0.isOffering, $0.isAccepting, $0.isFullScreen) }
    if isFullScreen { try? await startScreen() }
    if isOffering { try? await startOffering() }
    if isAccepting { try? await startAccepting() }
    redraws.put(true, limit: 1)
  }

  /// Draws again after a signal, and after SIGCONT enters the raw mode again.
  func receive(_ signal: CInt) {
    finishBeforeClosing { [self] in
      if signal == SIGCONT { await resume() } else { redraws.put(true, limit: 1) }
    }
  }

  /// Whether the terminal is closed.
  var isGone: Bool { state.withLock { $0.isGone } }

  static let gone = DesktopError(.displayGone, "the terminal is closed")
  var failure: DesktopError { Self.gone }

  // MARK: Output

  /// Sends a message.
  func send(_ message: TerminalMessage) async throws(DesktopError) {
    try await write(encoder.encode(message))
  }

  /// Sends a message with bytes as its payload.
  func send(_ message: TerminalMessage, data: some Collection<UInt8>) async throws(DesktopError) {
    try await write(encoder.encode(message, data: data))
  }

  /// Sends a message even in a cancelled task.
  ///
  /// - Returns: Whether the terminal has received it.
  @discardableResult
  func sendFinally(_ message: TerminalMessage) async -> Bool { await writeFinally(encoder.encode(message)) }

  private func writeFinally(_ bytes: [UInt8]) async -> Bool {
    await Task { (try? await write(bytes)) != nil }.value
  }

  /// Writes bytes, after those of earlier calls.
  ///
  /// - Throws: `timedOut` if the terminal accepts no byte within the idle timeout, and then ends the connection;
  ///   `displayGone`; `cancelled` if other bytes are still being written.
  func write(_ bytes: [UInt8]) async throws(DesktopError) {
    guard await writing.wait() else { throw DesktopError(.cancelled, "cancelled") }
    defer { writing.signal() }
    guard !state.withLock({ $0.isGone }) else { throw Self.gone }
    let timeout = options.idleTimeout
    let milliseconds = CInt(clamping: Int64(timeout / .milliseconds(1)))
    do throws(SystemError) {
      try await runBlocking { () throws(SystemError) in try device.write(bytes, within: milliseconds, interrupt) }
    } catch {
      // A part of a sequence may be written, so no other sequence can follow.
      interrupt.raise()
      if error.errorNumber != ETIMEDOUT { throw Self.gone }
      throw DesktopError(.timedOut, "the terminal has read nothing within \(timeout)")
    }
  }

  // MARK: Registration

  /// Checks that the terminal supports the protocol.
  ///
  /// - Throws: `noDisplay` if it does not, or has not responded in time; `displayGone`.
  func prepare() async throws {
    guard needsDrags else { return }
    // tmux may not pass the request on, and then no response follows.
    if !encoder.isInsideTmux { state.withLock { $0.unanswered += 1 } }
    let request = encoder.encode(TerminalMessage(.query)) + encoder.attributesRequest
    guard case .supported? = try await response(to: request, within: queryTimeout) else {
      throw DesktopError(.noDisplay, "the terminal does not support drags (OSC 72)")
    }
    state.withLock { $0.isSupported = true }
  }

  private func response(to request: [UInt8], within limit: Duration) async throws -> Response? {
    let responses = openResponses()
    defer { state.withLock { $0.responses = nil } }
    try await write(request)
    do {
      return try await responses.next(within: limit, while: "the terminal answers a query")
    } catch let error as DesktopError where error.code == .timedOut {
      return nil
    }
  }

  private func openResponses() -> AsyncQueue<Response> {
    let responses = AsyncQueue<Response>()
    state.withLock { $0.responses = responses }
    return responses
  }

  /// Waits for the responses to all requests, after which no message of a drag can reach the shell.
  ///
  /// Only a terminal that supports drags gets a last request.
  private func awaitResponses() async throws {
    let responses = openResponses()
    defer { state.withLock { $0.responses = nil } }
    if state.withLock({ $0.isSupported }) {
      state.withLock { $0.unanswered += 1 }
      try await write(encoder.attributesRequest)
    }
    let deadline = ContinuousClock.now + Self.lateTimeout
    while state.withLock({ $0.unanswered > 0 && !$0.isGone }) {
      _ = try await responses.next(within: deadline - .now, while: "the terminal answers a query")
    }
  }

  /// Requests the text of a clipboard.
  ///
  /// The user may have to allow it.
  ///
  /// - Returns: The text; `nil` if the terminal does not respond within the idle timeout.
  /// - Throws: `displayGone`, `timedOut`.
  func clipboard(isPrimary: Bool) async throws -> [UInt8]? {
    let request = encoder.clipboardRequest(isPrimary: isPrimary)
    guard case .clipboard(let bytes)? = try await response(to: request, within: options.idleTimeout) else { return nil }
    return bytes
  }

  /// Registers this program as a source of drags.
  func startOffering() async throws(DesktopError) {
    register { $0.isOffering = true }
    try await send(TerminalMessage(.offer, x: 1, payload: Array(machine.utf8)))
  }

  /// Withdraws ``startOffering()``.
  func stopOffering() async {
    if await sendFinally(TerminalMessage(.offer, x: 2)) { register { $0.isOffering = false } }
  }

  /// Registers this program as a target of drags.
  func startAccepting() async throws(DesktopError) {
    register { $0.isAccepting = true }
    // Some systems deliver no drags of private types that are not listed.
    let names = [TargetName.drop, DroppedItemSummary.target, TargetName.uriList]
    try await send(TerminalMessage(.accept, payload: Array(names.joined(separator: " ").utf8)))
    try await send(TerminalMessage(.accept, x: 1, payload: Array(machine.utf8)))
  }

  /// Withdraws ``startAccepting()``.
  func stopAccepting() async {
    if await sendFinally(TerminalMessage(.stopAccepting)) { register { $0.isAccepting = false } }
  }

  /// The sequences that start an alternate screen without a cursor and without automatic margins, and end it.
  private static let screenStart = Array("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[2J".utf8)
  private static let screenEnd = Array("\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l".utf8)

  /// Starts an alternate screen, so that the rows of gestures are known.
  func startScreen() async throws(DesktopError) {
    register { $0.isFullScreen = true }
    try await write(Self.screenStart)
  }

  /// Ends the alternate screen.
  func endScreen() async {
    if await writeFinally(Self.screenEnd) { register { $0.isFullScreen = false } }
  }

  /// The number of columns and rows of the terminal.
  var size: (columns: Int, rows: Int) { device.size }

  private func register(_ change: (inout State) -> Void) {
    let withdrawal = state.withLock { state in
      change(&state)
      return (state.isOffering ? encoder.encode(TerminalMessage(.offer, x: 2)) : [])
        + (state.isAccepting ? encoder.encode(TerminalMessage(.stopAccepting)) : [])
        + (state.isFullScreen ? Self.screenEnd : [])
    }
    // The end of the process may interrupt a sequence.
    device.setWithdrawal(withdrawal.isEmpty ? [] : encoder.endOfSequence + withdrawal)
  }

  // MARK: Routes

  /// Opens the queue of messages for a drag from this program.
  ///
  /// - Throws: `notAllowed` if another drag runs; `displayGone`.
  func openSource() throws(DesktopError) -> AsyncQueue<TerminalMessage> {
    try open(\.source, "another drag is running")
  }

  /// Opens the queue of messages for drags over the window.
  ///
  /// - Throws: `notAllowed` if there is another target; `displayGone`.
  func openTarget() throws(DesktopError) -> AsyncQueue<TerminalMessage> {
    try open(\.target, "the terminal is the target of another task")
  }

  private func open(
    _ route: sending WritableKeyPath<State, AsyncQueue<TerminalMessage>?>, _ objection: String
  ) throws(DesktopError) -> AsyncQueue<TerminalMessage> {
    try state.withLock { (state) throws(DesktopError) in
      guard !state.isGone else { throw Self.gone }
      guard state[keyPath: route] == nil else { throw DesktopError(.notAllowed, objection) }
      let queue = AsyncQueue<TerminalMessage>()
      state[keyPath: route] = queue
      return queue
    }
  }

  /// Closes the queue of a drag from this program.
  func closeSource() { state.withLock { $0.source = nil } }

  /// Closes the queue of drags over the window.
  func closeTarget() { state.withLock { $0.target = nil } }

  /// Waits until no other data is being received, and sets the data to receive.
  ///
  /// - Throws: `timedOut` once the terminal has sent nothing within the idle timeout; `cancelled`.
  func beginTransfer(_ transfer: TerminalDataStream) async throws(DesktopError) {
    let timeout = options.idleTimeout
    while await !requesting.wait(within: timeout) {
      if Task.isCancelled { throw DesktopError(.cancelled, "cancelled") }
      let other = state.withLock { $0.transfer }
      if other?.hasAdvanced() == true { continue }
      let error = DesktopError(.timedOut, "the terminal has not ended other data within \(timeout)")
      other?.fail(error)
      throw error
    }
    state.withLock { $0.transfer = transfer }
  }

  /// Allows the next request.
  func endTransfer() {
    state.withLock { $0.transfer = nil }
    requesting.signal()
  }

  // MARK: End

  private func leave() { Self.active.withLock { if $0 === self { $0 = nil } } }

  /// Restores the terminal at once.
  func disconnect() {
    leave()
    interrupt.raise()
    device.restore()
  }

  /// Withdraws the registrations and restores the terminal.
  func close() async {
    leave()
    await unfinished.wait()
    await Task { try? await awaitResponses() }.value
    // The routing must not wait for a receiver.
    state.withLock { $0.transfer }?.abandon()
    interrupt.raise()
    device.restore()
  }
}

extension AsyncSemaphore {
  /// Waits for a permit for a limited time.
  ///
  /// - Returns: Whether the caller has a permit; `false` after the timeout, or if the task is cancelled.
  func wait(within timeout: Duration) async -> Bool {
    await withTaskGroup(of: Bool.self) { group in
      group.addTask { await self.wait() }
      group.addTask {
        try? await Task.sleep(for: timeout)
        return false
      }
      let first = await group.next() ?? false
      group.cancelAll()
      // The permit may arrive at the end of the time.
      let second = await group.next() ?? false
      return first || second
    }
  }
}

/// A location of the pointer at which the user has started to drag.
package struct TerminalGesture: Sendable, Hashable {
  /// The column of the cell, from 0.
  package let column: Int
  /// The row of the cell, from 0.
  package let row: Int
}
