// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import ItemTransfer
internal import UniformTypes

/// Where items are received from, one way or both.
struct ReceiveSource: Sendable {
  let endpoint: EndpointArgument
  let options: DropStreamOptions
  /// What the sender is told was done with what was kept.
  let action: DropAction

  /// Takes files into a folder, and lists none of them: there may be very many.
  ///
  /// - Parameters:
  ///   - folder: The folder.
  ///   - progress: Shows what comes.
  ///   - environment: Where input comes from.
  /// - Returns: What has come.
  /// - Throws: `noAcceptableType` where nothing else came; why nothing could be had.
  func receive(
    into folder: DropFolder, _ progress: TransferProgress, _ environment: ToolEnvironment
  ) async throws -> ReceiptSummary {
    // A session holds all its offers in memory, of which its limits allow only so much.
    if endpoint.isTwoWay { return ReceiptSummary(try await receive(into: folder, progress, environment) { _ in }) }
    var summary = ReceiptSummary()
    let publication = try await endpoint.reading(environment) { input in
      try await folder.receive(from: input, options: options, observer: Self.observer(progress)) { summary.add($0) }
    }
    summary.settle(publication)
    if summary.hasNothingAcceptable {
      throw Self.nothingAcceptable(among: summary.leftOut, wanted: folder.acceptedTypes)
    }
    return summary
  }

  /// Takes files into a folder.
  ///
  /// - Parameters:
  ///   - folder: The folder.
  ///   - progress: Shows what comes.
  ///   - environment: Where input comes from.
  ///   - whenKept: Uses the files before the sender is told of them; a throw means that nothing was kept.
  /// - Returns: What has come.
  /// - Throws: `noAcceptableType` where nothing else came; what `whenKept` throws, and why nothing could be had.
  func receive(
    into folder: DropFolder, _ progress: TransferProgress, _ environment: ToolEnvironment,
    whenKept: (DropFolder.Receipt) async throws -> Void
  ) async throws -> DropFolder.Receipt {
    let observer = Self.observer(progress)
    func checked(_ receipt: DropFolder.Receipt) async throws -> DropFolder.Receipt {
      if receipt.hasNothingAcceptable {
        throw Self.nothingAcceptable(among: receipt.leftOut, wanted: folder.acceptedTypes)
      }
      try await whenKept(receipt)
      return receipt
    }
    guard endpoint.isTwoWay else {
      return try await checked(
        try await endpoint.reading(environment) {
          try await folder.receive(from: $0, options: options, observer: observer)
        })
    }
    return try await withDrop(environment) { drop in
      progress.setTotal(bytes: nil, items: drop.items.count)
      let receipt = try await checked(try await folder.receive(drop, observer: observer))
      return (receipt, receipt.keptItems)
    }
  }

  private static func observer(_ progress: TransferProgress) -> DropFolder.Observer {
    DropFolder.Observer(
      begin: { name, byteCount in
        progress.begin(item: name, byteCount: byteCount)
        progress.enter(.transferring)
      },
      advance: { progress.advance(by: $0) }, remark: { progress.note($0) })
  }

  /// Has the first drop of a session, and says what was kept of it, or why nothing was.
  ///
  /// - Parameters:
  ///   - environment: Where standard input and output are.
  ///   - keepsItems: Whether `body` may keep any: then the sender must allow the action.
  ///   - body: Uses the items; answers which it has kept.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws, of which the sender hears; why the session has failed. A failure behind `body` says
  ///   how many items are kept.
  func withDrop<Result: Sendable>(
    _ environment: ToolEnvironment, keepsItems: Bool = true,
    _ body: (IncomingDrop) async throws -> (Result, kept: [Int])
  ) async throws -> Result {
    try await endpoint.withSession(environment, options: options) { session in
      for try await drop in session.drops {
        let result: Result
        let kept: [Int]
        do {
          guard drop.items.count <= options.limits.items else {
            throw ToolFailure(.refused, "there are more items than \(options.limits.items)")
          }
          if keepsItems { try checkAction(drop.actions) }
          (result, kept) = try await body(drop)
        } catch {
          // A sender that was waited for in vain is told by the end of the session, which waits no second time.
          if ToolFailure(error).exitCode != .timedOut {
            try? await drop.refuse(because: ToolFailure(error).message)
          }
          throw error
        }
        try await finish(drop, keeping: kept)
        return result
      }
      throw ToolFailure(.peerGone, "the other side has ended without offering anything")
    }
  }

  /// Before anything is requested: what is kept must not be refused afterwards.
  private func checkAction(_ allowed: DropActions) throws(ToolFailure) {
    guard !allowed.contains(action) else { return }
    switch action {
    case .move: throw ToolFailure(.refused, "the sender does not let its files be moved; see dragpipe send --move")
    case .copy where allowed.contains(.move):
      throw ToolFailure(.refused, "the sender lets its items be moved only, not copied; see dragpipe receive --move")
    case .copy, .link: throw ToolFailure(.refused, "the sender does not let its items be copied")
    }
  }

  private func finish(_ drop: IncomingDrop, keeping kept: [Int]) async throws {
    if kept.isEmpty {
      guard let allowed = DropAction.allCases.first(where: drop.actions.contains) else {
        return try await drop.refuse(because: "nothing was taken")
      }
      return try await drop.finish(allowed, keeping: [])
    }
    do {
      try await drop.finish(action, keeping: kept)
    } catch {
      let failure = ToolFailure(error)
      let items = ToolHelp.count(kept.count, "item")
      throw ToolFailure(failure.exitCode, "received \(items); the sender did not confirm: \(failure.message)")
    }
  }

  /// Why nothing could be taken.
  private static func nothingAcceptable(among items: [DropFolder.LeftOutItem], wanted: [UTType]) -> ToolFailure {
    var seen: Set<String> = []
    let types = items.flatMap(\.contentTypes).map { $0.identifier.escapedForDisplay() }.filter {
      seen.insert($0).inserted
    }
    let offered = types.prefix(20).joined(separator: ", ") + (types.count > 20 ? ", …" : "")
    let names = wanted.map { $0.identifier.escapedForDisplay() }.joined(separator: " or ")
    return ToolFailure(.noAcceptableType, "nothing here is \(names); offered was \(offered)")
  }
}
