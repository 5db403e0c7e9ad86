// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import UniformTypes

/// A uniform type as an object, for collections of objects and for archives.
///
/// Two references are equal if their types are equal. As on Apple's systems, the members use `UTType` for other types.
/// Follows Apple's
/// [`UTTypeReference`](https://developer.apple.com/documentation/uniformtypeidentifiers/uttypereference).
public final class UTTypeReference: NSObject, NSCopying, NSSecureCoding, Sendable {
  /// The type.
  public let type: UTType

  /// Creates a reference to a type.
  public init(_ type: UTType) {
    self.type = type
    super.init()
  }

  private convenience init?(_ type: UTType?) {
    guard let type else { return nil }
    self.init(type)
  }

  /// Creates a reference to a declared or dynamic type; `nil` for any other identifier.
  public convenience init?(_ identifier: String) { self.init(UTType(identifier)) }

  /// Creates a reference to the type of a filename extension without its period; an unknown extension gets a dynamic
  /// type.
  public convenience init?(filenameExtension: String) { self.init(UTType(filenameExtension: filenameExtension)) }

  /// Creates a reference to the type of a filename extension among the types that conform to another type.
  public convenience init?(filenameExtension: String, conformingTo supertype: UTType) {
    self.init(UTType(filenameExtension: filenameExtension, conformingTo: supertype))
  }

  /// Creates a reference to the type of a MIME type; an unknown MIME type gets a dynamic type.
  public convenience init?(mimeType: String) { self.init(UTType(mimeType: mimeType)) }

  /// Creates a reference to the type of a MIME type among the types that conform to another type.
  public convenience init?(mimeType: String, conformingTo supertype: UTType) {
    self.init(UTType(mimeType: mimeType, conformingTo: supertype))
  }

  /// Creates a reference to the type with a tag; an unknown tag gets a dynamic type.
  public convenience init?(tag: String, tagClass: String, conformingTo supertype: UTType?) {
    self.init(UTType(tag: tag, tagClass: UTTagClass(rawValue: tagClass), conformingTo: supertype))
  }

  /// Declares a type that this process owns.
  public convenience init(exportedAs identifier: String) { self.init(UTType(exportedAs: identifier)) }

  /// Declares a type that this process owns, and the type that it conforms to.
  public convenience init(exportedAs identifier: String, conformingTo parentType: UTType) {
    self.init(UTType(exportedAs: identifier, conformingTo: parentType))
  }

  /// Declares a type that another program owns.
  public convenience init(importedAs identifier: String) { self.init(UTType(importedAs: identifier)) }

  /// Declares a type that another program owns, and the type that it conforms to.
  public convenience init(importedAs identifier: String, conformingTo parentType: UTType) {
    self.init(UTType(importedAs: identifier, conformingTo: parentType))
  }

  /// Returns all types with a tag, or only the types that also conform to `supertype`.
  public static func types(
    tag: String, tagClass: String, conformingTo supertype: UTType?
  ) -> [UTType] {
    UTType.types(tag: tag, tagClass: UTTagClass(rawValue: tagClass), conformingTo: supertype)
  }

  // MARK: Properties

  /// The reverse-DNS identifier.
  public var identifier: String { type.identifier }
  /// The preferred filename extension.
  public var preferredFilenameExtension: String? { type.preferredFilenameExtension }
  /// The preferred MIME type.
  public var preferredMIMEType: String? { type.preferredMIMEType }
  /// The description for display.
  public var localizedDescription: String? { type.localizedDescription }
  /// The version of the declaration.
  public var version: NSNumber? { type.version.map { NSNumber(value: $0) } }
  /// The URL of the type's documentation.
  public var referenceURL: URL? { type.referenceURL }
  /// Whether the type is undeclared and its identifier encodes its tags.
  public var isDynamic: Bool { type.isDynamic }
  /// Whether the type is declared.
  public var isDeclared: Bool { type.isDeclared }
  /// Whether the identifier starts with `public.`.
  public var isPublic: Bool { type.isPublic }
  /// The tags by tag class.
  public var tags: [String: [String]] {
    Dictionary(uniqueKeysWithValues: type.tags.map { ($0.key.rawValue, $0.value) })
  }

  /// Returns whether this type equals another type or conforms to it.
  public func conforms(to type: UTType) -> Bool { self.type.conforms(to: type) }
  /// Returns whether this type conforms to another type without being equal to it.
  public func isSubtype(of type: UTType) -> Bool { self.type.isSubtype(of: type) }
  /// Returns whether another type conforms to this type without being equal to it.
  public func isSupertype(of type: UTType) -> Bool { self.type.isSupertype(of: type) }
  /// All types that this type conforms to.
  public var supertypes: Set<UTType> { type.supertypes }

