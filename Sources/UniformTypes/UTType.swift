// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The type of a piece of data, for example `public.png`, on which a source and a destination agree.
///
/// A reverse-DNS identifier names a type. A type conforms to more general types: PNG to images, images to data. The
/// tags of a type are the filename extensions and MIME types by which other systems know it. Identifiers are compared
/// without regard to case.
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

  /// The registry's number for the type, which most operations use instead of the identifier; or ``noSlot``.
  let slot: UInt32

  /// The slot of a value whose identifier was dynamic, or unknown to the registry, when the value was created.
  static let noSlot = UInt32.max

  /// Creates a type that the system or this process has declared, or a dynamic type.
  ///
  /// Returns `nil` if the identifier is neither declared nor dynamic. Use ``init(importedAs:conformingTo:)`` for a type
  /// of another owner that may not be declared in this process.
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
  ///
  /// This is an implied declaration: see ``TypeRegistry``. If an explicit declaration exports the type as well, it
  /// takes precedence. If it is made later, it takes over the parent from this call. A type of the system cannot be
  /// redefined and keeps its parents. With an invalid identifier, the call declares nothing, and the type conforms to
  /// ``data``.
  ///
  /// - Parameters:
  ///   - identifier: The reverse-DNS name.
  ///   - parent: The type that the new type conforms to; `nil` means ``data``.
  public init(exportedAs identifier: String, conformingTo parent: UTType? = nil) {
    TypeRegistry.shared.declareImplied(identifier, .exported, conformingTo: parent)
    self.init(named: identifier)
  }

  /// Names a type that another party owns and this process uses.
  ///
  /// With a parent, the call makes an implied declaration (see ``TypeRegistry``), unless the type is already declared.
  /// A later explicit import takes over the parent from this call. Without a parent, the call declares nothing, and a
  /// type that has no other declaration conforms to ``data``.
  ///
  /// If this process has imported the type, and another type takes precedence for the type's preferred filename
  /// extension, the result is that other type. Use a computed property, as later declarations may change the result.
  ///
  /// - Parameters:
  ///   - identifier: The reverse-DNS name; any other string is kept unchanged, but not declared.
  ///   - parent: The type that it conforms to, if known.
  public init(importedAs identifier: String, conformingTo parent: UTType? = nil) {
    if let parent, TypeRegistry.shared.find(identifier)?.isDeclared != true {
      TypeRegistry.shared.declareImplied(identifier, .imported, conformingTo: parent)
    }
    let named = UTType(named: identifier)
    self = named.preferredTypeOfItsExtension ?? named
  }

  /// Creates the type with an identifier, declared or not, and declares nothing.
  ///
  /// Unlike ``init(importedAs:conformingTo:)``, this initializer never returns another type. Use it for identifiers
  /// from another process or from a file.
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

  /// Creates a value without a slot, for a dynamic or undeclared type.
  init(undeclared identifier: String) {
    self.identifier = identifier
    slot = Self.noSlot
  }

  /// Creates a type of the system's table, whose index in the table is its slot.
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

  /// Returns whether both values have the same slot and the same spelling of the identifier.
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
  /// A type that this process has not declared keeps its identifier, so that no type of another process is lost.
  ///
  /// - Throws: `DecodingError` if the value has neither form, or if the identifier is empty.
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

  /// Writes an object with the key `identifier` for a type with a constant, such as ``png``, and the bare identifier of
  /// any other type.
  ///
  /// Apple's type writes the same forms.
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
