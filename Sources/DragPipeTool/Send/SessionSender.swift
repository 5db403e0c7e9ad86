// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropTransport
internal import ItemCoding
internal import ItemTransfer

/// Offers items to receivers that ask for what they want.
struct SessionSender: Sendable {
  let items: OfferedItems
  let endpoint: EndpointArgument
  /// How many receivers must have taken something; `nil` of a listener stands for as many as come.
  let takerCount: Int?
  let allowsMoving: Bool
  let transfer: TransferOptions

  func run(in environment: ToolEnvironment) async throws {
    var all: [OfferedItems.Item] = []
    try await items.forEach(environment) { all.append($0) }
    let offered = all
    if case .socket(let path) = endpoint { return try await listen(at: .unixSocket(path), offered, environment) }
    let receipt = try await endpoint.withSession(environment, options: transfer.stream) {
      try await offer(offered, in: $0, environment)
    }
    say(receipt, of: offered, environment)
  }

  private func offer(
    _ items: [OfferedItems.Item], in session: DropSession, _ environment: ToolEnvironment
  ) async throws -> DropReceipt {
    let receipt = try await session.offer(
      items.map(\.provider), allowing: allowsMoving ? [.copy, .move] : .copy)
    guard receipt.action == .move, allowsMoving else { return receipt }
    for index in receipt.keptItems where items.indices.contains(index) {
      guard let file = items[index].file else { continue }
      let reason = try await runBlocking { file.removeMoved() }
      if let reason { environment.note(reason) }
    }
    return receipt
  }

  private func say(_ receipt: DropReceipt, of items: [OfferedItems.Item], _ environment: ToolEnvironment) {
    guard environment.errorsAreTerminal, !transfer.isQuiet else { return }
    let verb = receipt.action == .move ? "moved" : "taken"
    environment.note("\(receipt.keptItems.count) of \(ToolHelp.count(items.count, "item")) \(verb)")
  }

  // MARK: Listening

  private enum Event: Sendable {
    /// A receiver is there.
    case connected
    case ended(hasTaken: Bool)
  }

  /// How many receivers are served at once.
  private static let maximumReceivers = 64

  private func listen(
    at socket: DropEndpoint, _ items: [OfferedItems.Item], _ environment: ToolEnvironment
  ) async throws {
    try await DropStream.withListener(at: socket, options: transfer.stream) { listener in
      let (events, newEvents) = AsyncStream.makeStream(of: Event.self)
      try await withThrowingTaskGroup(of: Void.self) { group in
        let serve: @Sendable () async throws -> Void = {
          try await serveNext(listener, items, newEvents, environment)
        }
        group.addTask(operation: serve)
        var (serving, taken, isWaiting) = (0, 0, true)
        for await event in events {
          switch event {
          case .connected:
            serving += 1
            isWaiting = false
          case .ended(let hasTaken):
            serving -= 1
            if hasTaken { taken += 1 }
          }
          if let takerCount, taken >= takerCount { break }
          if !isWaiting, serving < Self.maximumReceivers {
            isWaiting = true
            group.addTask(operation: serve)
          }
        }
        group.cancelAll()
        try await group.waitForAll()
      }
    }
    try Task.checkCancellation()
  }

  /// Serves the next receiver to the end of its session, whatever comes of it.
  private func serveNext(
    _ listener: DropListener, _ items: [OfferedItems.Item], _ events: AsyncStream<Event>.Continuation,
    _ environment: ToolEnvironment
  ) async throws {
    var (isConnected, hasTaken) = (false, false)
    do {
      let receipt = try await listener.withNextSession { session in
        events.yield(.connected)
        isConnected = true
        return try await offer(items, in: session, environment)
      }
      hasTaken = !receipt.keptItems.isEmpty
      say(receipt, of: items, environment)
    } catch {
      if Task.isCancelled { return }
      if !isConnected {
        // Nobody can connect any more.
        if (error as? DropStreamError)?.code == .systemCall {
          events.finish()
          throw error
        }
        events.yield(.connected)
      }
      // One that fails does not concern the others.
      environment.note(ToolFailure(error).message)
    }
    events.yield(.ended(hasTaken: hasTaken))
  }
}