  // MARK: NSObject and NSSecureCoding

  /// Returns whether an object refers to the same type.
  public override func isEqual(_ object: Any?) -> Bool { (object as? UTTypeReference)?.type == type }
  /// A hash value that is the same for equal references.
  public override var hash: Int { type.hashValue }
  /// The identifier.
  public override var description: String { type.description }
  /// The identifier, and the kind of type.
  public override var debugDescription: String { type.debugDescription }

  /// Returns the reference itself, which is immutable.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// Whether archives are secure; always `true`.
  public static var supportsSecureCoding: Bool { true }

  private static let identifierKey = "identifier"

  /// Encodes the identifier.
  public func encode(with coder: NSCoder) {
    coder.encode(type.identifier as NSString, forKey: Self.identifierKey)
  }

  /// Decodes an identifier; an undeclared identifier is preserved.
  public convenience init?(coder: NSCoder) {
    guard let name = coder.decodeObject(of: NSString.self, forKey: Self.identifierKey) else { return nil }
    let identifier = String._unconditionallyBridgeFromObjectiveC(name)
    self.init(UTType(identifier) ?? UTType(importedAs: identifier))
  }
}

/// Types bridge to ``UTTypeReference`` where an object is required.
extension UTType: ReferenceConvertible {
  /// The class of the objects.
  public typealias ReferenceType = UTTypeReference

  // swift-format-ignore: NoLeadingUnderscores
  /// Returns a reference to the type.
  public func _bridgeToObjectiveC() -> UTTypeReference { UTTypeReference(self) }

  // swift-format-ignore: NoLeadingUnderscores
  /// Assigns the type of a reference.
  public static func _forceBridgeFromObjectiveC(_ source: UTTypeReference, result: inout UTType?) {
    result = source.type
  }

  // swift-format-ignore: NoLeadingUnderscores
  /// Assigns the type of a reference, and returns `true`.
  public static func _conditionallyBridgeFromObjectiveC(_ source: UTTypeReference, result: inout UTType?) -> Bool {
    result = source.type
    return true
  }

  // swift-format-ignore: NoLeadingUnderscores
  /// Returns the type of a reference, or `public.item` for `nil`.
  public static func _unconditionallyBridgeFromObjectiveC(_ source: UTTypeReference?) -> UTType {
    source?.type ?? .item
  }
}

extension NSURL {
  /// Returns the URL of an item of a type in this directory; see `URL`'s method of the same name.
  public func appendingPathComponent(_ partialName: String, conformingTo contentType: UTType) -> URL {
    URL._unconditionallyBridgeFromObjectiveC(self).appendingPathComponent(partialName, conformingTo: contentType)
  }

  /// Returns the URL with the type's extension, unless the last component has a suitable extension.
  public func appendingPathExtension(for contentType: UTType) -> URL {
    URL._unconditionallyBridgeFromObjectiveC(self).appendingPathExtension(for: contentType)
  }
}

extension NSString {
  /// Returns the path of an item of a type in this directory.
  ///
  /// The type's extension is added unless the name has a suitable extension.
  ///
  /// - Parameters:
  ///   - partialName: The item's name, with or without an extension.
  ///   - contentType: The type; if it has no extension, the name stays unchanged.
  /// - Returns: The path.
  public func appendingPathComponent(_ partialName: String, conformingTo contentType: UTType) -> String {
    appendingPathComponent(contentType.extending(partialName))
  }

  /// Returns the path with the type's extension, unless the last component has a suitable extension.
  public func appendingPathExtension(for contentType: UTType) -> String {
    let name = lastPathComponent
    let extended = contentType.extending(name)
    let path = String._unconditionallyBridgeFromObjectiveC(self)
    // The name is at the end of the path, followed only by slashes; the extension is added to it.
    guard extended.count > name.count, let end = path.lastIndex(where: { $0 != "/" }) else { return path }
    return String(path[...end]) + extended.dropFirst(name.count)
  }
}

/// Unavailable for strings: Apple offers these members to URLs and `NSString` only.
extension String {
  /// Unavailable for strings.
  @available(*, unavailable, message: "use appendingPathComponent(_:conformingTo:) of URL")
  public func appendingPathComponent(_ partialName: String, conformingTo contentType: UTType) -> String {
    fatalError("unavailable")
  }

  /// Unavailable for strings.
  @available(*, unavailable, message: "use appendingPathExtension(for:) of URL")
  public func appendingPathExtension(for contentType: UTType) -> String {
    fatalError("unavailable")
  }
}
