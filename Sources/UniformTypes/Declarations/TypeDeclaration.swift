// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// What a program says of a type: what it conforms to and by which tags the world outside knows it.
///
/// The form in code of an entry of `UTExportedTypeDeclarations` or `UTImportedTypeDeclarations` in an `Info.plist`.
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
  /// Whose type it is; a type's owner is believed rather than its users.
  public enum Origin: Sendable, Hashable, CaseIterable {
    /// The declaring program owns the type.
    case exported

    /// The type is somebody else's, and the declaring program uses it.
    case imported
  }

  /// The reverse-DNS name: at most ``maximumIdentifierLength`` bytes of ASCII letters, digits, hyphens and periods, and
  /// of characters outside of ASCII.
  public var identifier: String

  /// Whose type it is.
  public var origin: Origin

  /// The identifiers of the types it conforms to; none stands for `public.data`.
  public var conformsTo: [String]

  /// The tags of each class, preferred first.
  public var tags: [UTTagClass: [String]]

  /// What a person calls the type.
  public var localizedDescription: String?

  /// Where the type is described; not validated.
  public var referenceURL: URL?

  /// The version of the declaration.
  public var version: Int?

  /// The name of the type's icon, as the declaring program names it.
  ///
  /// In a property list, the first of `UTTypeIconName` (in `UTTypeIcons`), `UTTypeIconFile`, `UTTypeIconFiles` and
  /// `UTTypeIconBadgeName` (in `UTTypeIcons`) that names one.
  public var iconName: String?

  /// The most bytes an identifier may have.
  public static let maximumIdentifierLength = 1024

  /// Describes a type, without declaring it yet.
  ///
  /// - Parameters:
  ///   - identifier: The reverse-DNS name.
  ///   - origin: Whose type it is.
  ///   - conformsTo: The identifiers of the types it conforms to.
  ///   - tags: The tags of each class, preferred first.
  ///   - localizedDescription: What a person calls the type.
  ///   - referenceURL: Where the type is described.
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
