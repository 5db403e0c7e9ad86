// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
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
  /// What is said of an item to a reader with certain limits; refuses here what that would refuse there.
  ///
  /// - Parameters:
  ///   - suggestedName: The item's.
  ///   - attributes: The item's, too.
  ///   - representations: Those that are offered.
  ///   - limits: The reader's.
  ///   - forSession: Whether the destination may be handed files.
  /// - Throws: `representationFailed`.
  init(
    suggestedName: String?, attributes: ItemFileAttributes = ItemFileAttributes(),
    _ representations: [ItemRepresentation], limits: DropStreamLimits = DropStreamLimits(),
    forSession: Bool = false
  ) throws(DropStreamError) {
    guard (1...limits.representations).contains(representations.count) else {
      throw Self.refusal("an item with \(representations.count) representations")
    }
    for type in representations.map(\.contentType.identifier)
    where !Self.isReadable(typeIdentifier: type) || type.utf8.count > limits.typeIdentifierBytes {
      throw Self.refusal("\"\(type.escapedForDisplay())\" cannot stand for a type")
    }
    self.init(
      suggestedName: suggestedName.flatMap { $0.isEmpty ? nil : $0 }, attributes: attributes,
      representations: representations.map { representation in
        var offered = Representation(representation, among: representations, limits: limits)
        offered.opensInPlace = forSession && representation.opensInPlace
        return offered
      })
    try Self.check(
      suggestedName: suggestedName, folder: attributes.folder, maximumLength: maximumLength, limits: limits)
  }

  /// Refuses a name or a description that is too long for a reader.
  static func check(
    suggestedName: String?, folder: String?, maximumLength: Int, limits: DropStreamLimits
  ) throws(DropStreamError) {
    if let length = folder?.utf8.count, !(1...limits.folderBytes).contains(length) {
      throw refusal("an item in a folder whose path has \(length) bytes")
    }
    if let nameLength = suggestedName?.utf8.count, nameLength > limits.nameBytes {
      throw refusal("an item with a name of \(nameLength) bytes")
    }
    guard maximumLength <= limits.metadataBytes else {
      throw refusal("an item whose description has up to \(maximumLength) bytes")
    }
  }

  /// No description of the item is longer, in bytes.
  var maximumLength: Int {
    let fixed = 6 * FieldReader.headerLength + 8 + 4 + 8
    let texts = (suggestedName?.utf8.count ?? 0) + (attributes.folder?.utf8.count ?? 0)
    let start = 4 * FieldReader.headerLength + 12 + 2 + texts
    return representations.reduce(start) { sum, representation in
      representation.supertypes.reduce(sum + fixed + representation.typeIdentifier.utf8.count) {
        $0 + FieldReader.headerLength + $1.utf8.count
      }
    }
  }

  private static func refusal(_ reason: String) -> DropStreamError {
    DropStreamError(.representationFailed, reason)
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
    if !offer.attributes.isEmpty { fileAttributes = offer.attributes }
    // A type that is there twice is had as the first; an alias of the second is then bytes like any other.
    var registered: [Bool] = []
    for (index, offered) in offer.representations.enumerated() {
      let original = offered.alias.flatMap { registered[$0] ? $0 : nil }
        .map { UTType(named: offer.representations[$0].typeIdentifier) }
      registered.append(register(representation(offered, index, original)))
    }
  }
}

extension ItemRepresentation {
  /// The representation that was offered.
  init(
    offered: DropOffer.Representation, size: ItemSize, aliasedType: UTType?, loader: @escaping Loader
  ) {
    self.init(Traits(offered: offered, size: size, aliasedType: aliasedType), loader: loader)
  }
}

extension ItemRepresentation.Traits {
  /// What was said of the representation that was offered.
  init(offered: DropOffer.Representation, size: ItemSize, aliasedType: UTType?) {
    self.init(
      contentType: UTType(named: offered.typeIdentifier), size: size, opensInPlace: offered.opensInPlace,
      aliasedType: aliasedType, statedSupertypes: offered.supertypes.map { UTType(named: $0) })
  }
}
