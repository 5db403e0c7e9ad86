// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The supertypes and tags that the system's MIME database adds to dynamic types.
///
/// A dynamic type gains the supertypes and tags of its MIME type, or of the MIME type that claims its extension. It
/// gains nothing unless `public.data` is the only supertype that its identifier states. Declared types gain nothing,
/// and the database never changes the type that a tag resolves to.
struct MIMEBridge {
  let database: MIMEDatabase

  static var current: MIMEBridge { MIMEBridge(database: MIMEDatabaseCache.shared.current()) }

  /// Returns the declared types for a MIME type and its aliases in the database, best first.
  ///
  /// A name yields the types that have it as a tag, or else the type to which ``MIMEIdentifiers`` maps it.
  ///
  /// - Parameter mimeType: The MIME type without parameters.
  /// - Returns: Each type once; empty if no name yields a type.
  func declaredTypes(ofMIMEType mimeType: String) -> [UTType] {
    let canonical = database.canonicalType(of: mimeType)
    return ([mimeType, canonical] + database.aliases(of: canonical)).flatMap { name in
      TagRequest(name, of: .mimeType, conformingTo: nil)?.knownTypes ?? []
    }.uniqued()
  }

  /// Returns the MIME type in a dynamic type's identifier, or the database's MIME type for the identifier's extension.
  ///
  /// The first tag that is a MIME type or an extension decides. The result is `nil` if there is no such tag, if the
  /// database does not know the extension, or if `public.data` is not the only stated supertype.
  func mimeType(of dynamic: DynamicIdentifier) -> String? {
    guard dynamic.supertypes == [UTType.data.identifier] else { return nil }
    for tag in dynamic.tags {
      switch tag.tagClass {
      case .mimeType: return database.canonicalType(of: MIMETypeText.essence(of: tag.value))
      case .filenameExtension: return database.types(withFilenameExtension: tag.value).first
      default: continue
      }
    }
    return nil
  }

  /// Returns all supertypes of a MIME type: its supertypes in the database, and the supertypes of its ``MediaKind``.
  ///
  /// The search is iterative and visits each type once, as a user's database may contain cycles.
  func supertypes(ofMIMEType start: String) -> Set<UTType> {
    var found: Set<UTType> = []
    var seen: Set<String> = [start.asciiLowercased]
    var pending = [start]
    func insert(_ type: UTType) {
      if found.insert(type).inserted { found.formUnion(type.supertypes) }
    }
    while let mimeType = pending.popLast() {
      if let parent = MediaKind(of: mimeType).parent { insert(parent) }
      guard database.isKnown(mimeType) else { continue }
      for parent in database.parents(of: mimeType) where seen.insert(parent.asciiLowercased).inserted {
        if let declared = declaredTypes(ofMIMEType: parent).first {
          insert(declared)
        } else {
          found.insert(.dynamic(mimeType: parent))
          pending.append(parent)
        }
      }
    }
    return found
  }
}

extension DynamicIdentifier {
  /// The maximum number of nested dynamic types that are decoded from one identifier.
  private static let maximumUnfolded = 64

  /// Returns the supertypes in the identifier, all of their supertypes, and the supertypes that a bridge adds.
  ///
  /// A supertype in the identifier may be dynamic and contain further types. Each nested identifier is shorter than the
  /// identifier around it, so the search ends.
  func supertypes(in bridge: MIMEBridge?) -> Set<UTType> {
    var found = bridge.map(addedSupertypes) ?? []
    var seen: Set<UTType> = []
    var pending = supertypes
    var unfolded = 0
    while let next = pending.popLast() {
      let type = UTType(named: next)
      guard seen.insert(type).inserted else { continue }
      found.insert(type)
      if type.knownSlot != nil {
        found.formUnion(type.supertypes)
        continue
      }
      found.formUnion([.data, .item])
      guard unfolded < Self.maximumUnfolded, let inner = DynamicIdentifier(type.identifier) else { continue }
      unfolded += 1
      pending += inner.supertypes
      if let bridge { found.formUnion(inner.addedSupertypes(by: bridge)) }
    }
    return found
  }

  /// Returns the supertypes that the database states for the type's MIME type, or for the MIME type of its extension.
  private func addedSupertypes(by bridge: MIMEBridge) -> Set<UTType> {
    guard let mimeType = bridge.mimeType(of: self) else { return [] }
    var found = bridge.supertypes(ofMIMEType: mimeType)
    if let declared = bridge.declaredTypes(ofMIMEType: mimeType).first {
      found.formUnion(declared.supertypes.union([declared]))
    } else if !tags.contains(where: { $0.tagClass == .mimeType }) {
      found.insert(.dynamic(mimeType: mimeType))
    }
    return found
  }

  /// Returns the tags in the identifier, followed by the tags that a bridge adds.
  func allTags(in bridge: MIMEBridge?) -> [UTTagClass: [String]] {
    var all = Dictionary(grouping: tags, by: \.tagClass).mapValues { $0.map(\.value) }
    guard let bridge, let mimeType = bridge.mimeType(of: self) else { return all }
    if all[.mimeType] == nil { all[.mimeType] = [mimeType] }
    // If a declared type has the MIME type, the database's extensions belong to the declared type.
    guard bridge.declaredTypes(ofMIMEType: mimeType).isEmpty else { return all }
    let own = all[.filenameExtension] ?? []
    let added = bridge.database.filenameExtensions(of: mimeType)
      .filter { !own.contains($0) && UTType.isValid(tag: $0, of: .filenameExtension) }
    if !added.isEmpty { all[.filenameExtension] = own + added }
    return all
  }
}

extension UTType {
  /// Returns the dynamic type for an undeclared MIME type.
  static func dynamic(mimeType: String) -> UTType {
    let tag = DynamicIdentifier.Tag(tagClass: .mimeType, value: mimeType.asciiLowercased)
    return UTType(undeclared: DynamicIdentifier(supertypes: [UTType.data.identifier], tags: [tag]).identifier)
  }
}

extension Array where Element: Hashable {
  /// Returns the elements in their order, without duplicates.
  func uniqued() -> [Element] {
    guard count > 1 else { return self }
    var seen: Set<Element> = []
    return filter { seen.insert($0).inserted }
  }
}
