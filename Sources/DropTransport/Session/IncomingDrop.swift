// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
public import FoundationEssentials
public import ItemTransfer
internal import Synchronization
public import UniformTypes

/// The items of an offer from the peer.
///
/// The items are ordinary item providers. Loading a representation requests it from the source, which creates it then.
/// Report the kept items with ``finish(_:keeping:)``, because the source waits for the report. If the drop and all of
/// its items are released before, the drop reports that nothing was kept.
public final class IncomingDrop: Sendable {
  let contents: DropContents
  /// The items, in the source's order.
  public let items: [ItemProvider]
  /// The actions that the source allows.
  public let actions: DropActions

  init(_ offer: SessionOffer, session: DropSession) {
    let contents = DropContents(offer, session: session)
    self.contents = contents
    actions = offer.actions
    items = offer.items.indices.map { contents.provider(of: $0) }
  }

  /// Reports the kept items to the source and waits for its acknowledgement.
  ///
  /// Before a ``DropAction/move``, flush the kept items to disk, as ``DropFolder`` does: after the report, the source
  /// removes its own items.
  ///
  /// - Parameters:
  ///   - action: The action that was taken; one of ``actions``.
  ///   - kept: The indices of the kept items; `nil` for all items.
  /// - Throws: `withdrawn` if the source has withdrawn the offer; it then keeps its items. `peerGone` and similar
  ///   errors if the session has failed; it is then unknown whether the source received the report. `closed` if the
  ///   drop was finished before. `notAllowed` for an action that the source does not allow, and for a move of an item of
  ///   which no representation has arrived completely. `cancelled`; the outcome is unknown if the source has not
  ///   acknowledged the report.
  /// - Precondition: All indices are valid.
  public func finish(_ action: DropAction, keeping kept: [Int]? = nil) async throws(DropStreamError) {
    guard actions.contains(action) else {
      throw DropStreamError(.notAllowed, "the source does not allow a \(action)")
    }
    let kept = kept.map { Set($0).sorted() } ?? Array(items.indices)
    precondition(kept.allSatisfy(items.indices.contains), "an index in `kept` is out of range")
    if action == .move, let item = kept.first(where: { !contents.hasReceived($0) }) {
      throw DropStreamError(.notAllowed, "item \(item + 1) has not arrived completely, so it cannot be moved")
    }
    try await contents.finish(SessionFinish(action: action, kept: kept.map { UInt32($0) }))
  }

  /// Reports to the source that nothing is kept and why, and waits for its acknowledgement.
  ///
  /// - Parameter reason: The reason, which is shown to the user of the source. It is truncated to 1024 bytes.
  /// - Throws: The errors of ``finish(_:keeping:)``.
  public func refuse(because reason: String) async throws(DropStreamError) {
    try await contents.finish(SessionFinish(refusal: SenderFailure(kind: .failed, reason: reason)))
  }

  /// Requests a part of a representation.
  ///
  /// - Parameters:
  ///   - range: The offsets of the requested bytes in the content. The result omits bytes beyond the end.
  ///   - type: A type that the item declares. Its subtypes and supertypes do not match.
  ///   - index: The index of the item.
  /// - Returns: The bytes, complete and verified. A part of a content is in general not a valid value of its type.
  /// - Throws: `DropStreamError`: the failure of the source, `withdrawn`, `cancelled`; `representationFailed` if the
  ///   item does not declare the type.
  /// - Precondition: The index is valid.
  public func bytes(
    _ range: Range<UInt64>, of type: UTType, ofItem index: Int
  ) async throws(DropStreamError) -> Data {
    precondition(items.indices.contains(index), "item \(index) of \(items.count)")
    let original = try contents.original(of: type, ofItem: index)
    // A file has at most `Int64.max` bytes.
    let wanted = range.clamped(to: 0..<UInt64(Int64.max))
    let chunks = SessionChunks(
      try await contents.ask(index, original, range: wanted, progress: ItemProgress()), session: contents.session)
    var all = Data()
    while let run = try await chunks.nextRun(zerosAtMost: UInt64(ZeroBytes.maximumCount)) {
      guard UInt64(all.count) + UInt64(run.byteCount) <= wanted.upperBound - wanted.lowerBound else {
        throw DropStreamError(.damaged, "corrupt: the response does not match the requested range")
      }
      all.append(run.chunk)
    }
    return all
  }

  /// Returns the types of an item whose latest load delivered an unverified open file.
  ///
  /// The owner of such a file may change it while it is read.
  ///
  /// - Parameter index: The index of the item.
  /// - Returns: The types, in no particular order.
  public func uncheckedTypes(ofItem index: Int) -> Set<UTType> {
    let unchecked = contents.unchecked.withLock { $0[index] ?? [] }
    return Set(
      unchecked.map { UTType(named: contents.offer.items[index].representations[$0].typeIdentifier) })
  }
}

