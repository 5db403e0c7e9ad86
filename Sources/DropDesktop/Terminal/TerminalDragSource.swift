// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropSystem
internal import DropTransport
internal import FoundationEssentials
internal import Glibc
internal import ItemTransfer
internal import Synchronization
internal import UniformTypes

/// A drag from this program, which the terminal runs.
final class TerminalDragSource: Sendable {
  /// The maximum length of a text that is sent before the drag, in bytes.
  private static let maximumPresentedText = 1 << 20
  private static let plainText = "text/plain"
  /// The time after which a request at the end of the drag counts as not served.
  private static let settlingTime = Duration.milliseconds(500)

  private enum Request: Sendable {
    /// The value of the type at an index.
    case value(Int)
    /// The file of an address, from 1.
    case file(Int)
  }

  private struct State {
    var hasStarted = false
    /// Whether the drag has ended for the terminal.
    var hasEnded = false
    var isDropped = false
    var action = DropAction.copy
    /// The number of requests, and of those that were served completely.
    var requestCount = 0
    var servedCount = 0
    /// The numbers of the files that were sent completely.
    var servedFiles: Set<Int> = []
    var lastActivity = ContinuousClock.now
  }

  private let display: TerminalDisplay
  private let drag: DesktopDrag
  private let messages: AsyncQueue<TerminalMessage>
  private let onDrop: @Sendable (String?) -> Void
  /// The names of the types that a terminal can transfer.
  private let names: [String]
  private let requests = AsyncQueue<Request>()
  /// Has an element for each request that was served completely.
  private let served = AsyncQueue<Void>()
  private let state = Lock(State())

  init(
    _ display: TerminalDisplay, _ drag: DesktopDrag, _ messages: AsyncQueue<TerminalMessage>,
    onDrop: @escaping @Sendable (String?) -> Void
  ) {
    (self.display, self.drag, self.messages, self.onDrop) = (display, drag, messages, onDrop)
    // The older names of X11 are not MIME types, and a space separates names.
    names = drag.content.targets.filter { $0.contains("/") && !$0.utf8.contains(0x20) }
  }

  /// Offers the items, and serves them until the drag has ended.
  func run() async throws -> DesktopDrag.Outcome {
    do {
      let addresses = try await addresses()
      try await offer(addresses)
      let outcome = try await withThrowingTaskGroup(of: DesktopDrag.Outcome?.self) { group in
        group.addTask {
          try await self.serve(addresses)
          return nil
        }
        group.addTask { try await self.follow() }
        defer {
          group.cancelAll()
          requests.close(discarding: true)
          drag.content.cancelLoads()
        }
        return try await group.next().flatMap { $0 } ?? .cancelled
      }
      return confirmed(outcome, fileCount: addresses.count)
    } catch {
      if !state.withLock({ $0.hasEnded }) { await display.sendFinally(TerminalMessage(.error, y: -1)) }
      throw error
    }
  }

  /// Returns the outcome that the content allows.
  ///
  /// After a move, the caller removes the files. A target that has received only the text or the addresses has none of
  /// them, unless it has moved them itself.
  private func confirmed(_ outcome: DesktopDrag.Outcome, fileCount: Int) -> DesktopDrag.Outcome {
    guard case .dropped(let action) = outcome else { return outcome }
    let (requestCount, servedCount, sentCount) = state.withLock {
      ($0.requestCount, $0.servedCount, $0.servedFiles.count)
    }
    if servedCount < requestCount { return servedCount == 0 ? .refused : .dropped(.copy) }
    return .dropped(sentCount == fileCount ? action : .copy)
  }

  // MARK: Offer

  /// Returns the list of addresses, whose files exist, as the terminal may use them at once.
  ///
  /// - Returns: The addresses; none if no list is offered, or if a file cannot be created.
  private func addresses() async throws -> [String] {
    guard names.contains(TargetName.uriList) else { return [] }
    do {
      let value = try await drag.content.value(for: TargetName.uriList)
      var data = Data()
      while let part = try await value.next() { data += part }
      let entries = try URIList(parsing: data).entries
      return await runBlocking { entries.map { Self.isFolder($0) && !$0.hasSuffix("/") ? "\($0)/" : $0 } }
    } catch {
      try Task.checkCancellation()
      return []
    }
  }

