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
      let isScript = database.isSubtype(mimeType, of: "text/plain")
      for parent in database.parents(of: mimeType) where seen.insert(parent.asciiLowercased).inserted {
        // The database lists scripts under the programs that a machine runs, which are ELF files for us.
        if isScript, parent == "application/x-executable" { continue }
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

/// A namespace for functions that parse MIME types (RFC 2045, section 5.1).
enum MIMETypeText {
  /// Returns the type and subtype, without parameters and without the white space at both ends.
  static func essence(of text: String) -> String {
    guard let end = text.utf8.firstIndex(of: UInt8(ascii: ";")) else { return text.trimmingWhitespace }
    return String(text[..<end]).trimmingWhitespace
  }

  /// Returns the type and subtype in lower case, or a name without a slash, such as X11's `TARGETS`, unchanged.
  ///
  /// Returns `nil` if the string is neither.
  static func normalized(_ text: String) -> String? {
    let essence = essence(of: text)
    let halves = essence.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard halves.count <= 2, halves.allSatisfy({ !$0.isEmpty && $0.allSatisfy(isTokenCharacter) }) else { return nil }
    return halves.count == 2 ? essence.asciiLowercased : essence
  }

  /// Returns whether a token may contain the byte (RFC 2045, section 5.1).
  private static func isTokenCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x21...0x7E: !#"()<>@,;:\"/[]?="#.utf8.contains(byte)
    default: false
    }
  }

  /// Returns the tags that a declared type may have for a MIME type: with each one of the first 16 parameters, then
  /// without parameters.
  static func keys(of text: String) -> [String] {
    guard text.utf8.contains(UInt8(ascii: ";")) else { return [text] }
    let parts = text.filter { !$0.isWhitespace && $0 != "\"" }.split(separator: ";")
    guard let essence = parts.first else { return [] }
    // The limit bounds the work for a hostile string with many parameters.
    return parts.dropFirst().prefix(16).map { "\(essence);\($0)" } + [String(essence)]
  }
}

/// The names that X11 programs use for types of text.
///
/// Names of requests in the X11 protocol, such as `TARGETS`, are not in the table, because they name no type of data.
enum X11Names {
  static let types: [String: UTType] = [
    "UTF8_STRING": .utf8PlainText, "STRING": .plainText, "TEXT": .plainText, "COMPOUND_TEXT": .plainText,
  ]
}

/// The top-level type of a MIME type, the word before the slash.
struct MediaKind {
  /// The uniform type to which all types of the kind conform; `nil` for `application` and unknown words.
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

extension String {
  /// The string without the spaces and tabs at its ends.
  var trimmingWhitespace: String {
    func isWhite(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    guard let first = utf8.first, let last = utf8.last, isWhite(first) || isWhite(last) else { return self }
    let start = utf8.firstIndex { !isWhite($0) } ?? endIndex
    let end = utf8.lastIndex { !isWhite($0) }.map { utf8.index(after: $0) } ?? start
    return String(self[start..<end])
  }
}
