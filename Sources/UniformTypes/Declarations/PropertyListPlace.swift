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
  /// The indices of the parents that the declaration keeps, within the property list.
  var parentIndices: [Int] = []

  /// A refusal by the index and the key path within the property list.
  func locate(_ refused: RefusedDeclaration) -> RefusedDeclaration {
    var refused = refused
    refused.index = index
    let parents = "\(self).UTTypeConformsTo"
    if let kept = parentIndices.indices.first(where: { refused.keyPath == "\(parents)[\($0)]" }) {
      refused.keyPath = "\(parents)[\(parentIndices[kept])]"
    }
    for path in singleTexts where refused.keyPath == "\(self)\(path)[0]" { refused.keyPath.removeLast(3) }
    return refused
  }

  /// A refusal of the declaration at this place, or a remark on it.
  func refusal(_ fault: DeclarationFault, identifier: String?, isRemark: Bool = false) -> RefusedDeclaration {
    RefusedDeclaration(
      index: index, keyPath: "\(self)\(fault.keyPath)", identifier: identifier, reason: fault.reason,
      value: fault.value, isRemark: isRemark)
  }

  /// Puts two lists of refusals, each in the order of the property list, into one, which has each refusal once.
  static func merge(_ first: [RefusedDeclaration], _ second: [RefusedDeclaration]) -> [RefusedDeclaration] {
    let exported = key(for: .exported) + "["
    func rank(_ refused: RefusedDeclaration) -> (Int, Int) {
      (refused.keyPath.utf8.starts(with: exported.utf8) ? 0 : 1, refused.index)
    }
    return (first + second).uniqued().sorted { rank($0) < rank($1) }
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
