// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

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
