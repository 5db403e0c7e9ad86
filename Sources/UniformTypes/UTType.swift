// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The type of a piece of data, for example `public.png`, on which a source and a destination agree.
///
/// A reverse-DNS identifier names a type. A type conforms to more general types: PNG to images, images to data. Its tags
/// are the filename extensions and MIME types by which other systems know it. Identifiers are compared without regard to
/// case.
///
/// ```swift
/// let type = UTType(filenameExtension: "png")     // public.png
/// type?.conforms(to: .image)                      // true
///
/// extension UTType {
///   static let recipe = UTType(exportedAs: "org.example.recipe", conformingTo: .json)
/// }
/// ```
///
/// Undeclared types get a dynamic identifier that encodes their tags, so they survive a round trip.
///
/// Follows Apple's [`UTType`](https://developer.apple.com/documentation/uniformtypeidentifiers/uttype).
public struct UTType: Sendable {
  /// The reverse-DNS name, in the spelling of the type's declaration.
  public let identifier: String

  /// The registry's number for the type, with which most operations do not read the identifier.
  let slot: UInt32

  /// The slot of identifiers that were unknown to the registry when the value was created.
  static let noSlot = UInt32.max

  /// Looks up a type that the system or this process has declared, or decodes a dynamic type.
  ///
  /// Returns `nil` for an undeclared type. Use ``init(importedAs:conformingTo:)`` for a type of another owner that may
  /// be unknown here.
  ///
  /// - Parameter identifier: A uniform type identifier in any case.
  public init?(_ identifier: String) {
    if let found = TypeRegistry.shared.find(identifier), found.isDeclared {
      self.init(identifier: found.identifier, slot: found.slot)
    } else if DynamicIdentifier(identifier) != nil {
      self.init(undeclared: identifier.asciiLowercased)
    } else {
      return nil
    }
  }

  /// Declares a type that this process owns.
  ///
  /// The declaration is in effect from this call on, for the life of the process and for every thread. Keep the value in
  /// a `static let`, which makes the call on first use: until then, the process does not know what the type conforms to.
  /// A type of the system cannot be redefined and keeps its parents. A full declaration of the type
  /// (``TypeRegistry``) takes precedence if it was made before, and adds to this one if it is made later.
  /// A value with an invalid identifier only carries its name.
  ///
  /// - Parameters:
  ///   - identifier: The reverse-DNS name.
  ///   - parent: The type it conforms to; `nil` means ``data``.
  public init(exportedAs identifier: String, conformingTo parent: UTType? = nil) {
    TypeRegistry.shared.declareImplied(identifier, .exported, conformingTo: parent)
    self.init(named: identifier)
  }

  /// Names a type that another party owns and this process uses.
  ///
  /// The owner's declaration (``init(exportedAs:conformingTo:)``) takes precedence if it is known. A later full import
  /// (``TypeRegistry``) adds to this one. Without a parent, the call declares nothing: the value only carries
  /// its name, and conforms to ``data``.
  ///
  /// If another type takes precedence for the type's preferred filename extension, the result is that other type. Use a
  /// computed property, as later declarations may change the result.
  ///
  /// - Parameters:
  ///   - identifier: The reverse-DNS name; any other text is kept unchanged.
  ///   - parent: The type it conforms to, as far as this process knows.
  public init(importedAs identifier: String, conformingTo parent: UTType? = nil) {
    if let parent, TypeRegistry.shared.find(identifier)?.isDeclared != true {
      TypeRegistry.shared.declareImplied(identifier, .imported, conformingTo: parent)
    }
    let named = UTType(named: identifier)
    self = named.preferredTypeOfItsExtension ?? named
  }

  /// Creates the declared type of a name, or else a value that only carries the name; unlike an import, never another
  /// type.
  ///
  /// Use it for names that come from another process or from a file.
  package init(named identifier: String) {
    if DynamicIdentifier(identifier) != nil {
      self.init(undeclared: identifier.asciiLowercased)
    } else if let found = TypeRegistry.shared.find(identifier) {
      self.init(identifier: found.identifier, slot: found.slot)
    } else {
      self.init(undeclared: identifier)
    }
  }

  init(identifier: String, slot: Int) {
    self.identifier = identifier
    self.slot = UInt32(truncatingIfNeeded: slot)
  }

  /// Creates a value that only carries its name.
  init(undeclared identifier: String) {
    self.identifier = identifier
    slot = Self.noSlot
  }

  /// Creates a type of the table of system types, whose indices are their slots.
  init(system identifier: String, index: UInt32) {
    self.identifier = identifier
    slot = index
  }

  init(systemIndex index: Int) {
    self.init(identifier: SystemTypes.identifiers[index], slot: index)
  }
}

extension UTType: Hashable {
  /// Returns whether both are the same type; the case of their identifiers does not matter.
  public static func == (lhs: UTType, rhs: UTType) -> Bool {
    if lhs.slot != noSlot, rhs.slot != noSlot { return lhs.slot == rhs.slot }
    return lhs.identifier.isEqualIgnoringASCIICase(to: rhs.identifier)
  }

  /// Returns whether both are the same type in the same spelling.
  package func isSpelled(as other: UTType) -> Bool {
    slot == other.slot && identifier == other.identifier
  }

  /// Feeds the identifier in lower case into `hasher`.
  public func hash(into hasher: inout Hasher) {
    identifier.hashIgnoringASCIICase(into: &hasher)
  }
}

extension UTType: CustomStringConvertible, CustomDebugStringConvertible {
  /// The identifier.
  public var description: String { identifier }

  /// The identifier, and whether the type is declared or dynamic.
  public var debugDescription: String {
    "\(identifier) (\(isDeclared ? "declared" : isDynamic ? "dynamic" : "not declared"))"
  }
}

extension UTType: Codable {
  private enum CodingKeys: String, CodingKey {
    case identifier
  }

  /// Reads a bare identifier, or an object with the key `identifier`; both forms are in use.
  ///
  /// A type that is not declared here keeps its identifier, so that no type of another process is lost.
  ///
  /// - Throws: `DecodingError` if there is neither form, or if the identifier is empty.
  public init(from decoder: any Decoder) throws {
    let identifier: String
    if let container = try? decoder.singleValueContainer(), let bare = try? container.decode(String.self) {
      identifier = bare
    } else {
      identifier = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .identifier)
    }
    guard !identifier.isEmpty else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "the type identifier is empty"))
    }
    self.init(named: identifier)
  }

  /// Writes an object with the key `identifier` for a type that has a constant, as ``png``, and else the bare
  /// identifier, as Apple's class does.
  public func encode(to encoder: any Encoder) throws {
    if slot != Self.noSlot, Self.slotsOfConstants.contains(slot) {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(identifier, forKey: .identifier)
    } else {
      var container = encoder.singleValueContainer()
      try container.encode(identifier)
    }
  }

  private static let slotsOfConstants = Set(SystemTypes.constants.map(\.type.slot))
}
