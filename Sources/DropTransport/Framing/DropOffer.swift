// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import ItemTransfer
internal import UniformTypes

/// The description of an item, which the source sends before the item's content.
struct DropOffer: Hashable, Sendable {
  struct Representation: Hashable, Sendable {
    /// A uniform type identifier, or another string that the source uses as a type.
    var typeIdentifier: String
    /// The exact size in bytes, if the source knows it before the load.
    var byteCount: UInt64?
    /// The estimated size in bytes, if the exact size is unknown.
    var estimatedByteCount: UInt64?
    /// For an alias, the index of its original: an earlier representation of the item with the same bytes.
    ///
    /// The bytes are sent only once. The value is `nil` for any other representation.
    var alias: Int?
    /// Whether a destination on the same machine may use the source's own file.
    var opensInPlace = false
    /// The kind of registration that the source has used.
    var form = ItemRepresentation.Form.data
    /// The supertypes of the type, for a reader that does not know it.
    var supertypes: [String] = []
  }

  var suggestedName: String?
  /// The attributes of the item's file.
  var attributes = ItemFileAttributes()
  /// The representations in the order of the source, best first.
  var representations: [Representation]
}

/// The tags of an offer's fields.
///
/// An *ancillary* field has a tag whose high bit is set. A reader that does not know the tag skips the field.
enum OfferField {
  static let suggestedName: UInt8 = 0x01
  static let representation: UInt8 = 0x02
  /// Ancillary.
  static let modificationTime: UInt8 = 0x81
  /// Ancillary.
  static let permissions: UInt8 = 0x82
  /// Ancillary: a reader that does not know the tag writes the file directly into the destination.
  static let folder: UInt8 = 0x83

  // MARK: Inside a representation

  static let typeIdentifier: UInt8 = 0x01
  static let byteCount: UInt8 = 0x02
  static let alias: UInt8 = 0x03
  /// Ancillary: used only to show progress.
  static let estimatedByteCount: UInt8 = 0x84
  /// Ancillary: useful only if descriptors can be passed.
  static let opensInPlace: UInt8 = 0x85
  /// Ancillary: the class of an object is of use only to a reader that makes objects.
  static let form: UInt8 = 0x86
  /// Ancillary: useful only to a reader that does not know the type.
  static let supertype: UInt8 = 0x83
}

extension DropOffer {
  /// Returns the originals of the consecutive aliases that start at `index`, in order.
  ///
  /// A reader that has the bytes of all earlier representations has the bytes of these aliases too.
  func originals(ofAliasesAt index: Int) -> [Int] {
    var originals: [Int] = []
    for representation in representations.dropFirst(index) {
      guard let original = representation.alias else { break }
      originals.append(original)
    }
    return originals
  }

  /// Returns whether a type identifier is not empty and contains no invisible control characters.
  static func isReadable(typeIdentifier: String) -> Bool {
    !typeIdentifier.isEmpty && !typeIdentifier.unicodeScalars.contains(where: \.isInvisibleControl)
  }

  static func append(suggestedName: String?, to payload: inout [UInt8]) {
    guard let suggestedName, !suggestedName.isEmpty else { return }
    payload.appendField(OfferField.suggestedName) { $0.append(contentsOf: suggestedName.utf8) }
  }

  static func append(_ attributes: ItemFileAttributes, to payload: inout [UInt8]) {
    if let time = attributes.modificationTime {
      payload.appendField(OfferField.modificationTime) {
        $0.append(littleEndian: UInt64(bitPattern: time.seconds))
        $0.append(littleEndian: time.nanoseconds)
      }
    }
    if let permissions = attributes.permissions {
      payload.appendField(OfferField.permissions) { $0.append(littleEndian: permissions) }
    }
    if let folder = attributes.folder {
      payload.appendField(OfferField.folder) { $0.append(contentsOf: folder.utf8) }
    }
  }

  func append(to payload: inout [UInt8]) {
    Self.append(suggestedName: suggestedName, to: &payload)
    Self.append(attributes, to: &payload)
    for representation in representations {
      payload.appendField(OfferField.representation) { field in
        field.appendField(OfferField.typeIdentifier) { $0.append(contentsOf: representation.typeIdentifier.utf8) }
        if let byteCount = representation.byteCount {
          field.appendField(OfferField.byteCount) { $0.append(littleEndian: byteCount) }
        }
        if let alias = representation.alias {
          field.appendField(OfferField.alias) { $0.append(littleEndian: UInt32(alias)) }
        }
        if let estimate = representation.estimatedByteCount {
          field.appendField(OfferField.estimatedByteCount) { $0.append(littleEndian: estimate) }
        }
        if representation.opensInPlace { field.appendField(OfferField.opensInPlace) { _ in } }
        if representation.form != .data {
          field.appendField(OfferField.form) { $0.append(representation.form.rawValue) }
        }
        for supertype in representation.supertypes {
          field.appendField(OfferField.supertype) { $0.append(contentsOf: supertype.utf8) }
        }
      }
    }
  }
}

