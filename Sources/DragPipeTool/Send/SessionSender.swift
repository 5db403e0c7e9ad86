// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import ItemTransfer

/// The sender of items in one or more sessions.
///
/// It sends a representation when a receiver requests it.
struct SessionSender: Sendable {
  let context: OfferContext
  let endpoint: EndpointArgument
  /// The number of receivers that must keep an item before a listener ends, or `nil` for no limit.
  let takerCount: Int?
  let transfer: TransferOptions
  /// The files that receivers have moved and that are still here, each with a message.
  private let unmoved = LoadFailures()

  /// Sends the items of a command line.
  ///
  /// - Parameters:
  ///   - items: The items.
  ///   - keepsGoing: Whether to leave out files whose names receivers refuse.
  /// - Throws: The errors of ``send(_:)``; read errors of lists of names; `partial` if files were left out.
  func run(_ items: OfferedItems, keepsGoing: Bool) async throws {
    let leftOut = LoadFailures()
    let leaveOut: @Sendable (DropStreamError) -> Void = { leftOut.add($0, notedIn: context.environment) }
    var all: [OfferedItems.Item] = []
    let names = try await items.names(context, onLeftOut: keepsGoing ? leaveOut : nil)
    try await items.forEach(of: names, context) { all.append($0) }
    try await send(all)
    if unmoved.failure(hasSentSome: true) != nil { throw ReportedFailure(exitCode: .partial) }
    if let failure = leftOut.failure(hasSentSome: true) { throw failure }
  }

  /// Offers items.
  ///
  /// - Returns: Whether a receiver has kept any.
  /// - Throws: `partial` if some content failed to load; the failure of that content if no item was kept; errors of the
  ///   session.
  @discardableResult
  func send(_ offered: [OfferedItems.Item]) async throws -> Bool {
    if endpoint.isListening { return try await listen(at: endpoint.listener(), offered) }
    let failures = LoadFailures()
    var hasBegun = false
    do {
      let receipt = try await endpoint.withSession(context.environment, options: transfer.stream) { session in
        hasBegun = true
        if case .socket(let path) = endpoint, !session.peerOnlyTakesDrops {
          throw ToolFailure(
            .cannotCreate, "another process listens at \(path.escapedForDisplay()), but not as a receiver")
        }
        return try await offer(offered, in: session, failures)
      }
      report(receipt, of: offered)
      if let failure = failures.failure(hasSentSome: !receipt.keptItems.isEmpty) { throw failure }
      return !receipt.keptItems.isEmpty
    } catch let error as ToolFailure where error.exitCode == .peerGone && !hasBegun {
      // No receiver listens at the path.
      guard case .socket = endpoint else { throw error }
      return try await listen(at: endpoint.listener(), offered)
    } catch let error as DropStreamError where error.code == .refused {
      // A receiver that got no item refuses the drop. The actual reason is the failure to load in this process.
      throw failures.failure(hasSentSome: false) ?? ToolFailure(error)
    }
  }

  private func offer(
    _ items: [OfferedItems.Item], in session: DropSession, _ failures: LoadFailures
  ) async throws -> DropReceipt {
    let receipt = try await session.offer(
      items.map(\.provider), allowing: context.allowsMoving ? [.copy, .move] : .copy, onFailure: failures.add)
    guard receipt.action == .move, context.allowsMoving else { return receipt }
    var otherCount = 0
    var directories: [[UInt8]: String] = [:]
    for index in receipt.keptItems where items.indices.contains(index) {
      guard let file = items[index].file else {
        otherCount += 1
        continue
      }
      let excludes = context.options(forFolderAt: file.path).excludes
      let (kept, isRemoved) = await runBlocking { file.removeMoved(except: excludes) }
      for line in kept { noteUnmoved(line) }
      if isRemoved { directories[Array(file.directoryPath.utf8)] = file.directoryPath }
    }
    let changed = directories.values
    // Best effort: if this fails, a crash of the machine may restore a file that was removed.
    await runBlocking {
      for path in changed { try? SystemCalls.syncDirectory(DropEndpoint.currentDirectory, path) }
    }
    if otherCount > 0 {
      let others = ToolHelp.count(otherCount, "item") + (otherCount == 1 ? " was" : " were")
      noteUnmoved("\(others) not removed: only files and folders can be moved")
    }
    return receipt
  }

  private func noteUnmoved(_ line: String) {
    context.environment.note(line)
    unmoved.add(DropStreamError(.representationFailed, line))
  }

  private func report(_ receipt: DropReceipt, of items: [OfferedItems.Item]) {
    guard context.environment.errorsAreTerminal, !transfer.isQuiet else { return }
    let verb = receipt.action == .move ? "moved" : "kept by the receiver"
    context.environment.note("\(receipt.keptItems.count) of \(ToolHelp.count(items.count, "item")) \(verb)")
  }

  // MARK: Listening

  /// Offers items to each process that connects.
  ///
  /// - Returns: Whether a receiver has kept any.
  private func listen(at socket: DropEndpoint, _ items: [OfferedItems.Item]) async throws -> Bool {
    let failures = LoadFailures()
    let listener = SessionListener(endpoint: socket, options: transfer.stream, endCount: takerCount)
    let taken = try await listener.run {
      if context.environment.errorsAreTerminal, !transfer.isQuiet { context.environment.note("listening at \(socket)") }
    } _: { session in
      let own = LoadFailures()
      defer { failures.add(own) }
      do {
        return (try await offer(items, in: session, own), own)
      } catch let error as DropStreamError where error.code == .refused {
        throw own.failure(hasSentSome: false) ?? ToolFailure(error)
      }
    } onEnd: { (result: Result<(DropReceipt, LoadFailures), any Error>) in
      switch result {
      case .success((let receipt, let own)):
        report(receipt, of: items)
        let hasTaken = !receipt.keptItems.isEmpty
        if let failure = own.failure(hasSentSome: hasTaken) { context.environment.note(failure.message) }
        return hasTaken
      case .failure(let error):
        if !Task.isCancelled { context.environment.note(ToolFailure(error).message) }
        return false
      }
    }
    if let failure = failures.failure(hasSentSome: taken > 0) { throw failure }
    return taken > 0
  }
}
