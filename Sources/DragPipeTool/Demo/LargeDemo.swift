// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import FoundationEssentials
internal import ItemTransfer
internal import UniformTypes

/// Something large crosses a socket: once to its verified end, and once half way, when the destination calls it off.
struct LargeDemo: Sendable {
  let byteCount: Int64
  let progressMode: ProgressMode

  private static let refusal = "called off half way"

  // MARK: The source

  /// Offers it twice, and hears that the second one is not wanted any more.
  func offer(_ environment: ToolEnvironment) async throws {
    let descriptors = try await OpenDescriptors()
    let second = LargeContent(byteCount: byteCount)
    let heard = try await DropStream.withSession(over: session(environment)) { session in
      _ = try await session.offer([item(LargeContent(byteCount: byteCount))])
      do {
        _ = try await session.offer([item(second)])
        return "that all was kept"
      } catch let error as DropStreamError where error.code == .refused {
        return error.senderFailure?.reason ?? ""
      }
    }
    try await DemoEvent.stopped(made: second.madeByteCount, heard: heard).tell(environment)
    try await DemoEvent.closed(descriptors: descriptors.growth()).tell(environment)
  }

  private func item(_ content: LargeContent) -> ItemProvider {
    let provider = ItemProvider(suggestedName: "large")
    provider.registerStream(.data, size: .exact(content.byteCount)) { _ in content }
    return provider
  }

  // MARK: The destination

  /// Takes the first, and half of the second.
  func take(_ environment: ToolEnvironment) async throws {
    let descriptors = try await OpenDescriptors()
    try await DropStream.withSession(over: session(environment)) { session in
      var drops = session.drops.makeAsyncIterator()
      guard let first = try await drops.next() else { throw Self.missing }
      let start = ContinuousClock.now
      let count = try await load(first.items, environment)
      try await DemoEvent.whole(bytes: count, seconds: (.now - start) / .seconds(1)).tell(environment)
      try await first.finish(.copy)

      guard let second = try await drops.next() else { throw Self.missing }
      let loaded = try await load(second.items, upTo: byteCount / 2, environment)
      try await DemoEvent.cancelled(bytes: loaded).tell(environment)
      try await second.refuse(because: Self.refusal)
      // The source has the last word.
      while try await drops.next() != nil {}
    }
    try await DemoEvent.closed(descriptors: descriptors.growth()).tell(environment)
  }

  /// Takes chunk after chunk, and keeps none; where there is a limit, the load is cancelled there.
  private func load(
    _ items: [ItemProvider], upTo limit: Int64? = nil, _ environment: ToolEnvironment
  ) async throws -> Int64 {
    guard let item = items.first else { throw Self.missing }
    let progress = ItemProgress()
    var count: Int64 = 0
    var lastTold = ContinuousClock.now
    do {
      for try await chunk in try await item.bytes(for: .data, progress: progress) {
        count += Int64(chunk.count)
        if let limit, count >= limit { progress.cancel() }
        guard .now - lastTold >= ProgressPresenter.interval / 2 else { continue }
        lastTold = .now
        try await DemoEvent.moved(bytes: count).tell(environment)
      }
    } catch let error as ItemProviderError where error.code == .cancelled && limit != nil && !Task.isCancelled {
      return count
    }
    guard limit == nil else { throw ToolFailure(.failure, "the transfer came to its end although it was cancelled") }
    return count
  }

  private static var missing: ToolFailure { ToolFailure(.peerGone, "the source has offered nothing") }

  private func session(_ environment: ToolEnvironment) throws -> DropEndpoint {
    .descriptor(try SystemCalls.duplicate(environment.input))
  }
}
