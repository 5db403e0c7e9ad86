// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropSystem
internal import DropTransport
internal import FoundationEssentials
internal import Synchronization

/// The content of an offer, each value of which crosses in a pipe of its own.
///
/// The protocol does not distinguish the end of a value from a source that has failed: both close the pipe.
struct WaylandContent: ForeignContent {
  let display: WaylandDisplay
  /// The offer; `nil` if no program offers anything.
  let offer: WaylandObject?

  var options: DesktopOptions { display.options }

  func typeNames() async throws -> [String] {
    guard let offer, let names = display.offers.withLock({ $0[offer]?.names }) else {
      throw DesktopError(.nothingOffered, "no program offers anything")
    }
    guard !names.isEmpty else { throw DesktopError(.nothingOffered, "the other program offers no types") }
    return names
  }

  func transfer(of name: String) async throws -> (any ForeignTransfer)? {
    guard let pipe = try await pipe(of: name) else { return nil }
    return WaylandTransfer(
      content: self, source: try ChunkSource(.descriptor(pipe), idleTimeout: display.options.idleTimeout))
  }

  func pipe(of name: String) async throws -> CInt? {
    guard let offer, isOffered else { return nil }
    let pipe = try SystemCalls.pipe()
    let reader = OwnedDescriptor(pipe.read)
    let writer = WaylandDescriptor(OwnedDescriptor(pipe.write))
    do {
      try display.connection.send(offer, "receive", .string(name), .descriptor(writer))
    } catch {
      throw DesktopError(error)
    }
    return reader.release()
  }

  /// Whether the offer is still valid.
  fileprivate var isOffered: Bool { offer.map { offer in display.offers.withLock { $0[offer] != nil } } ?? false }
}

/// The transfer of one value through a pipe.
private final class WaylandTransfer: ForeignTransfer {
  private let content: WaylandContent
  private let source: ChunkSource
  private let readCount = Lock(0)

  init(content: WaylandContent, source: ChunkSource) {
    self.content = content
    self.source = source
  }

  func nextBytes(limit: Int) async throws -> ArraySlice<UInt8>? {
    guard let chunk = try await nextChunk() else {
      if readCount.withLock({ $0 }) == 0 {
        // A compositor closes the pipe of an invalid offer at once, which looks like an empty value. The event that
        // ended the offer may not have been routed yet.
        try await content.display.roundTrip()
        guard content.isOffered else { throw DesktopError.sourceClosed }
      }
      return nil
    }
    let count = readCount.withLock { count in
      count += chunk.count
      return count
    }
    guard count <= limit else {
      throw DesktopError(
        .limitExceeded, "the value of at least \(count) bytes exceeds the limit of \(limit) bytes",
        isByteLimit: limit == content.options.maximumBytes)
    }
    return ArraySlice(chunk)
  }

  private func nextChunk() async throws -> Data? {
    do {
      return try await source.next()
    } catch {
      switch error.code {
      case .timedOut:
        let limit = content.options.idleTimeout
        throw DesktopError(.timedOut, "no response within \(limit) while the other program sends a value")
      case .cancelled: throw CancellationError()
      default: throw error
      }
    }
  }
}
