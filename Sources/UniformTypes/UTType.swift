// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// What a piece of data is, for example `public.png`: the word on which a source and a destination agree.
///
/// A type is named by a reverse-DNS identifier, conforms to more general types (a PNG is an image is data), and
/// carries the file extensions and MIME types by which the world outside knows it. Identifiers are compared without
/// regard to case.
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
/// What nobody declared has a dynamic type, whose identifier tells its tags, so that it arrives as what it left.
///
/// Follows Apple's [`UTType`](https://developer.apple.com/documentation/uniformtypeidentifiers/uttype).
public struct UTType: Sendable {
  /// The reverse-DNS name, spelled as the type's declaration spells it.
  public let identifier: String

  /// The registry's number for the type, so that most questions need not look at the identifier.
  let slot: UInt32

  /// For identifiers which the registry has not seen, or had not when the value was made.
  static let noSlot = UInt32.max

  /// Looks up a type that the system or this process has declared, or decodes a dynamic one.
  ///
  /// There is no value when nobody declared such a type; use ``init(importedAs:conformingTo:)`` for one that belongs to
  /// somebody else and may be unknown here.
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

  /// Declares a type which this process owns.
  ///
  /// The declaration holds from this call on, for the life of the process and for every thread. Keep the value in a
  /// `static let`, which makes the call when it is first used: until then nobody here knows what the type conforms to.
  /// A type that the system declares cannot be redefined: its own parents stay. What a full declaration says of the
  /// type (``TypeRegistry``) holds if it was made before, and is added if it is made later. An identifier
  /// that could not be declared makes a value that only carries its name.
  ///
  /// - Parameters:
  ///   - identifier: The reverse-DNS name.
  ///   - parent: The type it conforms to; `nil` stands for ``data``.
  public init(exportedAs identifier: String, conformingTo parent: UTType? = nil) {
    TypeRegistry.shared.declareImplied(identifier, .exported, conformingTo: parent)
    self.init(named: identifier)
  }

  /// Names a type which somebody else owns and this process uses.
  ///
  /// Where the owner's declaration (``init(exportedAs:conformingTo:)``) is known, it beats this one, and what a full
  /// import (``TypeRegistry``) says is added if it is made later. Without a parent
  /// nothing is declared: the value then only carries its name, and conforms to ``data``. Where the type's preferred
  /// filename extension belongs to another type before this one, that other type comes back; so ask again each time
  /// (a computed property), as declarations may be made in between.
  ///
  /// - Parameters:
  ///   - identifier: The reverse-DNS name; any other text passes through unchanged.
  ///   - parent: The type it conforms to as far as this process knows.
  public init(importedAs identifier: String, conformingTo parent: UTType? = nil) {
    if let parent, TypeRegistry.shared.find(identifier)?.isDeclared != true {
      TypeRegistry.shared.declareImplied(identifier, .imported, conformingTo: parent)
    }
    let named = UTType(named: identifier)
    self = named.preferredTypeOfItsExtension ?? named
  }

  /// The declared type of that name, or else a value that only carries it: never another type, as an import may be.
  ///
  /// For names that come from another process or from a file.
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

  init(undeclared identifier: String) {
    self.identifier = identifier
    slot = Self.noSlot
  }

  /// For the table of system types, whose indices are their slots.
  init(system identifier: String, index: UInt32) {
    self.identifier = identifier
    slot = index
  }

  init(systemIndex index: Int) {
    self.init(identifier: SystemTypes.identifiers[index], slot: index)
  }
}

extension UTType: Hashable {
  /// Whether both name the same type, in whatever case.
  public static func == (lhs: UTType, rhs: UTType) -> Bool {
    if lhs.slot != noSlot, rhs.slot != noSlot { return lhs.slot == rhs.slot }
    return lhs.identifier.isEqualIgnoringASCIICase(to: rhs.identifier)
  }

  /// Whether both name the same type by the same letters.
  package func isSpelled(as other: UTType) -> Bool {
    slot == other.slot && identifier == other.identifier
  }

  /// Feeds the identifier without its case into `hasher`.
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

  /// Reads a bare identifier or an object with the key `identifier`; both forms are found in the wild.
  ///
  /// A type that is not declared here is taken as imported, so that what another process names is never lost.
  ///
  /// - Throws: `DecodingError` when there is neither, or the identifier is empty.
  public init(from decoder: any Decoder) throws {
    let identifier: String
    if let container = try? decoder.singleValueContainer(), let bare = try? container.decode(String.self) {
      identifier = bare
    } else {
      identifier = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .identifier)
    }
    guard !identifier.isEmpty else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "the identifier of a type is empty"))
    }
    self.init(named: identifier)
  }

  /// Writes the bare identifier.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(identifier)
  }
}
