// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Reads an offer's payload, which a hostile sender may have written.
struct OfferParser {
  private let limits: DropStreamLimits
  private let fields: FieldReader

  init(limits: DropStreamLimits, frameOffset: UInt64) {
    self.limits = limits
    fields = FieldReader(owner: "an offer", frameOffset: frameOffset)
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
        offer.representations.append(try representation(value))
      default: return false
      }
      return true
    }
    guard !offer.representations.isEmpty else { throw fields.malformed("no representation") }
    return offer
  }

  private func representation(_ payload: ArraySlice<UInt8>) throws(DropStreamError) -> DropOffer.Representation {
    var type: String?
    var byteCount: UInt64?
    var supertypes: [String] = []
    try fields.forEachField(in: payload) { (tag, value) throws(DropStreamError) in
      switch tag {
      case OfferField.typeIdentifier:
        guard type == nil else { throw fields.malformed("a representation with two types") }
        type = try fields.text(value, limit: limits.typeIdentifierBytes, what: "type", refusal: .damaged)
      case OfferField.byteCount:
        guard byteCount == nil, value.count == 8 else { throw fields.malformed("a size that cannot be read") }
        byteCount = value.withUnsafeBytes { $0.littleEndian(at: 0) }
      case OfferField.supertype:
        let supertype = try fields.text(value, limit: limits.typeIdentifierBytes, what: "type", refusal: .damaged)
        guard DropOffer.isReadable(typeIdentifier: supertype) else { throw fields.malformed("an unreadable type") }
        guard supertypes.count < limits.supertypes else {
          throw fields.error(.limitExceeded, "a type with more than \(limits.supertypes) supertypes")
        }
        supertypes.append(supertype)
      default: return false
      }
      return true
    }
    guard let type, DropOffer.isReadable(typeIdentifier: type) else {
      throw fields.malformed("a representation without a readable type")
    }
    return DropOffer.Representation(typeIdentifier: type, byteCount: byteCount, supertypes: supertypes)
  }
}
