// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropDesktop
internal import DropSystem
internal import DropTransport
internal import ItemTransfer
internal import UniformTypes

/// The source of received items: a one-way stream, a session, or a program of the desktop.
struct ReceiveSource: Sendable {
  let endpoint: EndpointArgument
  /// The items that were dropped onto a window of this process; `nil` before a drop.
  var dropped: [ItemProvider]?
  /// The session with a process that has connected to this one; `nil` if this process opens the session.
  var session: DropSession?
  /// Lets one of several concurrent receives write to standard output, or run commands, at a time.
  let turn = AsyncSemaphore()
  /// Called before a dropped item is loaded, with the index of the item and the progress of the load.
  var onLoad: (@Sendable (Int, ItemProgress) -> Void)?
  /// Called with the path of the first file of each item that is in a folder now, by the index of the item.
  var onKept: (@Sendable ([Int: String]) -> Void)?
  let options: DropStreamOptions
  /// Returns the error to report for an error of the destination.
  var explain: @Sendable (any Error) -> any Error = { $0 }
  /// The action to report to the sender for kept items.
  let action: DropAction
  /// The display system; `nil` to find one.
  var display: DisplayChoice?

  /// Receives files into a folder.
  ///
  /// - Parameters:
  ///   - folder: The folder.
  ///   - progress: The progress to update.
  ///   - environment: The tool's environment.
  ///   - whenKept: A closure that uses the files before the sender is notified. If it throws, a session refuses the
  ///     drop.
  ///   - eachDrop: Takes the receipt of each of several drops that follow each other in a stream, or of the only drop;
  ///     `nil` makes a second drop an error.
  /// - Returns: The receipt.
  /// - Throws: `noAcceptableType` if no item has an accepted type; errors of `whenKept` and of the transfer.
  func receive(
    into folder: DropFolder, _ progress: TransferProgress, _ environment: ToolEnvironment,
    whenKept: (DropFolder.Receipt) async throws -> Void = { _ in },
    eachDrop: ((DropFolder.Receipt) -> Void)? = nil
  ) async throws -> DropFolder.Receipt {
    do {
      return try await receiveItems(into: folder, progress, environment, whenKept, eachDrop)
    } catch {
      throw explain(error)
    }
  }

  private func receiveItems(
    into folder: DropFolder, _ progress: TransferProgress, _ environment: ToolEnvironment,
    _ whenKept: (DropFolder.Receipt) async throws -> Void, _ eachDrop: ((DropFolder.Receipt) -> Void)?
  ) async throws -> DropFolder.Receipt {
    let failures = LoadFailures()
    let observer = observer(progress, failures)
    func checked(_ receipt: DropFolder.Receipt) async throws -> DropFolder.Receipt {
      if receipt.hasNothingAcceptable {
        if let selection = folder.selection {
          throw Self.nothing(selectedBy: selection, of: folder.acceptedTypes, among: receipt.leftOut.count)
        }
        throw Self.nothingAcceptable(among: receipt.leftOut, wanted: folder.acceptedTypes)
      }
      try await whenKept(receipt)
      return receipt
    }
    guard endpoint.isTwoWay else {
      // A file on this machine is read and verified as a whole, since nothing of it is kept or continued.
      if folder.isResumable, case .web = endpoint, let drop = try await drop() {
        progress.setTotal(bytes: nil, items: drop.itemCount)
        let receipt = try await endpoint.namingFile { try await folder.receive(drop, observer: observer) }
        eachDrop?(receipt)
        return try await checked(receipt)
      }
      return try await checked(
        try await endpoint.reading(environment, idleTimeout: options.idleTimeout) {
          try await folder.receive(from: $0, options: options, observer: observer, eachDrop: eachDrop)
        })
    }
    func keep(_ items: [ItemProvider], _ drop: IncomingDrop?) async throws -> DropFolder.Receipt {
      progress.setTotal(bytes: nil, items: items.count)
      let receipt =
        if let drop {
          try await folder.receive(drop, observer: observer)
        } else {
          try await folder.receive(items, limits: options.limits, observer: observer)
        }
      if receipt.files.isEmpty, let failure = failures.failure(hasSentSome: false) { throw failure }
      eachDrop?(receipt)
      return try await checked(receipt)
    }
    if case .selection(let selection) = endpoint {
      return try await ClipboardDisplay.with(options.desktop(via: display), via: display) { display in
        try await Clipboard(display, selection).withContent { stream, idleTimeout in
          // The selection has its own timeout, and the limit of bytes is that of items.
          var (folder, accepted) = (folder, DropStreamOptions())
          folder.byteLimit = options.limits.bytes
          accepted.limits.items = options.limits.items
          accepted.idleTimeout = idleTimeout
          let receipt = try await folder.receive(from: stream, options: accepted, observer: observer)
          eachDrop?(receipt)
          return try await checked(receipt)
        } items: { items in
          try await keep(items, nil)
        }
      }
    }
    return try await withOffer(environment, note: progress.note) { items, drop in
      let receipt = try await keep(items, drop)
      return (receipt, receipt.keptItems)
    }
  }