extension DropOffer.Representation {
  /// Describes `representation`, an element of `others`, within the limits of a reader.
  init(
    _ representation: ItemRepresentation, among others: [ItemRepresentation],
    limits: DropStreamLimits = DropStreamLimits()
  ) {
    self.init(typeIdentifier: representation.contentType.identifier)
    form = representation.form
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
    let fixed = 7 * FieldReader.headerLength + 8 + 4 + 8 + 1
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
  ///
  /// Only a session passes files that a destination may use in place.
  init(offered: DropOffer.Representation, size: ItemSize, aliasedType: UTType?, forSession: Bool = false) {
    self.init(
      contentType: UTType(named: offered.typeIdentifier), size: size, opensInPlace: forSession && offered.opensInPlace,
      form: offered.form, aliasedType: aliasedType, statedSupertypes: offered.supertypes.map { UTType(named: $0) })
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

/// A decoder of the untrusted payload of an offer.
struct OfferParser {
  private let limits: DropStreamLimits
  private let fields: FieldReader
  private let memory: OfferMemory

  init(limits: DropStreamLimits, frameOffset: UInt64, memory: OfferMemory = OfferMemory()) {
    self.limits = limits
    self.memory = memory
    fields = FieldReader(owner: "an offer", frameOffset: frameOffset)
  }

  /// Parses an offer, or returns the previous offer if that is remembered and had the same bytes.
  func parse(repeated payload: UnsafeRawBufferPointer) throws(DropStreamError) -> DropOffer {
    if let known = memory.offer(payload) { return known }
    let offer = try parse(Array(payload))
    memory.remember(offer, payload)
    return offer
  }

  func parse(_ payload: [UInt8]) throws(DropStreamError) -> DropOffer {
    var offer = DropOffer(suggestedName: nil, representations: [])
    try fields.forEachField(in: payload[...]) { (tag, value) throws(DropStreamError) in
      switch tag {
      case OfferField.suggestedName:
        guard offer.suggestedName == nil else { throw fields.malformed("two names") }
        offer.suggestedName = try fields.text(value, limit: limits.nameBytes, what: "name", refusal: .unsafeName)
      case OfferField.representation:
        guard offer.representations.count < limits.representations else {
          throw fields.error(.limitExceeded, "an item with more than \(limits.representations) representations")
        }
        offer.representations.append(try remembered(value, after: offer.representations))
      case OfferField.modificationTime:
        guard offer.attributes.modificationTime == nil, let time = Self.time(value) else {
          throw fields.malformed("an invalid or a second time")
        }
        offer.attributes.modificationTime = time
      case OfferField.permissions:
        guard offer.attributes.permissions == nil, value.count == 2 else {
          throw fields.malformed("invalid or repeated permissions")
        }
        offer.attributes.permissions = value.withUnsafeBytes { $0.littleEndian(at: 0) }
      case OfferField.folder:
        guard offer.attributes.folder == nil else { throw fields.malformed("two folders") }
        offer.attributes.folder = try fields.text(
          value, limit: limits.folderBytes, what: "folder path", refusal: .unsafeName)
      default: return false
      }
      return true
    }
    guard !offer.representations.isEmpty else { throw fields.malformed("no representation") }
    return offer
  }

  private static func time(_ value: ArraySlice<UInt8>) -> FileTime? {
    guard value.count == 12 else { return nil }
    let seconds: UInt64 = value.withUnsafeBytes { $0.littleEndian(at: 0) }
    return FileTime(
      seconds: Int64(bitPattern: seconds), nanoseconds: value.withUnsafeBytes { $0.littleEndian(at: 8) })
  }

  /// Parses a representation, or returns a remembered representation with the same index and bytes.
  private func remembered(
    _ payload: ArraySlice<UInt8>, after earlier: [DropOffer.Representation]
  ) throws(DropStreamError) -> DropOffer.Representation {
    if let known = memory.representation(earlier.count, payload) { return known }
    let representation = try representation(payload, after: earlier)
    // The validity of an alias depends on the other representations.
    if representation.alias == nil { memory.remember(representation, earlier.count, payload) }
    return representation
  }

  private func representation(
    _ payload: ArraySlice<UInt8>, after earlier: [DropOffer.Representation]
  ) throws(DropStreamError) -> DropOffer.Representation {
    var type: String?
    var hasForm = false
    var representation = DropOffer.Representation(typeIdentifier: "")
    try fields.forEachField(in: payload) { (tag, value) throws(DropStreamError) in
      switch tag {
      case OfferField.typeIdentifier:
        guard type == nil else { throw fields.malformed("a representation with two types") }
        type = try fields.text(value, limit: limits.typeIdentifierBytes, what: "type", refusal: .damaged)
      case OfferField.byteCount:
        guard representation.byteCount == nil, value.count == 8 else {
          throw fields.malformed("an invalid or a second size")
        }
        representation.byteCount = value.withUnsafeBytes { $0.littleEndian(at: 0) }
      case OfferField.alias:
        representation.alias = try alias(value, instead: representation.alias, of: earlier)
      case OfferField.estimatedByteCount:
        guard representation.estimatedByteCount == nil, value.count == 8 else {
          throw fields.malformed("an invalid or a second size estimate")
        }
        representation.estimatedByteCount = value.withUnsafeBytes { $0.littleEndian(at: 0) }
      case OfferField.opensInPlace:
        guard !representation.opensInPlace, value.isEmpty else {
          throw fields.malformed("a flag field with a length other than 0")
        }
        representation.opensInPlace = true
      case OfferField.form:
        guard !hasForm, value.count == 1, let number = value.first else {
          throw fields.malformed("an invalid or a second form")
        }
        hasForm = true
        // A form of a later version is read as bytes.
        representation.form = ItemRepresentation.Form(rawValue: number) ?? .data
      case OfferField.supertype:
        let supertype = try fields.text(value, limit: limits.typeIdentifierBytes, what: "type", refusal: .damaged)
        guard DropOffer.isReadable(typeIdentifier: supertype) else { throw fields.malformed("an unreadable type") }
        guard representation.supertypes.count < limits.supertypes else {
          throw fields.error(.limitExceeded, "a type with more than \(limits.supertypes) supertypes")
        }
        representation.supertypes.append(supertype)
      default: return false
      }
      return true
    }
    guard let type, DropOffer.isReadable(typeIdentifier: type) else {
      throw fields.malformed("a representation without a readable type")
    }
    representation.typeIdentifier = type
    if let alias = representation.alias, let stated = representation.byteCount, stated != earlier[alias].byteCount {
      throw fields.malformed("an alias with a size of its own")
    }
    return representation
  }

  /// Decodes the index of an alias's original: an earlier representation that is not an alias.
  private func alias(
    _ value: ArraySlice<UInt8>, instead former: Int?, of earlier: [DropOffer.Representation]
  ) throws(DropStreamError) -> Int {
    guard former == nil, value.count == 4 else { throw fields.malformed("an invalid or a second alias") }
    let index = Int(value.withUnsafeBytes { $0.littleEndian(at: 0, as: UInt32.self) })
    guard index < earlier.count, earlier[index].alias == nil else {
      throw fields.malformed("an alias of representation \(index), which has no bytes before it")
    }
    return index
  }
}

/// A cache of the previous offer and of recent representations, with their encoded bytes.
///
/// Most offers of a stream differ only in their names.
///
/// The `Sendable` conformance is unchecked: the cache belongs to one parser, which one thread at a time uses.
final class OfferMemory: @unchecked Sendable {
  private struct Known<Value> {
    let bytes: [UInt8]
    let value: Value
  }

  private var whole: Known<DropOffer>?
  private var known: [Known<DropOffer.Representation>?] = []

  /// Returns the previous offer if it had the same bytes.
  func offer(_ bytes: UnsafeRawBufferPointer) -> DropOffer? {
    guard let whole, Self.areEqual(whole.bytes, bytes) else { return nil }
    return whole.value
  }

  func remember(_ offer: DropOffer, _ bytes: UnsafeRawBufferPointer) {
    // Long offers are rarely repeated, so a copy of their bytes is not worth the memory.
    whole = bytes.count <= 4096 ? Known(bytes: Array(bytes), value: offer) : nil
  }

  /// Returns the latest remembered representation at `index` if it had the same bytes.
  func representation(_ index: Int, _ bytes: ArraySlice<UInt8>) -> DropOffer.Representation? {
    guard index < known.count, let entry = known[index] else { return nil }
    return bytes.withUnsafeBytes { Self.areEqual(entry.bytes, $0) } ? entry.value : nil
  }

  func remember(_ representation: DropOffer.Representation, _ index: Int, _ bytes: ArraySlice<UInt8>) {
    while known.count <= index { known.append(nil) }
    known[index] = Known(bytes: Array(bytes), value: representation)
  }

  private static func areEqual(_ known: [UInt8], _ bytes: UnsafeRawBufferPointer) -> Bool {
    guard known.count == bytes.count else { return false }
    return known.withUnsafeBytes { known in
      guard let start = known.baseAddress, let other = bytes.baseAddress else { return true }
      return memcmp(start, other, known.count) == 0
    }
  }
}
