// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// What a source says of an item before any of its bytes.
struct DropOffer: Hashable, Sendable {
  struct Representation: Hashable, Sendable {
    /// A uniform type identifier, or any other text the source uses as one.
    var typeIdentifier: String
    /// The exact size, where it is known beforehand.
    var byteCount: UInt64?
  }

  var suggestedName: String?
  /// In the source's order, the one that keeps most first.
  var representations: [Representation]
}

/// The fields of an offer's payload: a tag, a length of four bytes, a value.
///
/// As with frames, who does not know a field whose tag has its high bit set may ignore it.
enum OfferField {
  static let headerLength = 5
  static let suggestedName: UInt8 = 0x01
  static let representation: UInt8 = 0x02

  /// Inside a representation.
  static let typeIdentifier: UInt8 = 0x01
  static let byteCount: UInt8 = 0x02

  static func isAncillary(_ tag: UInt8) -> Bool { tag & 0x80 != 0 }
}

extension DropOffer {
  func append(to payload: inout [UInt8]) {
    if let suggestedName {
      payload.appendField(OfferField.suggestedName) { $0.append(contentsOf: suggestedName.utf8) }
    }
    for representation in representations {
      payload.appendField(OfferField.representation) { field in
        field.appendField(OfferField.typeIdentifier) { $0.append(contentsOf: representation.typeIdentifier.utf8) }
        if let byteCount = representation.byteCount {
          field.appendField(OfferField.byteCount) { $0.append(littleEndian: byteCount) }
        }
      }
    }
  }
}

extension [UInt8] {
  fileprivate mutating func appendField(_ tag: UInt8, value: (inout [UInt8]) -> Void) {
    append(tag)
    let lengthOffset = count
    append(littleEndian: UInt32(0))
    value(&self)
    let length = UInt32(count - lengthOffset - 4)
    Swift.withUnsafeBytes(of: length.littleEndian) { bytes in
      for index in 0..<4 { self[lengthOffset + index] = bytes[index] }
    }
  }
}