  /// Opens the drop file of the endpoint.
  ///
  /// - Returns: The file; `nil` for other endpoints.
  /// - Throws: `malformed` for a file without an index; errors of opening the file.
  private func drop() async throws -> DropFile? {
    guard let path = endpoint.drop else { return nil }
    guard let drop = try await ExtractSource.opened(path, options) else {
      throw ToolFailure(.malformed, "\(path.escapedForDisplay()) has no index, which --resume needs")
    }
    return drop
  }

  /// Runs `body` while no other receive of this command does.
  func inTurn<Result>(_ body: () async throws -> Result) async throws -> Result {
    guard await turn.wait() else { throw CancellationError() }
    defer { turn.signal() }
    return try await body()
  }

  private func observer(_ progress: TransferProgress, _ failures: LoadFailures) -> DropFolder.Observer {
    DropFolder.Observer(
      begin: { name, byteCount in
        progress.begin(item: name, byteCount: byteCount)
        progress.enter(.transferring)
      },
      advance: { progress.advance(by: $0) }, remark: { progress.note($0) }, load: onLoad,
      fail: { failures.add($0) })
  }

  /// Receives the items of the desktop or the first drop of a session.
  ///
  /// The kept items of a session are confirmed to the sender, or the drop is refused.
  ///
  /// - Parameters:
  ///   - environment: The tool's environment.
  ///   - keepsItems: Whether `body` may keep items. If so, the sender must allow the action.
  ///   - note: Writes the message of a refusal before the sender acknowledges it; `nil` writes it to the environment.
  ///   - body: A closure that uses the items, and returns its result and the indices of the items that it kept. Its
  ///     second argument is the drop of a session, or `nil`.
  /// - Returns: The result of `body`.
  /// - Throws: `refused` if the sender does not allow the action; errors of `body`; errors of the session. All errors
  ///   before the end of `body`, except timeouts, are also reported to the sender. If the sender does not confirm the
  ///   end, a message states the number of received items.
  func withOffer<Result: Sendable>(
    _ environment: ToolEnvironment, keepsItems: Bool = true, note: ((String) -> Void)? = nil,
    _ body: ([ItemProvider], IncomingDrop?) async throws -> (Result, kept: [Int])
  ) async throws -> Result {
    if let dropped {
      try options.limits.check(itemCount: UInt64(dropped.count))
      return try await body(dropped, nil).0
    }
    if case .selection(let selection) = endpoint {
      return try await ClipboardDisplay.with(options.desktop(via: display), via: display) { display in
        try await Clipboard(display, selection).withItems { items in
          try options.limits.check(itemCount: UInt64(items.count))
          return try await body(items, nil).0
        }
      }
    }
    let note = note ?? environment.note
    if let session { return try await takeOffer(of: session, keepsItems, note, body) }
    return try await endpoint.withSession(environment, options: options) { session in
      try await takeOffer(of: session, keepsItems, note, body)
    }
  }

