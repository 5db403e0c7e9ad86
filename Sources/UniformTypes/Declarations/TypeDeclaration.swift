// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
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

/// A fault of a declaration, with the key path of the faulty part.
struct DeclarationFault: Error, Equatable {
  /// The key path relative to the declaration, such as `.UTTypeConformsTo[0]`.
  var keyPath: String
  var reason: RefusedDeclaration.Reason
  /// The faulty parent or tag; `nil` if another part is faulty.
  var value: String?
}

extension TypeDeclaration {
  /// Checks the declaration without regard to other declarations, and removes its faulty parents and tags.
  ///
  /// - Returns: Remarks on the declaration and on its removed parts, in a deterministic order.
  /// - Throws: If the identifier is invalid or reserved.
  mutating func validate() throws(DeclarationFault) -> [DeclarationFault] {
    if let reason = Self.fault(inIdentifier: identifier) {
      throw DeclarationFault(keyPath: ".UTTypeIdentifier", reason: reason)
    }
    var remarks: [DeclarationFault] = []
    if SystemTypes.index(of: identifier) == nil {
      if identifier.hasASCIIPrefix("dyn.") {
        throw DeclarationFault(keyPath: ".UTTypeIdentifier", reason: .reservedIdentifier)
      }
      if origin == .exported && identifier.hasASCIIPrefix("public.") {
        remarks.append(DeclarationFault(keyPath: ".UTTypeIdentifier", reason: .publicIdentifier))
      }
    }
    let parents = Self.sound(conformsTo, at: ".UTTypeConformsTo", &remarks) { fault(inParent: $0) }
    if parents.count < conformsTo.count { conformsTo = parents }
    for (tagClass, values) in tags.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      let sound = Self.sound(values, at: ".UTTypeTagSpecification.\(tagClass)", &remarks) { tag in
        UTType.isValid(tag: tag, of: tagClass) ? nil : .invalidTag
      }
      if sound.count < values.count { tags[tagClass] = sound }
    }
    return remarks
  }

  /// Returns the strings without a fault, and appends a remark on each faulty string.
  private static func sound(
    _ texts: [String], at keyPath: String, _ remarks: inout [DeclarationFault],
    fault: (String) -> RefusedDeclaration.Reason?
  ) -> [String] {
    texts.enumerated().compactMap { index, text in
      guard let reason = fault(text) else { return text }
      remarks.append(DeclarationFault(keyPath: "\(keyPath)[\(index)]", reason: reason, value: text))
      return nil
    }
  }

  /// Returns why the type cannot conform to a parent; `nil` if the declaration by itself shows no fault.
  func fault(inParent parent: String) -> RefusedDeclaration.Reason? {
    parent.isEqualIgnoringASCIICase(to: identifier) ? .cycle : Self.fault(inIdentifier: parent)
  }

  /// Returns why an identifier is illegal; `nil` if it is legal.
  ///
  /// Apple's "Uniform Type Identifiers Overview" lists the legal characters. Invisible control characters are not legal
  /// here.
  static func fault(inIdentifier identifier: String) -> RefusedDeclaration.Reason? {
    let bytes = identifier.utf8Span.span
    if bytes.isEmpty { return .emptyIdentifier }
    if bytes.count > maximumIdentifierLength { return .longIdentifier }
    for offset in bytes.indices {
      switch bytes[offset].asciiLowercased {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
        UInt8(ascii: "."), 0x80...:
        continue
      default:
        return .illegalCharacter(offset: offset)
      }
    }
    guard identifier.utf8.contains(where: { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ".") }) else {
      return .noLetter
    }
    // Most identifiers are ASCII and need no search of the Unicode tables.
    if identifier.utf8.allSatisfy({ $0 < 0x80 }) { return nil }
    let scalars = identifier.unicodeScalars
    return scalars.firstIndex(where: \.isInvisibleControl).map { index in
      .illegalCharacter(offset: identifier.utf8.distance(from: identifier.startIndex, to: index))
    }
  }
}

/// A refused declaration, or a remark on a declaration that is in effect, with the reason.
///
/// The other declarations of the list are not affected.
public struct RefusedDeclaration: Sendable, Hashable {
  /// The reason why a declaration or a part of it is refused.
  public enum Reason: Sendable, Hashable {
    /// The identifier is empty.
    case emptyIdentifier

    /// The identifier has more than ``TypeDeclaration/maximumIdentifierLength`` bytes.
    case longIdentifier

    /// The identifier has an illegal character at this offset in bytes.
    case illegalCharacter(offset: Int)

    /// The identifier consists of hyphens and periods only.
    case noLetter

    /// The identifier is reserved: it starts with `dyn.`, or it is an undeclared parent of a type of the system.
    case reservedIdentifier

    /// The system owns identifiers that start with `public.`, so a program should import the type. The declaration is in
    /// effect.
    case publicIdentifier

    /// The system declares the type. An explicit declaration may only add tags, and only to a type that Apple does not
    /// declare.
    case systemType

    /// An existing declaration of the same type takes precedence.
    case alreadyDeclared

    /// The type would conform to itself, directly or indirectly.
    case cycle

    /// A tag is empty, too long or invalid: an extension with a slash, a MIME type with a control character.
    case invalidTag

    /// A value in a property list is missing, has an unexpected kind or exceeds a limit. The string describes the
    /// fault.
    case malformed(String)
  }

  /// The index of the declaration in its list, from 0.
  public var index: Int

  /// The key path of the faulty part, such as `UTExportedTypeDeclarations[2].UTTypeConformsTo[0]`.
  public var keyPath: String

  /// The declaration's identifier; `nil` if it has none.
  public var identifier: String?

  /// The reason for the refusal or the remark.
  public var reason: Reason

  /// The faulty parent or tag; `nil` if another part is faulty.
  public var value: String?

  /// Whether this is a remark: the declaration is in effect, without its faulty parent or tag if it has one.
  public var isRemark = false
}

extension RefusedDeclaration: CustomStringConvertible {
  /// The key path, the identifier, the faulty value and the reason in one line, with control characters escaped.
  public var description: String {
    let name = identifier.map { " (\($0.escapedForDisplay(limit: 80)))" } ?? ""
    let value = value.map { "\"\($0.escapedForDisplay(limit: 80))\" is ignored: " } ?? ""
    return "\(keyPath.escapedForDisplay(limit: 200))\(name): \(value)\(reason)"
  }
}

extension RefusedDeclaration.Reason: CustomStringConvertible {
  /// The reason as a clause, such as `the identifier is empty`.
  public var description: String {
    switch self {
    case .emptyIdentifier: "the identifier is empty"
    case .longIdentifier: "the identifier has more than \(TypeDeclaration.maximumIdentifierLength) bytes"
    case .illegalCharacter(let offset):
      "the identifier's character at byte \(offset) is not a letter, a digit, a hyphen or a period"
    case .noLetter: "the identifier has no letter or digit"
    case .reservedIdentifier: "the identifier is reserved for the system"
    case .publicIdentifier: "the type is declared, but identifiers that start with public. belong to the system"
    case .systemType: "the system declares this type"
    case .alreadyDeclared: "the type is already declared"
    case .cycle: "the type would conform to itself"
    case .invalidTag: "the tag is not valid for its class"
    case .malformed(let text): text
    }
  }
}
