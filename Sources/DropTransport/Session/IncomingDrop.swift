// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
public import FoundationEssentials
public import ItemTransfer
public import UniformTypes

/// Items that the other side of a session offers.
///
/// The items are item providers like any other; what is loaded of them is asked for then, and made there. Say what was
/// kept with ``finish(_:keeping:)``: the source waits for it. A drop that is let go of, with all of its items, before
/// that has kept nothing.
public final class IncomingDrop: Sendable {
  private let contents: DropContents
  /// The items, in the source's order.
  public let items: [ItemProvider]
  /// What the source lets a destination do.
  public let actions: DropActions

  init(_ offer: SessionOffer, session: DropSession) {
    let contents = DropContents(offer, session: session)
    self.contents = contents
    actions = offer.actions
    items = offer.items.indices.map { contents.provider(of: $0) }
  }

  /// Tells the source what was kept, and waits until it has heard.
  ///
  /// Flush what was kept to the disk before a ``DropAction/move``, as ``DropFolder`` does: the source removes its own next.
  ///
  /// Of files that were moved without a copy (``DropFolder/takesOriginalFiles``), it also waits for their removal there.
  ///
  /// - Parameters:
  ///   - action: What was done; one of ``actions``.
  ///   - kept: The items that were kept, by index; `nil` stands for all.
  /// - Throws: `withdrawn` when the source had taken the offer back before: it keeps what it has. `peerGone` and the like
  ///   when the session has failed: then nobody knows whether the source has heard. `closed` when it was finished before.
  ///   `notAllowed` for an action that the source does not allow, `cancelled`: of a task that is cancelled while the
  ///   source has not answered, nobody knows. `systemCall` where a file is the source's as well, and cannot be copied.
  /// - Precondition: There are such items.
  public func finish(_ action: DropAction, keeping kept: [Int]? = nil) async throws(DropStreamError) {
    guard actions.contains(action) else {
      throw DropStreamError(.notAllowed, "the source does not allow a \(action)")
    }
    let kept = kept.map { Set($0).sorted() } ?? Array(items.indices)
    precondition(kept.allSatisfy(items.indices.contains), "items that are not there")
    try await contents.finish(SessionFinish(action: action, kept: kept.map { UInt32($0) }))
  }

  /// Tells the source that nothing is kept, and why, and waits until it has heard.
  ///
  /// - Parameter reason: For whoever looks at the source; up to 1024 bytes.
  /// - Throws: As ``finish(_:keeping:)``.
  public func refuse(because reason: String) async throws(DropStreamError) {
    try await contents.finish(SessionFinish(refusal: SenderFailure(kind: .failed, reason: reason)))
  }

  /// Whether the other side is known to be a process of this user.
  var isOfSameUser: Bool { contents.isOfSameUser }

  /// Has files that the source still has as well become files of their own when the drop is finished.
  func settleAtEnd(_ originals: OriginalFiles) {
    contents.originals.withLock { $0.append(originals) }
  }

  /// Asks for a part of a representation.
  ///
  /// - Parameters:
  ///   - range: The bytes wanted, counted from the start; what lies beyond the end does not come.
  ///   - type: A type that the item has, exactly.
  ///   - index: The item.
  /// - Returns: Those bytes, whole and checked. They are a part, and so of no type.
  /// - Throws: `DropStreamError`: the source's failure, `withdrawn`, `cancelled`; `representationFailed` where the item
  ///   has no such type.
  /// - Precondition: There is such an item.
  public func bytes(
    _ range: Range<UInt64>, of type: UTType, ofItem index: Int
  ) async throws(DropStreamError) -> Data {
    precondition(items.indices.contains(index), "item \(index) of \(items.count)")
    return try await contents.bytes(range, of: type, ofItem: index)
  }

  /// The types of an item of which what was loaded last came as an open file, which nothing has checked: its owner may
  /// change it while it is read.
  ///
  /// - Parameter index: The item.
  /// - Returns: The types, in no order.
  public func uncheckedTypes(ofItem index: Int) -> Set<UTType> {
    contents.uncheckedTypes(ofItem: index)
  }
}
