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
  let allowsMoving: Bool
  let transfer: TransferOptions

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
    if let failure = leftOut.failure(hasSentSome: true) { throw failure }
  }

  /// Offers items.
  ///
  /// - Returns: Whether a receiver has kept any.
  /// - Throws: `partial` if some content failed to load; the failure of that content if no item was kept; errors of the
  ///   session.
  @discardableResult
  func send(_ offered: [OfferedItems.Item]) async throws -> Bool {
    if case .socket(let path) = endpoint { return try await listen(at: .unixSocket(path), offered) }
    let failures = LoadFailures()
    do {
      let receipt = try await endpoint.withSession(context.environment, options: transfer.stream) {
        try await offer(offered, in: $0, failures)
      }
      report(receipt, of: offered)
      if let failure = failures.failure(hasSentSome: !receipt.keptItems.isEmpty) { throw failure }
      return !receipt.keptItems.isEmpty
    } catch let error as DropStreamError where error.code == .refused {
      // A receiver that got no item refuses the drop. The actual reason is the failure to load in this process.
      throw failures.failure(hasSentSome: false) ?? ToolFailure(error)
    }
  }

  private func offer(
    _ items: [OfferedItems.Item], in session: DropSession, _ failures: LoadFailures
  ) async throws -> DropReceipt {
    let receipt = try await session.offer(
      items.map(\.provider), allowing: allowsMoving ? [.copy, .move] : .copy, onFailure: failures.add)
    guard receipt.action == .move, allowsMoving else { return receipt }
    var otherCount = 0
    var directories: [[UInt8]: String] = [:]
    for index in receipt.keptItems where items.indices.contains(index) {
      guard let file = items[index].file else {
        otherCount += 1
        continue
      }
      let reason = await runBlocking { file.removeMoved() }
      if let reason {
        context.environment.note(reason)
      } else {
        directories[Array(file.directoryPath.utf8)] = file.directoryPath
      }
    }
    let changed = directories.values
    // Best effort: if this fails, a crash of the machine may restore a file that was removed.
    await runBlocking {
      for path in changed { try? SystemCalls.syncDirectory(DropEndpoint.currentDirectory, path) }
    }
    if otherCount > 0 {
      let others = ToolHelp.count(otherCount, "item") + (otherCount == 1 ? " was" : " were")
      context.environment.note("\(others) not removed: only files can be moved")
    }
    return receipt
  }

  private func report(_ receipt: DropReceipt, of items: [OfferedItems.Item]) {
    guard context.environment.errorsAreTerminal, !transfer.isQuiet else { return }
    let verb = receipt.action == .move ? "moved" : "kept by the receiver"
    context.environment.note("\(receipt.keptItems.count) of \(ToolHelp.count(items.count, "item")) \(verb)")
  }

  // MARK: Listening

  private func listen(at socket: DropEndpoint, _ items: [OfferedItems.Item]) async throws -> Bool {
    let failures = LoadFailures()
    let taken = try await DropStream.withListener(at: socket, options: transfer.stream) { listener in
      if context.environment.errorsAreTerminal, !transfer.isQuiet { context.environment.note("listening at \(socket)") }
      let (endings, newEndings) = AsyncStream.makeStream(of: Bool.self)
      return try await withThrowingTaskGroup(of: Void.self, returning: Int.self) { group in
        group.addTask {
          defer { newEndings.finish() }
          // Receivers are served concurrently, so an idle receiver delays no other receiver.
          try await serve(listener, items, failures) { newEndings.yield($0) }
        }
        var taken = 0
        for await hasTaken in endings {
          if hasTaken { taken += 1 }
          guard let takerCount, taken >= takerCount else { continue }
          group.cancelAll()
          // The cancellation is the regular end, so errors of the cancelled tasks are ignored.
          while await group.nextResult() != nil {}
          return taken
        }
        try await group.waitForAll()
        return taken
      }
    }
    try Task.checkCancellation()
    if let failure = failures.failure(hasSentSome: taken > 0) { throw failure }
    return taken > 0
  }

  /// Serves receivers until the listener ends.
  ///
  /// A receiver that fails does not affect other receivers.
  ///
  /// - Parameters:
  ///   - listener: The listener that accepts the receivers.
  ///   - items: The items to offer.
  ///   - failures: The collection to which failures to load content are added.
  ///   - onEnd: A closure that is called at the end of each session that did not fail. Its argument is whether the
  ///     receiver has kept an item.
  /// - Throws: Errors of the listener.
  private func serve(
    _ listener: DropListener, _ items: [OfferedItems.Item], _ failures: LoadFailures,
    _ onEnd: @escaping @Sendable (_ hasTaken: Bool) -> Void
  ) async throws {
    try await listener.serve { session in
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
        onEnd(hasTaken)
      case .failure(let error):
        if !Task.isCancelled { context.environment.note(ToolFailure(error).message) }
      }
    }
  }
}
