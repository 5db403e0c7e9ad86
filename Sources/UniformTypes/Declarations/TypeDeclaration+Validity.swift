// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

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
