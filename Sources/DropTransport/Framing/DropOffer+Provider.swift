// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import ItemCoding
internal import ItemTransfer
internal import UniformTypes

extension DropOffer.Representation {
  /// What is said of `representation`, which is one of `others`, to a reader with these limits.
  init(
    _ representation: ItemRepresentation, among others: [ItemRepresentation],
    limits: DropStreamLimits = DropStreamLimits()
  ) {
    self.init(typeIdentifier: representation.contentType.identifier)
    byteCount = representation.size.promised.flatMap(UInt64.init(exactly:))
    if byteCount == nil { estimatedByteCount = representation.size.expected.flatMap(UInt64.init(exactly:)) }
    supertypes = representation.supertypesToState.prefix(limits.supertypes).map(\.identifier)
    if let original = representation.aliasedType,
      let index = others.firstIndex(where: { $0.contentType == original }),
      others[index].aliasedType == nil,
      index < others.firstIndex(where: { $0.contentType == representation.contentType }) ?? 0
    {
      alias = index
      (byteCount, estimatedByteCount) = (nil, nil)
    }
  }
}

extension DropOffer {
  /// What is said of an item.
  ///
  /// - Parameters:
  ///   - provider: The item.
  ///   - representations: Those that are offered.
  ///   - forSession: Whether the destination may be handed files.
  init(_ provider: ItemProvider, _ representations: [ItemRepresentation], forSession: Bool = false) {
    self.init(
      suggestedName: provider.suggestedName.flatMap { $0.isEmpty ? nil : $0 },
      representations: representations.map { representation in
        var offered = Representation(representation, among: representations)
        offered.opensInPlace = forSession && representation.opensInPlace
        return offered
      })
  }

  /// Refuses here what every reader would refuse there.
  ///
  /// - Throws: `representationFailed`.
  static func check(_ representations: [ItemRepresentation]) throws(DropStreamError) {
    let limits = DropStreamLimits()
    guard (1...limits.representations).contains(representations.count) else {
      throw DropStreamError(.representationFailed, "an item with \(representations.count) representations")
    }
    for type in representations.map(\.contentType.identifier)
    where !isReadable(typeIdentifier: type) || type.utf8.count > limits.typeIdentifierBytes {
      throw DropStreamError(.representationFailed, "\"\(type.escapedForDisplay())\" cannot stand for a type")
    }
  }
}

extension DropOffer.Representation {
  /// What is known of the size.
  var size: ItemSize {
    if let byteCount { return .exact(Int64(clamping: byteCount)) }
    return estimatedByteCount.map { .estimated(Int64(clamping: $0)) } ?? .unknown
  }
}

extension ItemProvider {
  /// The item that was offered.
  ///
  /// - Parameters:
  ///   - offer: What is said of it.
  ///   - representation: Makes a representation, of which it is told what was offered, its index, and of an alias the type
  ///     of its original.
  convenience init(
    _ offer: DropOffer, _ representation: (DropOffer.Representation, Int, UTType?) -> ItemRepresentation
  ) {
    self.init(suggestedName: offer.suggestedName)
    // A type that is there twice is had as the first; an alias of the second is then bytes like any other.
    var registered: [Bool] = []
    for (index, offered) in offer.representations.enumerated() {
      let original = offered.alias.flatMap { registered[$0] ? $0 : nil }
        .map { UTType(named: offer.representations[$0].typeIdentifier) }
      registered.append(register(representation(offered, index, original)))
    }
  }
}
