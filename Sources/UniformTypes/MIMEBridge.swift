// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// What the system's MIME database adds to the uniform types.
///
/// A declared type gains the extensions and MIME types that the database takes for the same, and a dynamic type the
/// supertypes and tags of the MIME type that it tells. What is declared is never changed: no declared type gains a
/// supertype, and no dynamic type whose identifier states more than `public.data`.
struct MIMEBridge {
  let database: MIMEDatabase

  static var current: MIMEBridge { MIMEBridge(database: MIMEDatabaseCache.shared.current()) }

  // MARK: To declared types

  /// The declared types that a MIME type stands for by another name, best first.
  ///
  /// Where no declared type has any of its names, a declared type may have an extension that the database gives to this
  /// MIME type and no other.
  ///
  /// - Parameter mimeType: Without parameters.
  /// - Returns: Each type once; none where nothing is declared.
  func declaredTypes(ofMIMEType mimeType: String) -> [UTType] {
    let canonical = database.canonicalType(of: mimeType)
    let named = ([mimeType, canonical] + database.aliases(of: canonical)).flatMap { declared($0, .mimeType) }
    guard named.isEmpty else { return named.uniqued() }
    let kind = MediaKind(of: canonical)
    for each in database.filenameExtensions(of: canonical)
    where database.types(withFilenameExtension: each) == [canonical] {
      let fitting = declared(each, .filenameExtension).filter { kind.parent.map($0.conforms(to:)) ?? true }
      if !fitting.isEmpty { return fitting }
    }
    return []
  }

  /// The declared types of the MIME types that the database gives to an extension, best first, and none of those behind
  /// one that has no declared type.
  func declaredTypes(withExtension filenameExtension: String) -> [UTType] {
    var found: [UTType] = []
    for mimeType in database.types(withFilenameExtension: filenameExtension) {
      let types = declaredTypes(ofMIMEType: mimeType).filter { $0 != .data }
      if types.isEmpty { break }
      found += types
    }
    return found.uniqued()
  }

  private func declared(_ tag: String, _ tagClass: UTTagClass) -> [UTType] {
    TagRequest(tag, of: tagClass, conformingTo: nil)?.declaredTypes ?? []
  }

  // MARK: Of dynamic types

  /// The MIME type that a dynamic type tells, or that the database gives to its extension.
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

  /// All supertypes of a MIME type: its parents in the database and theirs, and what its first word says.
  ///
  /// Walks without recursion and visits each once, as anybody may write cycles into their own database.
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

/// What the first word of a MIME type says.
struct MediaKind {
  /// What everything of the kind conforms to.
  let parent: UTType?

  init(of mimeType: String) {
    let word = mimeType.utf8.prefix { $0 != UInt8(ascii: "/") }
    switch String(decoding: word.map(\.asciiLowercased), as: UTF8.self) {
    case "text": parent = .text
    case "image": parent = .image
    case "audio": parent = .audio
    case "video": parent = .movie
    case "font": parent = .font
    case "model": parent = .threeDContent
    default: parent = nil
    }
  }
}

extension DynamicIdentifier {
  /// What the identifier states, with all that these types conform to, and what a bridge adds.
  func supertypes(in bridge: MIMEBridge?) -> Set<UTType> {
    var found: Set<UTType> = []
    for type in supertypes.map(UTType.init(named:)) {
      found.insert(type)
      // A dynamic type within would tell of others within itself: an identifier is not to be unfolded without end.
      found.formUnion(type.knownSlot == nil ? [.data, .item] : type.supertypes)
    }
    if let bridge, let mimeType = bridge.mimeType(of: self) {
      if !tags.contains(where: { $0.tagClass == .mimeType }) {
        found.formUnion([bridge.declaredTypes(ofMIMEType: mimeType).first ?? .dynamic(mimeType: mimeType)])
      }
      found.formUnion(bridge.supertypes(ofMIMEType: mimeType))
    }
    return found
  }

  /// The tags that the identifier tells, and behind them those that a bridge adds.
  func allTags(in bridge: MIMEBridge?) -> [UTTagClass: [String]] {
    var all = Dictionary(grouping: tags, by: \.tagClass).mapValues { $0.map(\.value) }
    guard let bridge, let mimeType = bridge.mimeType(of: self) else { return all }
    if all[.mimeType] == nil { all[.mimeType] = [mimeType] }
    let own = all[.filenameExtension] ?? []
    let added = bridge.database.filenameExtensions(of: mimeType)
      .filter { !own.contains($0) && UTType.isValid(tag: $0, of: .filenameExtension) }
    if !added.isEmpty { all[.filenameExtension] = own + added }
    return all
  }
}

extension UTType {
  /// The dynamic type of a MIME type, as it is where nobody declares that.
  static func dynamic(mimeType: String) -> UTType {
    let tag = DynamicIdentifier.Tag(tagClass: .mimeType, value: mimeType)
    return UTType(undeclared: DynamicIdentifier(supertypes: [UTType.data.identifier], tags: [tag]).identifier)
  }
}

extension Array where Element: Hashable {
  /// The elements without those that were there before.
  func uniqued() -> [Element] {
    guard count > 1 else { return self }
    var seen: Set<Element> = []
    return filter { seen.insert($0).inserted }
  }
}
