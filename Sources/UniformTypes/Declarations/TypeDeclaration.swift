// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// A program's declaration of a type: the types it conforms to, and the tags by which other systems know it.
///
/// A declaration corresponds to an entry of `UTExportedTypeDeclarations` or `UTImportedTypeDeclarations` in an
/// `Info.plist`.
///
/// ```swift
/// TypeRegistry.shared.declare([
///   TypeDeclaration(
///     "org.example.saga", origin: .exported, conformsTo: ["public.plain-text"],
///     tags: [.filenameExtension: ["saga"], .mimeType: ["text/x-saga"]])
/// ])
/// UTType(filenameExtension: "saga")     // org.example.saga
/// ```
public struct TypeDeclaration: Sendable, Hashable {
  /// The ownership of a type; the declaration of the owner takes precedence over declarations of users.
  public enum Origin: Sendable, Hashable, CaseIterable {
    /// The declaring program owns the type.
    case exported

    /// The declaring program uses the type of another owner.
    case imported
  }

  /// The reverse-DNS name: ASCII letters, digits, hyphens, periods and non-ASCII characters, at most
  /// ``maximumIdentifierLength`` bytes.
  public var identifier: String

  /// The ownership of the type.
  public var origin: Origin

  /// The identifiers of the types that the type conforms to; an empty list means `public.data`.
  public var conformsTo: [String]

  /// The tags of each class, preferred first.
  public var tags: [UTTagClass: [String]]

  /// The display name of the type.
  public var localizedDescription: String?

  /// The address of a description of the type; not validated.
  public var referenceURL: URL?

  /// The version of the declaration.
  public var version: Int?

  /// The name of the type's icon in the declaring program.
  ///
  /// In a property list, it is the first of these keys that names an icon: `UTTypeIconName` in `UTTypeIcons`,
  /// `UTTypeIconFile`, `UTTypeIconFiles`, `UTTypeIconBadgeName` in `UTTypeIcons`.
  public var iconName: String?

  /// The maximum length of an identifier in bytes.
  public static let maximumIdentifierLength = 1024

  /// Creates a declaration, which takes effect when it is passed to ``TypeRegistry``.
  ///
  /// - Parameters:
  ///   - identifier: The reverse-DNS name.
  ///   - origin: The ownership of the type.
  ///   - conformsTo: The identifiers of the types that the type conforms to.
  ///   - tags: The tags of each class, preferred first.
  ///   - localizedDescription: The display name of the type.
  ///   - referenceURL: The address of a description of the type.
  ///   - version: The version of the declaration.
  ///   - iconName: The name of the type's icon.
  public init(
    _ identifier: String, origin: Origin = .exported, conformsTo: [String] = [], tags: [UTTagClass: [String]] = [:],
    localizedDescription: String? = nil, referenceURL: URL? = nil, version: Int? = nil,
    iconName: String? = nil
  ) {
    self.identifier = identifier
    self.origin = origin
    self.conformsTo = conformsTo
    self.tags = tags
    self.localizedDescription = localizedDescription
    self.referenceURL = referenceURL
    self.version = version
    self.iconName = iconName
  }
}