  private static func isFolder(_ address: String) -> Bool {
    guard URIList.isFile(address), let path = try? URIList.path(address) else { return false }
    return (try? SystemCalls.statusAt(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW))?.kind == .directory
  }

  private func offer(_ addresses: [String]) async throws {
    try await display.send(
      TerminalMessage(
        .offer, operation: drag.allowsMove ? 3 : 1, payload: Array(names.joined(separator: " ").utf8)))
    if !addresses.isEmpty, let index = names.firstIndex(of: TargetName.uriList) {
      try await present(URIList(addresses).data, at: index)
    }
    if let index = names.firstIndex(of: Self.plainText), let text = await text() { try await present(text, at: index) }
    try await presentIcon()
    try await display.send(TerminalMessage(.start, x: -1))
  }

  private func present(_ data: Data, at index: Int) async throws {
    let message = TerminalMessage(.present, x: index)
    if !data.isEmpty { try await display.send(message, data: data) }
    try await display.send(message)
  }

  /// Returns the text of the item if its length is known: such a text needs no long work.
  private func text() async -> Data? {
    guard drag.content.items.count == 1, let item = drag.content.items.first,
      let text = item.representations(visibleTo: .all).first(where: { $0.contentType.conforms(to: .plainText) }),
      let length = text.size.expected, length <= Self.maximumPresentedText
    else { return nil }
    return try? await item.data(for: text.contentType)
  }

  /// Sends the picture of the drag, or the name of the item as a text.
  private func presentIcon() async throws {
    var message = TerminalMessage(.present, x: -1)
    if let icon = drag.icon {
      (message.y, message.upperX, message.upperY) = (32, icon.width, icon.height)
      try await display.send(message, data: Self.colours(icon.pixels(for: .copy)))
    } else {
      let items = drag.content.items
      let name = items.first?.suggestedName?.escapedForDisplay(limit: 32)
      // The text has the size of the terminal's font, on an opaque background.
      (message.operation, message.upperX, message.upperY) = (1024, 1, 1)
      try await display.send(
        message, data: Array((items.count == 1 ? name ?? "1 item" : "\(items.count) items").utf8))
    }
    message.payload = []
    try await display.send(message)
  }

  /// Converts pixels with premultiplied alpha to red, green, blue and alpha.
  private static func colours(_ pixels: [UInt32]) -> [UInt8] {
    pixels.flatMap { pixel -> [UInt8] in
      let alpha = pixel >> 24
      guard alpha > 0 else { return [0, 0, 0, 0] }
      return [16, 8, 0].map { UInt8(min(255, (pixel >> $0 & 255) * 255 / alpha)) } + [UInt8(alpha)]
    }
  }

  // MARK: Events

  private func follow() async throws -> DesktopDrag.Outcome {
    while true {
      let message = try await nextMessage()
      guard !message.isContinuation else { continue }
      switch message.kind {
      case .error:
        let report = TerminalErrorReport(parsing: message.payload)
        if report.isSuccess {
          state.withLock { $0.hasStarted = true }
          continue
        }
        state.withLock { $0.hasEnded = true }
        if report.errorNumber == EPERM, !state.withLock({ $0.hasStarted }) {
          // The user has released the button before the drag began.
          return .cancelled
        } else {
          throw DesktopError(reporting: report, of: .targetFailed)
        }
      case .event:
        guard let outcome = try handle(message) else { continue }
        await settle()
        return outcome
      case .file: try add(.file(message.x))
      default: break
      }
    }
  }

  /// Waits for the end of the last request, which the terminal may know before this program.
  private func settle() async {
    while state.withLock({ $0.servedCount < $0.requestCount }) {
      guard (try? await served.next(within: Self.settlingTime, while: "the last value is sent")) != nil else { return }
    }
  }

  /// Handles a change of the drag, or a request for a value.
  ///
  /// - Returns: The outcome at the end of the drag.
  private func handle(_ message: TerminalMessage) throws -> DesktopDrag.Outcome? {
    switch message.x {
    case 2: state.withLock { $0.action = message.operation == 2 ? .move : .copy }
    case 3:
      let isFirst = state.withLock { state in
        defer { (state.isDropped, state.lastActivity) = (true, .now) }
        return !state.isDropped
      }
      if isFirst { onDrop(nil) }
    case 4:
      let (isDropped, action) = state.withLock { ($0.isDropped, $0.action) }
      if message.y != 0 { return isDropped ? .refused : .cancelled }
      return isDropped ? .dropped(drag.allowsMove ? action : .copy) : .refused
    case 5: try add(.value(message.y))
    default: break
    }
    return nil
  }

