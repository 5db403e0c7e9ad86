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
/// Follows Apple's [`UTType`](https://developer.apple.com/documentation/uniformtypeidentifiers/uttype).
public struct UTType: Sendable {
  /// The reverse-DNS name, spelled as the type's declaration spells it.
  public let identifier: String

  /// Looks up a type that the system or this process has declared.
  ///
  /// There is no value when nobody declared such a type; use ``init(importedAs:conformingTo:)`` for one that belongs to
  /// somebody else and may be unknown here.
  ///
  /// - Parameter identifier: A uniform type identifier in any case.
  public init?(_ identifier: String) {
    guard let declaration = TypeRegistry.shared.declaration(of: identifier) else { return nil }
    self.identifier = declaration.identifier
  }

  /// Declares a type which this process owns.
  ///
  /// The declaration holds from this call on, for the life of the process and for every thread. Keep the value in a
  /// `static let`, which makes the call when it is first used: until then nobody here knows what the type conforms to.
  /// A type that the system declares cannot be redefined: its own parents stay.
  ///
  /// - Parameters:
  ///   - identifier: The reverse-DNS name.
  ///   - parent: The type it conforms to; `nil` stands for ``data``.
  public init(exportedAs identifier: String, conformingTo parent: UTType? = nil) {
    self.init(declaring: identifier, parent: parent, origin: .exported)
  }

  /// Names a type which somebody else owns and this process uses.
  ///
  /// Where the owner's declaration (``init(exportedAs:conformingTo:)``) is known, it beats this one. Without a parent
  /// nothing is declared: the value then only carries its name, and conforms to ``data``.
  ///
  /// - Parameters:
  ///   - identifier: The reverse-DNS name; any other text passes through unchanged.
  ///   - parent: The type it conforms to as far as this process knows.
  public init(importedAs identifier: String, conformingTo parent: UTType? = nil) {
    self.init(declaring: identifier, parent: parent, origin: .imported)
  }

  private init(declaring identifier: String, parent: UTType?, origin: TypeDeclaration.Origin) {
    if let parent = parent ?? (origin == .exported ? .data : nil) {
      let declaration = TypeDeclaration(identifier: identifier, conformsTo: [parent.identifier], origin: origin)
      self.identifier = TypeRegistry.shared.declare(declaration).identifier
    } else {
      self.identifier = TypeRegistry.shared.declaration(of: identifier)?.identifier ?? identifier
    }
  }

  /// For the table of system types, whose identifiers are known to be declared.
  init(system identifier: String) {
    self.identifier = identifier
  }
}

extension UTType: Hashable {
  /// Whether both name the same type, in whatever case.
  public static func == (lhs: UTType, rhs: UTType) -> Bool {
    lhs.identifier.isEqualIgnoringASCIICase(to: rhs.identifier)
  }

  /// Feeds the identifier without its case into `hasher`.
  public func hash(into hasher: inout Hasher) {
    identifier.hashIgnoringASCIICase(into: &hasher)
  }
}

extension UTType: CustomStringConvertible {
  /// The identifier.
  public var description: String { identifier }
}

extension UTType: Codable {
  private enum CodingKeys: String, CodingKey {
    case identifier
  }

  /// Reads a bare identifier or an object with the key `identifier`; both forms are found in the wild.
  ///
  /// A type that is not declared here is taken as imported, so that what another process names is never lost.
  ///
  /// - Throws: `DecodingError` when there is neither.
  public init(from decoder: any Decoder) throws {
    if let container = try? decoder.singleValueContainer(), let identifier = try? container.decode(String.self) {
      self.init(importedAs: identifier)
    } else {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      self.init(importedAs: try container.decode(String.self, forKey: .identifier))
    }
  }

  /// Writes the bare identifier.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(identifier)
  }
}
