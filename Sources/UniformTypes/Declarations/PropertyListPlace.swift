// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Where a declaration is in a property list.
struct PropertyListPlace: Sendable {
  var origin: TypeDeclaration.Origin
  /// Within the array of its origin.
  var index: Int
  /// The key paths of single strings where there could have been arrays, relative to the declaration.
  ///
  /// Whoever looks at a declaration alone sees arrays of one, and says `[0]` of what is not in an array.
  var singleTexts: [String] = []

  /// A refusal by the index and the key path within the property list.
  func locate(_ refused: RefusedDeclaration) -> RefusedDeclaration {
    var refused = refused
    refused.index = index
    for path in singleTexts where refused.keyPath == "\(self)\(path)[0]" { refused.keyPath.removeLast(3) }
    return refused
  }

  /// A refusal of the declaration at this place.
  func refusal(_ fault: DeclarationFault, identifier: String?) -> RefusedDeclaration {
    locate(
      RefusedDeclaration(index: index, keyPath: "\(self)\(fault.keyPath)", identifier: identifier, reason: fault.reason)
    )
  }

  /// Puts two lists of refusals, each in the order of the property list, into one.
  static func merge(_ first: [RefusedDeclaration], _ second: [RefusedDeclaration]) -> [RefusedDeclaration] {
    let exported = key(for: .exported) + "["
    func rank(_ refused: RefusedDeclaration) -> (Int, Int) {
      (refused.keyPath.utf8.starts(with: exported.utf8) ? 0 : 1, refused.index)
    }
    return (first + second).sorted { rank($0) < rank($1) }
  }

  static func key(for origin: TypeDeclaration.Origin) -> String {
    switch origin {
    case .exported: "UTExportedTypeDeclarations"
    case .imported: "UTImportedTypeDeclarations"
    }
  }
}

extension PropertyListPlace: CustomStringConvertible {
  /// The key path of the declaration.
  var description: String { "\(Self.key(for: origin))[\(index)]" }
}
