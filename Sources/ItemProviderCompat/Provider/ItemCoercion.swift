// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import ItemTransfer
internal import UniformTypes

/// From objects to bytes and back, for the interface that hands over objects.
enum ItemCoercion {
  /// The bytes of an object.
  ///
  /// - Parameters:
  ///   - item: `NSData` as it is, `NSString` in UTF-8, `NSURL` as its text for a type of addresses and else as what the
  ///     file holds that it leads to; anything else as a keyed archive.
  ///   - type: What the bytes will be.
  /// - Returns: The bytes.
  /// - Throws: Why it has none.
  static func data(of item: any NSSecureCoding, _ type: UTType) throws -> Data {
    switch item {
    case let data as NSData: Data(referencing: data)
    case let text as NSString: Data(String._unconditionallyBridgeFromObjectiveC(text).utf8)
    case let address as NSURL:
      if type.conforms(to: .url) || !address.isFileURL {
        try URL._unconditionallyBridgeFromObjectiveC(address).foreignText()
      } else {
        try Data(contentsOf: URL._unconditionallyBridgeFromObjectiveC(address))
      }
    default: try NSKeyedArchiver.archivedData(withRootObject: item, requiringSecureCoding: true)
    }
  }

  /// The object that bytes of a type are.
  static func item(of data: Data, _ type: UTType) throws -> any NSSecureCoding {
    if type.conforms(to: .url) {
      return try NSURL.object(withItemProviderData: data, typeIdentifier: type.identifier)
    }
    if type.conforms(to: .plainText) {
      return try NSString.object(withItemProviderData: data, typeIdentifier: type.identifier)
    }
    return NSData(data: data)
  }
}
