// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// A declaration that does not hold, or a part of one that holds without it, and why.
///
/// The other declarations of the list are not affected.
public struct RefusedDeclaration: Sendable, Hashable {
  /// Why a declaration or a part of it does not hold.
  public enum Reason: Sendable, Hashable {
    /// The identifier is empty.
    case emptyIdentifier

    /// The identifier has more than ``TypeDeclaration/maximumIdentifierLength`` bytes.
    case longIdentifier

    /// The identifier has a character which none may have, at this many bytes from its start.
    case illegalCharacter(offset: Int)

    /// The identifier has only hyphens and periods.
    case noLetter

    /// `dyn.` belongs to dynamic types, and an identifier that a type of the system has as its parent to the system.
    case reservedIdentifier

    /// The system owns the identifiers that start with `public.`, so a program should import the type. It is declared.
    case publicIdentifier

    /// The system declares the type, and its types cannot be redefined.
    case systemType

    /// A declaration of the same type was there before and counts at least as much.
    case alreadyDeclared

    /// The type would conform to itself, directly or through the types between.
    case cycle

    /// A tag is empty, too long, or could not be one: an extension with a slash, a MIME type with a control character.
    case invalidTag

    /// A property list says something else than a declaration does; the text says what was found and what is wanted.
    case malformed(String)
  }

  /// Where the declaration is in its list, from 0.
  public var index: Int

  /// The way to the part at fault, such as `UTExportedTypeDeclarations[2].UTTypeConformsTo[0]`.
  public var keyPath: String

  /// The declaration's identifier, where it has one.
  public var identifier: String?

  /// Why it does not hold.
  public var reason: Reason

  /// The parent or tag at fault.
  public var value: String?

  /// Whether the declaration holds, without the part at fault if there is one.
  public var isRemark = false
}

extension RefusedDeclaration: CustomStringConvertible {
  /// A sentence with the place, the identifier, the value at fault and the reason; control characters in them are escaped.
  public var description: String {
    let name = identifier.map { " (\($0.escapedForDisplay(limit: 80)))" } ?? ""
    let value = value.map { "\"\($0.escapedForDisplay(limit: 80))\" is ignored: " } ?? ""
    return "\(keyPath.escapedForDisplay(limit: 200))\(name): \(value)\(reason)"
  }
}

extension RefusedDeclaration.Reason: CustomStringConvertible {
  /// The reason in words.
  public var description: String {
    switch self {
    case .emptyIdentifier: "the identifier is empty"
    case .longIdentifier: "the identifier has more than \(TypeDeclaration.maximumIdentifierLength) bytes"
    case .illegalCharacter(let offset):
      "the identifier's character at byte \(offset) is not a letter, a digit, a hyphen or a period"
    case .noLetter: "the identifier has no letter or digit"
    case .reservedIdentifier: "the identifier is reserved for the system"
    case .publicIdentifier: "the type is declared, but the system owns the identifiers that start with public."
    case .systemType: "the system declares this type"
    case .alreadyDeclared: "the type is declared already"
    case .cycle: "the type would conform to itself"
    case .invalidTag: "this cannot be a tag of its class"
    case .malformed(let text): text
    }
  }
}
