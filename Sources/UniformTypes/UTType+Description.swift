// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

extension UTType {
  /// The display name of the type, or of the nearest supertype that has a display name.
  ///
  /// Dynamic types have none.
  public var localizedDescription: String? {
    guard let slot = knownSlot else { return nil }
    return TypeRegistry.shared.nearestDescription(from: Int(slot))
  }

  /// The address of a description of the type, from its declaration.
  public var referenceURL: URL? {
    guard let slot = knownSlot else { return nil }
    guard slot < TypeGraph.systemCount else { return TypeRegistry.shared.declaration(at: Int(slot))?.referenceURL }
    return SystemTypes.texts(of: Int(slot)).referenceURL.flatMap { URL(string: $0) }
  }

  /// The version in this process's declaration of the type; `nil` without such a declaration, or if it states none.
  public var version: Int? {
    knownSlot.flatMap { TypeRegistry.shared.declaration(at: Int($0)) }?.version
  }

  /// Whether the type is defined by its identifier alone, which begins with `dyn.` and encodes tags and supertypes.
  public var isDynamic: Bool {
    DynamicIdentifier.isPrefix(of: identifier) && DynamicIdentifier(identifier) != nil
  }

  /// Whether the system or this process has declared the type.
  public var isDeclared: Bool {
    TypeRegistry.shared.find(identifier)?.isDeclared ?? false
  }

  /// Whether the identifier begins with `public.`, which is reserved for types that all systems have in common.
  public var isPublic: Bool {
    identifier.hasASCIIPrefix("public.")
  }
}

extension TypeRegistry {
  /// Returns the description of the type or of its nearest supertype with a description, in a breadth-first search.
  fileprivate func nearestDescription(from start: Int) -> String? {
    var pending = [start]
    var seen: Set<Int> = [start]
    var next = 0
    while next < pending.count {
      let slot = pending[next]
      next += 1
      if let description = description(at: slot) { return description }
      for parent in parents(of: slot) where seen.insert(parent).inserted { pending.append(parent) }
    }
    return nil
  }

  private func description(at slot: Int) -> String? {
    slot < TypeGraph.systemCount
      ? SystemTypes.texts(of: slot).description : declaration(at: slot)?.localizedDescription
  }
}

extension UTType {
  /// All types that the system or this process has declared, sorted by identifier.
  package static var allDeclared: [UTType] {
    let system = (0..<SystemTypes.declaredCount).map(UTType.init(systemIndex:))
    let declaredHere = TypeRegistry.shared.declarations.map { UTType(named: $0.identifier) }
    return (system + declaredHere).uniqued().sorted { $0.identifier < $1.identifier }
  }

  /// A line for each existing file of the system's MIME database that could not be read or was refused.
  package static var databaseRemarks: [String] { MIMEDatabaseCache.shared.current().remarks }

  /// The supertypes and tags in a dynamic type's identifier, without anything derived from them; `nil` for other types.
  package var dynamicStatement: (supertypes: [String], tags: [(tagClass: UTTagClass, tag: String)])? {
    guard let dynamic = DynamicIdentifier(identifier) else { return nil }
    return (dynamic.supertypes, dynamic.tags.map { ($0.tagClass, $0.value) })
  }
}