/// The contents of a received offer.
///
/// Each content is requested from the source when it is loaded.
///
/// The ``IncomingDrop`` and its items retain the object. Its release reports to the source that nothing was kept,
/// unless the offer was finished.
final class DropContents: Sendable {
  let offer: SessionOffer
  let session: DropSession
  /// Whether a finish was sent, or is about to be.
  let isFinished = Lock(false)
  /// The representations of each item whose latest load delivered an unverified open file.
  let unchecked = Lock<[Int: Set<Int>]>([:])
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

  /// Returns an item provider that requests each representation when it is loaded.
  func provider(of index: Int) -> ItemProvider {
    let item = offer.items[index]
    return ItemProvider(item) { offered, number, original in
      let traits = ItemRepresentation.Traits(
        offered: offered, size: offered.size, aliasedType: original, forSession: true)
      return ItemRepresentation(traits) { [self] progress, inPlace in
        try await content(index, number, original: offered.alias ?? number, inPlace: inPlace, progress)
      }
    }
  }

  private func content(
    _ index: Int, _ number: Int, original: Int, inPlace: Bool, _ progress: ItemProgress
  ) async throws(DropStreamError) -> ItemContent {
    let receive = { @Sendable [self] in received.withLock { _ = $0.insert(index) } }
    let chunks = SessionChunks(
      try await ask(index, original, inPlace: inPlace, progress: progress), session: session, onEnd: receive)
    var isUnchecked = false
    let content: ItemContent
    switch try await chunks.peek() {
    case nil: return .data(Data())
    case .bytes(let data, isWhole: true):
      receive()
      content = .data(data)
    case .bytes(_, isWhole: false), .zeros: content = .stream(chunks)
    case .descriptor(let description, let descriptor):
      content = try await ReceivedDescriptor(description, descriptor)
        .content(expecting: offer.items[index].representations[original].byteCount)
      isUnchecked = description.kind != .sealedMemory
      receive()
    }
    unchecked.withLock { unchecked in
      if isUnchecked {
        unchecked[index, default: []].insert(number)
      } else {
        unchecked[index]?.remove(number)
      }
    }
    return content
  }

  /// Requests a representation, or a part of it.
  fileprivate func ask(
    _ index: Int, _ original: Int, range: Range<UInt64>? = nil, startDigest: [UInt8]? = nil, inPlace: Bool = false,
    progress: ItemProgress
  ) async throws(DropStreamError) -> SessionContent {
    try await session.ask(
      for: UInt32(index), UInt32(original), of: offer.generation, range: range, startDigest: startDigest,
      promised: offer.items[index].representations[original].byteCount, inPlace: inPlace, progress: progress)
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
    let asked = try await ask(
      index, original, range: start.byteCount..<UInt64(Int64.max), startDigest: start.digest,
      progress: ItemProgress())
    let chunks = SessionChunks(asked, session: session) { [self] in received.withLock { _ = $0.insert(index) } }
    // The first response shows whether the source has the same start.
    _ = try await chunks.peek()
    let limit = session.options.limits.bytes
    guard !session.state.withLock({ $0.destination.exceeds(limit, with: start.byteCount) }) else {
      throw .excess(ofBytes: limit)
    }
    return chunks
  }

  /// Returns the index of the representation that has the bytes of a type.
  ///
  /// - Throws: `representationFailed` if the item does not declare the type.
  fileprivate func original(of type: UTType, ofItem index: Int) throws(DropStreamError) -> Int {
    let representations = offer.items[index].representations
    guard let number = representations.firstIndex(where: { UTType(named: $0.typeIdentifier) == type }) else {
      throw DropStreamError(.representationFailed, "the item has no \(type)")
    }
    return representations[number].alias ?? number
  }
}

/// The action that a destination performs on the items of an offer.
public enum DropAction: UInt8, Sendable, Hashable, CaseIterable {
  /// The destination has a copy of the item.
  case copy = 1
  /// The destination has the item, and the source should remove its own item.
  case move = 2
  /// The destination refers to the source's item.
  case link = 4
}

/// The actions that a source allows.
public struct DropActions: OptionSet, Sendable, Hashable {
  /// One bit for each ``DropAction``, equal to its raw value.
  public let rawValue: UInt8

  /// Creates a set from bits.
  ///
  /// Unknown bits are retained.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// The destination may take a copy.
  public static let copy = DropActions(rawValue: DropAction.copy.rawValue)
  /// The destination may take the item, and the source then removes its own item.
  public static let move = DropActions(rawValue: DropAction.move.rawValue)
  /// The destination may refer to the source's item.
  public static let link = DropActions(rawValue: DropAction.link.rawValue)

  /// Returns whether the set contains an action.
  public func contains(_ action: DropAction) -> Bool { rawValue & action.rawValue != 0 }
}

/// The outcome of an offer that the destination has not refused.
public struct DropReceipt: Sendable, Hashable {
  /// The action that the destination has performed.
  public let action: DropAction
  /// The indices of the kept items in ascending order.
  ///
  /// After a move, the source may remove only these items.
  public let keptItems: [Int]

  package init(action: DropAction, keptItems: [Int]) {
    self.action = action
    self.keptItems = keptItems
  }
}
