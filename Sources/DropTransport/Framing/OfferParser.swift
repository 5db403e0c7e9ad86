// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import ItemTransfer

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
