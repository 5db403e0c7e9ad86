// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A reason and the part of the declaration it is about.
struct DeclarationFault: Error, Equatable {
  /// Relative to the declaration, such as `.UTTypeConformsTo[0]`.
  var keyPath: String
  var reason: RefusedDeclaration.Reason
}

extension TypeDeclaration {
  /// Looks at the declaration alone, whatever else is declared.
  func validate() throws(DeclarationFault) {
    if let reason = Self.fault(inIdentifier: identifier) {
      throw DeclarationFault(keyPath: ".UTTypeIdentifier", reason: reason)
    }
    let isReserved = identifier.hasASCIIPrefix("dyn.") || origin == .exported && identifier.hasASCIIPrefix("public.")
    if isReserved, SystemTypes.index(of: identifier) == nil {
      throw DeclarationFault(keyPath: ".UTTypeIdentifier", reason: .reservedIdentifier)
    }
    for (index, parent) in conformsTo.enumerated() {
      if let reason = Self.fault(inIdentifier: parent) {
        throw DeclarationFault(keyPath: ".UTTypeConformsTo[\(index)]", reason: reason)
      }
    }
    // In an order of its own, so that the first fault is the same each time.
    for (tagClass, values) in tags.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      for (index, value) in values.enumerated() where !UTType.isValid(tag: value, of: tagClass) {
        throw DeclarationFault(keyPath: ".UTTypeTagSpecification.\(tagClass)[\(index)]", reason: .invalidTag)
      }
    }
  }

  /// The legal characters are those of Apple's Uniform Type Identifiers Overview.
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
    return nil
  }
}
