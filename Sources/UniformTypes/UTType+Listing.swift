// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

extension UTType {
  /// Every type that the system or this process has declared, by identifier.
  package static var allDeclared: [UTType] {
    let system = (0..<SystemTypes.declaredCount).map(UTType.init(systemIndex:))
    let declaredHere = TypeRegistry.shared.declarations.map { UTType(named: $0.identifier) }
    return (system + declaredHere).uniqued().sorted { $0.identifier < $1.identifier }
  }

  /// Which files of the system's MIME database are not read, and why.
  package static var databaseRemarks: [String] { MIMEDatabaseCache.shared.current().remarks }

  /// What a dynamic type's identifier says, and nothing that was concluded from it; `nil` for any other type.
  package var dynamicStatement: (supertypes: [String], tags: [(tagClass: UTTagClass, tag: String)])? {
    guard let dynamic = DynamicIdentifier(identifier) else { return nil }
    return (dynamic.supertypes, dynamic.tags.map { ($0.tagClass, $0.value) })
  }
}

extension TypeRegistry {
  /// Declares the types of a property list, and tells them apart by what has become of them.
  package func declareAll(
    of list: TypeDeclarationList
  ) -> (holding: [TypeDeclaration], refused: [RefusedDeclaration]) {
    let refused = declare(list)
    // Each key path begins with that of its declaration, which ends with an index.
    let places = Set(refused.lazy.filter { !$0.isRemark }.map { $0.keyPath.prefix { $0 != "]" } })
    let holding = zip(list.declarations, list.places).filter { !places.contains("\($1)".dropLast()) }.map(\.0)
    return (holding, refused)
  }
}
