// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The declarations in `UTExportedTypeDeclarations` and `UTImportedTypeDeclarations` of a property list.
///
/// Other keys of the list are not decoded. For speed, the kind of a value is determined only after a failed attempt to
/// decode the expected kind.
struct PropertyListDeclarations: Decodable {
  private(set) var declarations: [TypeDeclaration] = []
  private(set) var locations: [PropertyListLocation] = []
  private(set) var refused: [RefusedDeclaration] = []
  private var valueCount = 0
  private var remarkCount = 0

  /// - Throws: `TypeDeclarationListError` if the list as a whole is invalid.
  init(from decoder: any Decoder) throws {
    guard let container = try? decoder.container(keyedBy: PropertyListKey.self) else {
      let kind = PropertyListKind(of: decoder)
      throw TypeDeclarationListError(.invalidValue, "expected a dictionary, found \(kind)")
    }
    for origin in TypeDeclaration.Origin.allCases {
      let key = PropertyListKey(PropertyListLocation.key(for: origin))
      guard container.contains(key) else { continue }
      guard var entries = try? container.nestedUnkeyedContainer(forKey: key) else {
        let kind = (try? container.decode(PropertyListKind.self, forKey: key)) ?? .unreadable
        throw TypeDeclarationListError(
          .invalidValue, at: key.stringValue, "expected an array of dictionaries, found \(kind)")
      }
      try read(&entries, origin)
    }
  }

  private mutating func read(_ entries: inout any UnkeyedDecodingContainer, _ origin: TypeDeclaration.Origin) throws {
    var location = PropertyListLocation(origin: origin, index: 0)
    // An array with too many entries fails here, before its entries are read.
    let count = declarations.count + refused.count + (entries.count ?? 0)
    try check(count, limit: TypeDeclarationList.maximumDeclarationCount, "declarations", in: origin)
    while !entries.isAtEnd {
      let entry = try entries.decode(PropertyListEntry.self)
      valueCount += entry.valueCount
      try check(
        valueCount, limit: TypeDeclarationList.maximumValueCount, "keys, parents and tags", in: origin)
      remarkCount += entry.remarks.count
      try check(remarkCount, limit: TypeDeclarationList.maximumRemarkCount, "faulty parents and tags", in: origin)
      location.singleTexts = entry.singleTexts
      location.parentIndices = entry.parentIndices
      do throws(DeclarationFault) {
        var declaration = try entry.declaration.get()
        declaration.origin = origin
        let remarks = try entry.remarks + declaration.validate()
        declarations.append(declaration)
        locations.append(location)
        refused += remarks.map { location.refusal($0, identifier: entry.identifier, isRemark: true) }
      } catch {
        refused.append(location.refusal(error, identifier: entry.identifier))
      }
      location.index += 1
    }
  }

  private func check(
    _ count: Int, limit: Int, _ name: String, in origin: TypeDeclaration.Origin
  ) throws(TypeDeclarationListError) {
    guard count <= limit else {
      throw TypeDeclarationListError(
        .limitExceeded, at: PropertyListLocation.key(for: origin), "there are more than \(limit) \(name)")
    }
  }
}

/// The location of a declaration in a property list.
struct PropertyListLocation: Sendable {
  var origin: TypeDeclaration.Origin
  /// The index in the array for declarations of this origin.
  var index: Int
  /// The key paths, relative to the declaration, of single strings that the list has in place of arrays.
  ///
  /// The registry sees each of these strings as an array of one element, and reports a fault with `[0]` after its key
  /// path.
  var singleTexts: [String] = []
  /// For each valid parent of the declaration, its index among all parents in the property list.
  var parentIndices: [Int] = []

  /// Returns the registry's refusal with the index and the key path in the property list.
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

  /// Returns a refusal of the declaration at this location, or a remark on it.
  func refusal(_ fault: DeclarationFault, identifier: String?, isRemark: Bool = false) -> RefusedDeclaration {
    RefusedDeclaration(
      index: index, keyPath: "\(self)\(fault.keyPath)", identifier: identifier, reason: fault.reason,
      value: fault.value, isRemark: isRemark)
  }

  /// Merges two lists of refusals, each in the order of the property list, and removes duplicates.
  static func merge(_ first: [RefusedDeclaration], _ second: [RefusedDeclaration]) -> [RefusedDeclaration] {
    let exported = key(for: .exported) + "["
    func rank(_ refused: RefusedDeclaration) -> (Int, Int) {
      (refused.keyPath.utf8.starts(with: exported.utf8) ? 0 : 1, refused.index)
    }
    return (first + second).uniqued().sorted { rank($0) < rank($1) }
  }

  /// Returns the key of the array for declarations of an origin.
  static func key(for origin: TypeDeclaration.Origin) -> String {
    switch origin {
    case .exported: "UTExportedTypeDeclarations"
    case .imported: "UTImportedTypeDeclarations"
    }
  }
}

extension PropertyListLocation: CustomStringConvertible {
  /// The key path of the declaration.
  var description: String { "\(Self.key(for: origin))[\(index)]" }
}
