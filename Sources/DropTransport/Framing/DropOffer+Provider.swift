// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import ItemTransfer
internal import UniformTypes

extension DropOffer.Representation {
  /// Describes `representation`, an element of `others`, within the limits of a reader.
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
  /// Describes an item for a reader with the given limits.
  ///
  /// - Parameters:
  ///   - suggestedName: The name of the item.
  ///   - attributes: The attributes of the item's file.
  ///   - representations: The representations to offer.
  ///   - limits: The limits of the reader.
  ///   - forSession: Whether the destination may open files in place, which only a session permits.
  /// - Throws: `representationFailed` if the reader would reject the item.
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

  /// Rejects a name, a folder path or an encoded offer that exceeds the limits of a reader.
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

  /// An upper bound of the length of the encoded offer, in bytes.
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
  /// The size that the offer states: exact, estimated or unknown.
  var size: ItemSize {
    if let byteCount { return .exact(Int64(clamping: byteCount)) }
    return estimatedByteCount.map { .estimated(Int64(clamping: $0)) } ?? .unknown
  }
}

extension ItemProvider {
  /// Creates the provider of an offered item.
  ///
  /// - Parameters:
  ///   - offer: The description of the item.
  ///   - representation: Creates a representation from its description, its index and, for an alias, the type of its
  ///     original.
  convenience init(
    _ offer: DropOffer, _ representation: (DropOffer.Representation, Int, UTType?) -> ItemRepresentation
  ) {
    self.init(suggestedName: offer.suggestedName)
    if !offer.attributes.isEmpty { fileAttributes = offer.attributes }
    // If two representations have the same type, only the first is registered. An alias of the second has no original.
    var registered: [Bool] = []
    for (index, offered) in offer.representations.enumerated() {
      let original = offered.alias.flatMap { registered[$0] ? $0 : nil }
        .map { UTType(named: offer.representations[$0].typeIdentifier) }
      registered.append(register(representation(offered, index, original)))
    }
  }
}

extension ItemRepresentation {
  /// Creates the representation that was offered.
  init(
    offered: DropOffer.Representation, size: ItemSize, aliasedType: UTType?, loader: @escaping Loader
  ) {
    self.init(Traits(offered: offered, size: size, aliasedType: aliasedType), loader: loader)
  }
}

extension ItemRepresentation.Traits {
  /// Creates the traits that an offer describes.
  init(offered: DropOffer.Representation, size: ItemSize, aliasedType: UTType?) {
    self.init(
      contentType: UTType(named: offered.typeIdentifier), size: size, opensInPlace: offered.opensInPlace,
      aliasedType: aliasedType, statedSupertypes: offered.supertypes.map { UTType(named: $0) })
  }
}

/// A cache of the previous item's encoded representations.
///
/// Most items of a stream differ from the previous item only in their names.
struct OfferTemplate {
  private let limits: DropStreamLimits
  private var traits: [ItemRepresentation.Traits] = []
  /// The generation of the type registry when the template was encoded.
  private var generation = 0
  private(set) var representations: [DropOffer.Representation] = []
  /// The representations as fields of an offer.
  private(set) var fields: [UInt8] = []
  /// An upper bound of the length of an offer without a name.
  private var maximumLength = 0

  init(limits: DropStreamLimits) {
    self.limits = limits
  }

  /// Encodes the template again unless it matches the representations of an item.
  ///
  /// - Throws: `representationFailed` if the reader would reject the item.
  mutating func fit(
    _ offered: [ItemRepresentation], suggestedName: String?, folder: String?
  ) throws(DropStreamError) {
    let now = TypeRegistry.shared.generation
    if now != generation || !isFitting(offered) {
      // An error must not leave a partial template.
      traits = []
      let offer = try DropOffer(suggestedName: nil, offered, limits: limits)
      representations = offer.representations
      maximumLength = offer.maximumLength
      fields.removeAll(keepingCapacity: true)
      offer.append(to: &fields)
      generation = now
      traits = offered.map(\.traits)
    }
    try DropOffer.check(
      suggestedName: suggestedName, folder: folder,
      maximumLength: maximumLength + (suggestedName?.utf8.count ?? 0) + (folder?.utf8.count ?? 0), limits: limits)
  }

  private func isFitting(_ offered: [ItemRepresentation]) -> Bool {
    guard offered.count == traits.count, !traits.isEmpty else { return false }
    for index in offered.indices where !offered[index].traits.reads(as: traits[index]) { return false }
    return true
  }
}
