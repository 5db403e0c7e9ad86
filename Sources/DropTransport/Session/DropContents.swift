// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import FoundationEssentials
internal import ItemTransfer
internal import Synchronization
internal import UniformTypes

/// The contents of a received offer.
///
/// Each content is requested from the source when it is loaded.
///
/// The ``IncomingDrop`` and its items retain the object. Its release reports to the source that nothing was kept,
/// unless the offer was finished.
final class DropContents: Sendable {
  private struct Unchecked: Hashable {
    let item: Int
    let representation: Int
  }

  let offer: SessionOffer
  private let session: DropSession
  /// Whether a finish was sent, or is about to be.
  let isFinished = Lock(false)
  private let unchecked = Lock<Set<Unchecked>>([])
  /// The items of which at least one representation has arrived completely.
  private let received = Lock<Set<Int>>([])

  init(_ offer: SessionOffer, session: DropSession) {
    self.offer = offer
    self.session = session
  }

  deinit {
    session.endIfOpen(offer.generation)
  }

  /// Checks that the offer can still be finished.
  ///
  /// - Throws: The failure of the session; `withdrawn`; `closed` if the offer is finished.
  func checkIsOpen() throws(DropStreamError) {
    guard !isFinished.withLock({ $0 }) else { throw DropStreamError(.closed, "the drop is finished") }
    try session.state.withLock { state throws(DropStreamError) in
      try state.checkIsOpen()
      guard state.destination.isOpen(offer.generation) else { throw .withdrawnOffer }
    }
  }

  func finish(_ finish: SessionFinish) async throws(DropStreamError) {
    try await session.finish(self, finish)
  }

  /// Whether at least one representation of an item has arrived completely.
  func hasReceived(_ item: Int) -> Bool { received.withLock { $0.contains(item) } }

  func uncheckedTypes(ofItem index: Int) -> Set<UTType> {
    let found = unchecked.withLock { $0.filter { $0.item == index } }
    return Set(found.map { UTType(named: offer.items[index].representations[$0.representation].typeIdentifier) })
  }

  /// Returns an item provider that requests each representation when it is loaded.
  func provider(of index: Int) -> ItemProvider {
    let item = offer.items[index]
    return ItemProvider(item) { offered, number, original in
      let traits = ItemRepresentation.Traits(offered: offered, size: offered.size, aliasedType: original)
      return ItemRepresentation(traits) { [self] progress, inPlace in
        try await content(index, number, original: offered.alias ?? number, inPlace: inPlace, progress)
      }
    }
  }

  private func content(
    _ index: Int, _ number: Int, original: Int, inPlace: Bool, _ progress: ItemProgress
  ) async throws(DropStreamError) -> ItemContent {
    let asked = try await session.ask(
      for: UInt32(index), UInt32(original), of: offer.generation,
      promised: offer.items[index].representations[original].byteCount, inPlace: inPlace, progress: progress)
    let receive = { @Sendable [self] in received.withLock { _ = $0.insert(index) } }
    let chunks = SessionChunks(asked, session: session, onEnd: receive)
    guard let first = try await chunks.nextPiece() else { return .data(Data()) }
    switch first {
    case .bytes(let data, isWhole: true):
      receive()
      unchecked.withLock { _ = $0.remove(Unchecked(item: index, representation: number)) }
      return .data(data)
    case .bytes(_, isWhole: false), .zeros:
      unchecked.withLock { _ = $0.remove(Unchecked(item: index, representation: number)) }
      return .stream(chunks.starting(with: first))
    case .descriptor(let description, let descriptor):
      let received = ReceivedDescriptor(description, descriptor)
      let content = try await received.content(expecting: offer.items[index].representations[original].byteCount)
      unchecked.withLock { unchecked in
        let entry = Unchecked(item: index, representation: number)
        if description.kind == .sealedMemory { unchecked.remove(entry) } else { unchecked.insert(entry) }
      }
      receive()
      return content
    }
  }

  /// Requests the rest of a representation whose start was already received.
  ///
  /// - Parameters:
  ///   - index: The index of the item.
  ///   - type: The type of the representation.
  ///   - start: The received bytes, which the source compares with its content.
  /// - Returns: The bytes after the start; `nil` if the source cannot compare.
  /// - Throws: `representationFailed` if the source's content starts with other bytes, or cannot be loaded; `limitExceeded`;
  ///   `cancelled`; the failure of the session.
  func rest(
    ofItem index: Int, _ type: UTType, after start: ReceivedStart
  ) async throws(DropStreamError) -> ContentRest? {
    guard session.state.withLock({ $0.peer?.features.contains(.starts) == true }) else { return nil }
    let original = try original(of: type, ofItem: index)
    let asked = try await session.ask(
      for: UInt32(index), UInt32(original), of: offer.generation, range: start.byteCount..<UInt64(Int64.max),
      startDigest: start.digest, promised: offer.items[index].representations[original].byteCount,
      progress: ItemProgress())
    let chunks = SessionChunks(asked, session: session) { [self] in received.withLock { _ = $0.insert(index) } }
    // The first response shows whether the source has the same start.
    let first = try await chunks.nextPiece()
    let limit = session.options.limits.bytes
    guard !session.state.withLock({ $0.destination.exceeds(limit, with: start.byteCount) }) else {
      throw .excess(ofBytes: limit)
    }
    return first.map { chunks.starting(with: $0) } ?? chunks
  }

  /// Returns the index of the representation that has the bytes of a type.
  ///
  /// - Throws: `representationFailed` if the item does not declare the type.
  private func original(of type: UTType, ofItem index: Int) throws(DropStreamError) -> Int {
    let representations = offer.items[index].representations
    guard let number = representations.firstIndex(where: { UTType(named: $0.typeIdentifier) == type }) else {
      throw DropStreamError(.representationFailed, "the item has no \(type)")
    }
    return representations[number].alias ?? number
  }

  func bytes(_ range: Range<UInt64>, of type: UTType, ofItem index: Int) async throws(DropStreamError) -> Data {
    let original = try original(of: type, ofItem: index)
    // A file has at most `Int64.max` bytes.
    let wanted = range.clamped(to: 0..<UInt64(Int64.max))
    let asked = try await session.ask(
      for: UInt32(index), UInt32(original), of: offer.generation, range: wanted,
      promised: offer.items[index].representations[original].byteCount, progress: ItemProgress())
    let chunks = SessionChunks(asked, session: session)
    var all = Data()
    while let piece = try await chunks.nextPiece() {
      guard let count = piece.byteCount, UInt64(all.count) + count <= wanted.upperBound - wanted.lowerBound else {
        throw DropStreamError(.damaged, "corrupt: the response does not match the requested range")
      }
      if case .bytes(let data, _) = piece { all.append(data) } else { all.append(Data(count: Int(count))) }
    }
    return all
  }
}