  private func add(_ request: Request) throws {
    switch request {
    case .value(let index) where index < 0, .file(let index) where index < 1:
      throw DesktopError(.malformed, "the terminal requests content with the number \(index)")
    default: break
    }
    guard requests.count < display.options.maximumTransfers else {
      throw DesktopError(
        .limitExceeded, "the terminal exceeds the limit of \(display.options.maximumTransfers) requests")
    }
    state.withLock { $0.requestCount += 1 }
    requests.put(request)
  }

  /// Returns the next message.
  ///
  /// Before the terminal has started the drag, and after the drop, the wait is limited.
  private func nextMessage() async throws -> TerminalMessage {
    while true {
      let (hasStarted, isDropped, lastActivity) = state.withLock { ($0.hasStarted, $0.isDropped, $0.lastActivity) }
      let limit: Duration? =
        isDropped
        ? drag.finishTimeout - lastActivity.duration(to: .now) : hasStarted ? nil : display.options.idleTimeout
      guard let limit else { return try present(await messages.next()) }
      do {
        let task = isDropped ? "the target receives the drop" : "the terminal starts the drag"
        return try present(await messages.next(within: limit, while: task))
      } catch let error as DesktopError where error.code == .timedOut {
        guard isDropped, state.withLock({ $0.lastActivity }) > lastActivity else { throw error }
      }
    }
  }

  private func present(_ message: TerminalMessage?) throws -> TerminalMessage {
    try Task.checkCancellation()
    guard let message else {
      if display.isGone { throw TerminalDisplay.gone }
      throw DesktopError(.limitExceeded, "the terminal sends too many messages at once")
    }
    return message
  }

  // MARK: Content

  /// Sends the requested content in the order of the requests.
  private func serve(_ entries: [String]) async throws {
    let sender = TerminalFileSender(display: display) { [weak self] in
      self?.state.withLock { $0.lastActivity = .now }
    }
    var areChecked = false
    while let request = await requests.next() {
      switch request {
      case .value(let index): try await sendValue(index, sender.activity)
      case .file(let number):
        do {
          guard number <= entries.count else { throw SystemError(ENOENT, in: "open") }
          if !areChecked { try await drag.content.checkFiles() }
          areChecked = true
          try await sender.send(entries[number - 1], number: number)
          state.withLock { state in
            state.servedCount += 1
            state.servedFiles.insert(number)
          }
          served.put(())
        } catch {
          try Task.checkCancellation()
          if let error = error as? DesktopError, error.code == .displayGone { throw error }
          // An error of one file ends the drag.
          state.withLock { $0.hasEnded = true }
          try await display.send(TerminalMessage(.error, payload: Self.name(of: error)))
          throw error
        }
      }
    }
    try Task.checkCancellation()
  }

  private func sendValue(_ index: Int, _ activity: @Sendable () -> Void) async throws {
    let message = TerminalMessage(.event, y: index)
    do {
      guard index < names.count else { throw SystemError(ENOENT, in: "read") }
      let value = try await drag.content.value(for: names[index])
      var batches = TerminalBatches()
      while let part = try await value.next() {
        for batch in batches.append(part) {
          try await display.send(message, data: batch)
          activity()
        }
      }
      if !batches.rest.isEmpty { try await display.send(message, data: batches.rest) }
      try await display.send(message)
      state.withLock { $0.servedCount += 1 }
      served.put(())
    } catch {
      try Task.checkCancellation()
      if let error = error as? DesktopError, error.code == .displayGone { throw error }
      try await display.send(TerminalMessage(.error, y: index, payload: Self.name(of: error)))
    }
    activity()
  }

  /// Returns the symbolic name of an error.
  private static func name(of error: any Error) -> [UInt8] {
    var number = EIO
    var cause: (any Error)? = error
    while let known = cause as? ItemProviderError { cause = known.underlyingError }
    switch cause {
    case let error as SystemError: number = error.errorNumber
    case let error as DesktopError:
      switch error.code {
      case .nothingOffered: number = ENOENT
      case .limitExceeded: number = EFBIG
      case .notAllowed: number = EPERM
      case .cancelled: number = ECANCELED
      default: break
      }
    default: break
    }
    return Array(TerminalErrorReport.name(of: number).utf8)
  }
}
