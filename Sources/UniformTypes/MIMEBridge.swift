// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// What the system's MIME database adds to the uniform types.
///
/// A dynamic type gains the supertypes and tags of its MIME type, or of the MIME type that has its extension. The
/// database never changes which type a tag stands for. A declared type gains nothing, and neither does a dynamic type
/// whose identifier states more than `public.data`.
struct MIMEBridge {
  let database: MIMEDatabase

  static var current: MIMEBridge { MIMEBridge(database: MIMEDatabaseCache.shared.current()) }

  /// The declared types that a MIME type or another name of it stands for, best first.
  ///
  /// Other names are the database's aliases. Each name counts if a declared type has it as a tag, or if it is in
  /// ``MIMEIdentifiers``.
  ///
  /// - Parameter mimeType: Without parameters.
  /// - Returns: Each type once; empty if no name is known.
  func declaredTypes(ofMIMEType mimeType: String) -> [UTType] {
    let canonical = database.canonicalType(of: mimeType)
    return ([mimeType, canonical] + database.aliases(of: canonical)).flatMap { name in
      TagRequest(name, of: .mimeType, conformingTo: nil)?.knownTypes ?? []
    }.uniqued()
  }

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
      if let declared = bridge.declaredTypes(ofMIMEType: mimeType).first {
        found.formUnion(declared.supertypes.union([declared]))
      } else if !tags.contains(where: { $0.tagClass == .mimeType }) {
        found.insert(.dynamic(mimeType: mimeType))
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
    // The extensions of a declared type belong to that type.
    guard bridge.declaredTypes(ofMIMEType: mimeType).isEmpty else { return all }
    let own = all[.filenameExtension] ?? []
    let added = bridge.database.filenameExtensions(of: mimeType)
      .filter { !own.contains($0) && UTType.isValid(tag: $0, of: .filenameExtension) }
    if !added.isEmpty { all[.filenameExtension] = own + added }
    return all
  }
}

extension UTType {
  /// The dynamic type of an undeclared MIME type.
  static func dynamic(mimeType: String) -> UTType {
    let tag = DynamicIdentifier.Tag(tagClass: .mimeType, value: mimeType.asciiLowercased)
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
