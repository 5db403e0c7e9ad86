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
    return try await contents.bytes(range, of: type, ofItem: index)
  }

  /// Returns the types of an item whose latest load delivered an unverified open file.
  ///
  /// The owner of such a file may change it while it is read.
  ///
  /// - Parameter index: The index of the item.
  /// - Returns: The types, in no particular order.
  public func uncheckedTypes(ofItem index: Int) -> Set<UTType> {
    contents.uncheckedTypes(ofItem: index)
  }
}
