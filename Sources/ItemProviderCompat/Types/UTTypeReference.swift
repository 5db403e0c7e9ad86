// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import UniformTypes

/// A uniform type as an object, for code that keeps types in collections of objects or archives.
///
/// Two are equal when their types are. As on Apple's systems, other types are given and had as `UTType`. Follows Apple's
/// [`UTTypeReference`](https://developer.apple.com/documentation/uniformtypeidentifiers/uttypereference).
public final class UTTypeReference: NSObject, NSCopying, NSSecureCoding, Sendable {
  /// The type itself.
  public let type: UTType

  /// Wraps a type.
  public init(_ type: UTType) {
    self.type = type
    super.init()
  }

  private convenience init?(_ type: UTType?) {
    guard let type else { return nil }
    self.init(type)
  }

  /// A type that is declared, or a dynamic one; `nil` for any other identifier.
  public convenience init?(_ identifier: String) { self.init(UTType(identifier)) }

  /// The type of files with an extension, without its period; a dynamic one where nobody knows it.
  public convenience init?(filenameExtension: String) { self.init(UTType(filenameExtension: filenameExtension)) }

  /// The same among the types that conform to another.
  public convenience init?(filenameExtension: String, conformingTo supertype: UTType) {
    self.init(UTType(filenameExtension: filenameExtension, conformingTo: supertype))
  }

  /// The type of a MIME type; a dynamic one where nobody knows it.
  public convenience init?(mimeType: String) { self.init(UTType(mimeType: mimeType)) }

  /// The same among the types that conform to another.
  public convenience init?(mimeType: String, conformingTo supertype: UTType) {
    self.init(UTType(mimeType: mimeType, conformingTo: supertype))
  }

  /// The type with a tag; a dynamic one where nobody knows it.
  public convenience init?(tag: String, tagClass: String, conformingTo supertype: UTType?) {
    self.init(UTType(tag: tag, tagClass: UTTagClass(rawValue: tagClass), conformingTo: supertype))
  }

  /// Declares a type which this process owns.
  public convenience init(exportedAs identifier: String) { self.init(UTType(exportedAs: identifier)) }

  /// Declares a type which this process owns, and what it conforms to.
  public convenience init(exportedAs identifier: String, conformingTo parentType: UTType) {
    self.init(UTType(exportedAs: identifier, conformingTo: parentType))
  }

  /// Names a type which somebody else owns.
  public convenience init(importedAs identifier: String) { self.init(UTType(importedAs: identifier)) }

  /// Names a type which somebody else owns, and what it conforms to.
  public convenience init(importedAs identifier: String, conformingTo parentType: UTType) {
    self.init(UTType(importedAs: identifier, conformingTo: parentType))
  }

  /// All types with a tag.
  public static func types(
    tag: String, tagClass: String, conformingTo supertype: UTType?
  ) -> [UTType] {
    UTType.types(tag: tag, tagClass: UTTagClass(rawValue: tagClass), conformingTo: supertype)
  }

  // MARK: What it is

  /// The reverse-DNS name.
  public var identifier: String { type.identifier }
  /// The extension by which files of the type are known best.
  public var preferredFilenameExtension: String? { type.preferredFilenameExtension }
  /// The MIME type by which it is known best.
  public var preferredMIMEType: String? { type.preferredMIMEType }
  /// What a person calls it.
  public var localizedDescription: String? { type.localizedDescription }
  /// The version of its declaration.
  public var version: NSNumber? { type.version.map { NSNumber(value: $0) } }
  /// Where it is described.
  public var referenceURL: URL? { type.referenceURL }
  /// Whether its identifier tells its tags, as nobody declared it.
  public var isDynamic: Bool { type.isDynamic }
  /// Whether somebody declared it.
  public var isDeclared: Bool { type.isDeclared }
  /// Whether it is one of those whose identifiers start with `public.`.
  public var isPublic: Bool { type.isPublic }
  /// Its tags by their classes.
  public var tags: [String: [String]] {
    Dictionary(uniqueKeysWithValues: type.tags.map { ($0.key.rawValue, $0.value) })
  }

  /// Whether it is a type or conforms to it.
  public func conforms(to type: UTType) -> Bool { self.type.conforms(to: type) }
  /// Whether it conforms to a type without being it.
  public func isSubtype(of type: UTType) -> Bool { self.type.isSubtype(of: type) }
  /// Whether a type conforms to it without being it.
  public func isSupertype(of type: UTType) -> Bool { self.type.isSupertype(of: type) }
  /// Every type it conforms to.
  public var supertypes: Set<UTType> { type.supertypes }

  // MARK: As an object

  /// Whether both are the same type.
  public override func isEqual(_ object: Any?) -> Bool { (object as? UTTypeReference)?.type == type }
  /// The same for equal ones.
  public override var hash: Int { type.hashValue }
  /// The identifier.
  public override var description: String { type.description }
  /// The identifier, and what kind of type it is.
  public override var debugDescription: String { type.debugDescription }

  /// Itself, which never changes.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// Its archives name no other classes.
  public static var supportsSecureCoding: Bool { true }

  private static let identifierKey = "identifier"

  /// Writes the identifier.
  public func encode(with coder: NSCoder) {
    coder.encode(type.identifier as NSString, forKey: Self.identifierKey)
  }

  /// Reads an identifier, of whatever type; one that nobody declared here still has its name.
  public convenience init?(coder: NSCoder) {
    guard let name = coder.decodeObject(of: NSString.self, forKey: Self.identifierKey) else { return nil }
    let identifier = String._unconditionallyBridgeFromObjectiveC(name)
    self.init(UTType(identifier) ?? UTType(importedAs: identifier))
  }
}
