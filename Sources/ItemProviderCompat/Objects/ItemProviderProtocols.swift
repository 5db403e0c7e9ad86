// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A class whose objects an item provider can offer.
///
/// Apple's optional members have default implementations here. Follows Apple's
/// [`NSItemProviderWriting`](https://developer.apple.com/documentation/foundation/nsitemproviderwriting).
public protocol NSItemProviderWriting: NSObjectProtocol {
  /// The types as which all objects of the class can be loaded, best representation first.
  static var writableTypeIdentifiersForItemProvider: [String] { get }

  /// The types as which this object can be loaded; by default, the types of the class.
  var writableTypeIdentifiersForItemProvider: [String] { get }

  /// Returns the visibility of a representation; all processes by default.
  static func itemProviderVisibilityForRepresentation(
    withTypeIdentifier typeIdentifier: String
  ) -> NSItemProviderRepresentationVisibility

  /// Returns the visibility of a representation of this object; by default, the visibility for the class.
  func itemProviderVisibilityForRepresentation(
    withTypeIdentifier typeIdentifier: String
  ) -> NSItemProviderRepresentationVisibility

  /// Loads a representation.
  ///
  /// - Parameters:
  ///   - typeIdentifier: One of the writable types.
  ///   - completionHandler: Must be called with the bytes or an error.
  /// - Returns: The progress, which is cancelled with the load; `nil` if it is unknown.
  @preconcurrency
  func loadData(
    withTypeIdentifier typeIdentifier: String,
    forItemProviderCompletionHandler completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
  ) -> Progress?
}

extension NSItemProviderWriting {
  /// The types of the class.
  public var writableTypeIdentifiersForItemProvider: [String] { Self.writableTypeIdentifiersForItemProvider }

  /// Returns `all`.
  public static func itemProviderVisibilityForRepresentation(
    withTypeIdentifier typeIdentifier: String
  ) -> NSItemProviderRepresentationVisibility { .all }

  /// Returns the visibility for the class.
  public func itemProviderVisibilityForRepresentation(
    withTypeIdentifier typeIdentifier: String
  ) -> NSItemProviderRepresentationVisibility {
    Self.itemProviderVisibilityForRepresentation(withTypeIdentifier: typeIdentifier)
  }
}

/// A class whose objects an item provider can create from a representation.
///
/// Follows Apple's
/// [`NSItemProviderReading`](https://developer.apple.com/documentation/foundation/nsitemproviderreading).
public protocol NSItemProviderReading: NSObjectProtocol {
  /// The types that the class can read, best representation first.
  static var readableTypeIdentifiersForItemProvider: [String] { get }

  /// Creates an object.
  ///
  /// - Parameters:
  ///   - data: The bytes, which may be untrusted.
  ///   - typeIdentifier: The readable type that the representation conforms to.
  /// - Returns: The object.
  /// - Throws: The reason why the bytes are invalid.
  static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Self
}
