// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Reads an offer's payload, which a hostile sender may have written.
struct OfferParser {
  let limits: DropStreamLimits
  let frameOffset: UInt64

  func parse(_ payload: [UInt8]) throws(DropStreamError) -> DropOffer {
    var offer = DropOffer(suggestedName: nil, representations: [])
    try forEachField(in: payload[...]) { (tag, value) throws(DropStreamError) in
      switch tag {
      case OfferField.suggestedName:
        guard offer.suggestedName == nil else { throw malformed("two names") }
        offer.suggestedName = try text(value, limit: limits.nameBytes, what: "name", refusal: .unsafeName)
      case OfferField.representation:
        guard offer.representations.count < limits.representations else {
          throw error(.limitExceeded, "an item with more than \(limits.representations) representations")
        }
        offer.representations.append(try representation(value))
      default:
        try skipUnknown(tag)
      }
    }
    guard !offer.representations.isEmpty else { throw malformed("no representation") }
    return offer
  }

  private func representation(_ payload: ArraySlice<UInt8>) throws(DropStreamError) -> DropOffer.Representation {
    var type: String?
    var byteCount: UInt64?
    try forEachField(in: payload) { (tag, value) throws(DropStreamError) in
      switch tag {
      case OfferField.typeIdentifier:
        guard type == nil else { throw malformed("a representation with two types") }
        type = try text(value, limit: limits.typeIdentifierBytes, what: "type", refusal: .damaged)
      case OfferField.byteCount:
        guard byteCount == nil, value.count == 8 else { throw malformed("a size that cannot be read") }
        byteCount = value.withUnsafeBytes { $0.littleEndian(at: 0) }
      default:
        try skipUnknown(tag)
      }
    }
    guard let type, !type.unicodeScalars.contains(where: \.isInvisibleControl) else {
      throw malformed("a representation without a readable type")
    }
    return DropOffer.Representation(typeIdentifier: type, byteCount: byteCount)
  }

  private func forEachField(
    in payload: ArraySlice<UInt8>, _ body: (UInt8, ArraySlice<UInt8>) throws(DropStreamError) -> Void
  ) throws(DropStreamError) {
    var rest = payload
    while let tag = rest.first {
      guard rest.count >= OfferField.headerLength else { throw malformed("a field is cut") }
      let length = rest.withUnsafeBytes { $0.littleEndian(at: 1, as: UInt32.self) }
      rest = rest.dropFirst(OfferField.headerLength)
      guard UInt64(length) <= UInt64(rest.count) else { throw malformed("a field is longer than the offer") }
      try body(tag, rest.prefix(Int(length)))
      rest = rest.dropFirst(Int(length))
    }
  }

  private func text(
    _ bytes: ArraySlice<UInt8>, limit: Int, what: String, refusal: DropStreamError.Code
  ) throws(DropStreamError) -> String {
    guard bytes.count <= limit else { throw error(.limitExceeded, "a \(what) of \(bytes.count) bytes") }
    guard !bytes.isEmpty, let text = String(validating: bytes, as: UTF8.self) else {
      throw error(refusal, bytes.isEmpty ? "an empty \(what)" : "a \(what) that is not UTF-8")
    }
    return text
  }

  private func skipUnknown(_ tag: UInt8) throws(DropStreamError) {
    guard OfferField.isAncillary(tag) else {
      throw error(.unsupported, "an offer has a field \(tag), which this reader does not know and must not skip")
    }
  }

  private func malformed(_ reason: String) -> DropStreamError {
    error(.damaged, "damaged: an offer has \(reason)")
  }

  private func error(_ code: DropStreamError.Code, _ reason: String) -> DropStreamError {
    DropStreamError(code, reason, at: frameOffset)
  }
}