  private func takeOffer<Result: Sendable>(
    of session: DropSession, _ keepsItems: Bool, _ note: (String) -> Void,
    _ body: ([ItemProvider], IncomingDrop?) async throws -> (Result, kept: [Int])
  ) async throws -> Result {
    if session.peerOnlyTakesDrops { throw ToolFailure(.usage, "the other side receives too; use dragpipe send there") }
    for try await drop in session.drops {
      let result: Result
      let kept: [Int]
      do {
        if keepsItems { try checkAction(drop.actions) }
        (result, kept) = try await body(drop.items, drop)
      } catch {
        let error = explain(error)
        let failure = ToolFailure(error)
        // After a timeout the session ends anyway, which notifies the sender; a refusal could time out again.
        if failure.exitCode == .timedOut || Task.isCancelled { throw error }
        // The sender may acknowledge the refusal late.
        note(failure.message)
        try? await drop.refuse(because: failure.message)
        throw ReportedFailure(exitCode: failure.exitCode, description: failure.message)
      }
      try await finish(drop, keeping: kept, note)
      return result
    }
    throw ToolFailure(.peerGone, "the sender ended the session without an offer")
  }

  /// Throws an error if the sender does not allow the action.
  ///
  /// The check precedes all requests, since a kept item must not be refused afterwards.
  private func checkAction(_ allowed: DropActions) throws(ToolFailure) {
    guard !allowed.contains(action) else { return }
    switch action {
    case .move: throw ToolFailure(.refused, "the sender does not allow its files to be moved; see dragpipe send --move")
    case .copy where allowed.contains(.move):
      throw ToolFailure(.refused, "the sender allows its items to be moved only; see dragpipe receive --move")
    case .copy, .link: throw ToolFailure(.refused, "the sender does not allow its items to be copied")
    }
  }

  private func finish(_ drop: IncomingDrop, keeping kept: [Int], _ note: (String) -> Void) async throws {
    if kept.isEmpty {
      guard let allowed = DropAction.allCases.first(where: drop.actions.contains) else {
        return try await drop.refuse(because: "no item was kept")
      }
      return try await drop.finish(allowed, keeping: [])
    }
    do {
      try await drop.finish(action, keeping: kept)
    } catch {
      let failure = ToolFailure(error)
      let items = ToolHelp.count(kept.count, "item")
      let message = "received \(items); the sender did not confirm: \(failure.message)"
      // Items are kept, so an interrupt must not hide the message.
      note(message)
      throw ReportedFailure(exitCode: failure.exitCode, description: message)
    }
  }

  /// Returns the error for a drop in which no item is selected.
  private static func nothing(
    selectedBy selection: ItemSelection, of types: [UTType], among count: Int
  ) -> ToolFailure {
    let words = selection.words.prefix(20).map { $0.text.escapedForDisplay() }.joined(separator: " or ")
    let accepted = types.isEmpty ? "" : " and has an accepted type"
    return ToolFailure(.noAcceptableType, "none of \(ToolHelp.count(count, "item")) matches --only \(words)\(accepted)")
  }

  /// Returns the error for a drop in which no item has an accepted type.
  private static func nothingAcceptable(among items: [DropFolder.LeftOutItem], wanted: [UTType]) -> ToolFailure {
    var seen: Set<String> = []
    let types = items.flatMap(\.contentTypes).map(\.shown).filter {
      seen.insert($0).inserted
    }
    let offered = types.prefix(20).joined(separator: ", ") + (types.count > 20 ? ", …" : "")
    let names = wanted.map(\.shown).joined(separator: " or ")
    return ToolFailure(.noAcceptableType, "no item has the type \(names); the offered types are \(offered)")
  }
}
