// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A class whose objects can be handed over.
///
/// What is optional in Apple's protocol has a default here.
///
/// Follows Apple's [`NSItemProviderWriting`](https://developer.apple.com/documentation/foundation/nsitemproviderwriting).
public protocol NSItemProviderWriting: NSObjectProtocol {
  /// The types that every object of the class can be had as, the one that keeps most first.
  static var writableTypeIdentifiersForItemProvider: [String] { get }

  /// The types that this object can be had as; those of the class, unless it says otherwise.
  var writableTypeIdentifiersForItemProvider: [String] { get }

  /// Who may have a representation; everybody, unless the class says otherwise.
  static func itemProviderVisibilityForRepresentation(
    withTypeIdentifier typeIdentifier: String
  ) -> NSItemProviderRepresentationVisibility

  /// Who may have a representation of this object; as the class says, unless it says otherwise.
  func itemProviderVisibilityForRepresentation(
    withTypeIdentifier typeIdentifier: String
  ) -> NSItemProviderRepresentationVisibility

  /// Makes a representation.
  ///
  /// - Parameters:
  ///   - typeIdentifier: One of the types that the object can be had as.
  ///   - completionHandler: To be called with the bytes or an error.
  /// - Returns: Shows how far it is, and is cancelled with the load; `nil` where that is not known.
  @preconcurrency
  func loadData(
    withTypeIdentifier typeIdentifier: String,
    forItemProviderCompletionHandler completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
  ) -> Progress?
}

extension NSItemProviderWriting {
  /// The types of the class.
  public var writableTypeIdentifiersForItemProvider: [String] { Self.writableTypeIdentifiersForItemProvider }

  /// Everybody.
  public static func itemProviderVisibilityForRepresentation(
    withTypeIdentifier typeIdentifier: String
  ) -> NSItemProviderRepresentationVisibility { .all }

  /// As the class says.
  public func itemProviderVisibilityForRepresentation(
    withTypeIdentifier typeIdentifier: String
  ) -> NSItemProviderRepresentationVisibility {
    Self.itemProviderVisibilityForRepresentation(withTypeIdentifier: typeIdentifier)
  }
}

/// A class whose objects can be made of what is handed over.
///
/// Follows Apple's [`NSItemProviderReading`](https://developer.apple.com/documentation/foundation/nsitemproviderreading).
public protocol NSItemProviderReading: NSObjectProtocol {
  /// The types that an object can be made of, the one that keeps most first.
  static var readableTypeIdentifiersForItemProvider: [String] { get }

  /// Makes an object.
  ///
  /// - Parameters:
  ///   - data: The bytes, which anybody may have written.
  ///   - typeIdentifier: Of the types above, the one that the bytes conform to.
  /// - Returns: The object.
  /// - Throws: Why they are none.
  static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Self
}
