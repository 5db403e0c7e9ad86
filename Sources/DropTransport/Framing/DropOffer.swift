// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import ItemTransfer

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
        for supertype in representation.supertypes {
          field.appendField(OfferField.supertype) { $0.append(contentsOf: supertype.utf8) }
        }
      }
    }
  }
}
