// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import ItemCoding

/// A declaration that does not hold, and why; the others of its list are not affected.
public struct RefusedDeclaration: Sendable, Hashable {
  /// Why a declaration does not hold.
  public enum Reason: Sendable, Hashable {
    /// The identifier is empty.
    case emptyIdentifier

    /// The identifier has more than ``TypeDeclaration/maximumIdentifierLength`` bytes.
    case longIdentifier

    /// The identifier has a character which none may have, at this many bytes from its start.
    case illegalCharacter(offset: Int)

    /// `dyn.` belongs to dynamic types, and nobody but the system exports types of `public.`.
    case reservedIdentifier

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
}

extension RefusedDeclaration: CustomStringConvertible {
  /// A sentence with the place, the identifier and the reason; control characters in them are escaped.
  public var description: String {
    let name = identifier.map { " (\($0.escapedForDisplay(limit: 80)))" } ?? ""
    return "\(keyPath.escapedForDisplay(limit: 200))\(name): \(reason)"
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
    case .reservedIdentifier: "the identifier is reserved for the system"
    case .systemType: "the system declares this type"
    case .alreadyDeclared: "the type is declared already"
    case .cycle: "the type would conform to itself"
    case .invalidTag: "this cannot be a tag of its class"
    case .malformed(let text): text
    }
  }
}
