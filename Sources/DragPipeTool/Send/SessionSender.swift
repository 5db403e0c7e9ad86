// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import ItemTransfer

/// Offers items to receivers that ask for what they want.
struct SessionSender: Sendable {
  let items: OfferedItems
  let context: OfferContext
  let endpoint: EndpointArgument
  /// How many receivers must have taken something; `nil` of a listener stands for as many as come.
  let takerCount: Int?
  let allowsMoving: Bool
  /// Whether files whose names no receiver takes are left out.
  let keepsGoing: Bool
  let transfer: TransferOptions

  func run() async throws {
    let leftOut = LoadFailures()
    let leaveOut: @Sendable (DropStreamError) -> Void = { leftOut.add($0, notedIn: context.environment) }
    var all: [OfferedItems.Item] = []
    let names = try await items.names(context, leftOut: keepsGoing ? leaveOut : nil)
    try await items.forEach(of: names, context) { all.append($0) }
    try await run(offering: all)
    if let failure = leftOut.failure(hasSentSome: true) { throw failure }
  }

  private func run(offering offered: [OfferedItems.Item]) async throws {
    if case .socket(let path) = endpoint { return try await listen(at: .unixSocket(path), offered) }
    let failures = LoadFailures()
    do {
      let receipt = try await endpoint.withSession(context.environment, options: transfer.stream) {
        try await offer(offered, in: $0, failures)
      }
      say(receipt, of: offered)
      if let failure = failures.failure(hasSentSome: !receipt.keptItems.isEmpty) { throw failure }
    } catch let error as DropStreamError where error.code == .refused {
      // Which a receiver says that has got nothing: the reason is here.
      throw failures.failure(hasSentSome: false) ?? ToolFailure(error)
    }
  }

  private func offer(
    _ items: [OfferedItems.Item], in session: DropSession, _ failures: LoadFailures
  ) async throws -> DropReceipt {
    let receipt = try await session.offer(
      items.map(\.provider), allowing: allowsMoving ? [.copy, .move] : .copy, failed: failures.add)
    guard receipt.action == .move, allowsMoving else { return receipt }
    var otherCount = 0
    var directories: Set<String> = []
    for index in receipt.keptItems where items.indices.contains(index) {
      guard let file = items[index].file else {
        otherCount += 1
        continue
      }
      let reason = try await runBlocking { file.removeMoved() }
      if let reason { context.environment.note(reason) } else { directories.insert(file.directoryPath) }
    }
    let changed = directories
    // Nothing is lost where this fails: a file that was moved may then be back after a crash of the machine.
    try await runBlocking {
      for path in changed { try? SystemCalls.syncDirectory(DropEndpoint.currentDirectory, path) }
    }
    if otherCount > 0 {
      let others = ToolHelp.count(otherCount, "item") + (otherCount == 1 ? " stays" : " stay")
      context.environment.note("\(others): only files are moved")
    }
    return receipt
  }

  private func say(_ receipt: DropReceipt, of items: [OfferedItems.Item]) {
    guard context.environment.errorsAreTerminal, !transfer.isQuiet else { return }
    let verb = receipt.action == .move ? "moved" : "taken"
    context.environment.note("\(receipt.keptItems.count) of \(ToolHelp.count(items.count, "item")) \(verb)")
  }

  // MARK: Listening

  private func listen(at socket: DropEndpoint, _ items: [OfferedItems.Item]) async throws {
    let failures = LoadFailures()
    let taken = try await DropStream.withListener(at: socket, options: transfer.stream) { listener in
      if context.environment.errorsAreTerminal, !transfer.isQuiet { context.environment.note("listening at \(socket)") }
      let (endings, newEndings) = AsyncStream.makeStream(of: Bool.self)
      return try await withThrowingTaskGroup(of: Void.self, returning: Int.self) { group in
        group.addTask {
          defer { newEndings.finish() }
          // Several at once: one that only connects keeps nobody waiting.
          try await serve(listener, items, failures) { newEndings.yield($0) }
        }
        var taken = 0
        for await hasTaken in endings {
          if hasTaken { taken += 1 }
          guard let takerCount, taken >= takerCount else { continue }
          group.cancelAll()
          // Cancelled by us, and so no failure.
          while await group.nextResult() != nil {}
          return taken
        }
        try await group.waitForAll()
        return taken
      }
    }
    try Task.checkCancellation()
    if let failure = failures.failure(hasSentSome: taken > 0) { throw failure }
  }

  /// Serves receivers until nobody can connect any more; one that fails does not concern the others.
  ///
  /// - Parameters:
  ///   - listener: Where they connect.
  ///   - items: What they are offered.
  ///   - failures: Gets what could not be made for one of them.
  ///   - ended: Told of each whether it has taken anything.
  /// - Throws: Why nobody can connect any more.
  private func serve(
    _ listener: DropListener, _ items: [OfferedItems.Item], _ failures: LoadFailures,
    _ ended: @escaping @Sendable (_ hasTaken: Bool) -> Void
  ) async throws {
    try await listener.serve { session in
      let own = LoadFailures()
      defer { failures.add(own) }
      do {
        return (try await offer(items, in: session, own), own)
      } catch let error as DropStreamError where error.code == .refused {
        throw own.failure(hasSentSome: false) ?? ToolFailure(error)
      }
    } ended: { (result: Result<(DropReceipt, LoadFailures), any Error>) in
      switch result {
      case .success((let receipt, let own)):
        say(receipt, of: items)
        let hasTaken = !receipt.keptItems.isEmpty
        if let failure = own.failure(hasSentSome: hasTaken) { context.environment.note(failure.message) }
        ended(hasTaken)
      case .failure(let error):
        if !Task.isCancelled { context.environment.note(ToolFailure(error).message) }
      }
    }
  }
}
