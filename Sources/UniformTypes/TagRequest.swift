// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A search for the types that bear a tag.
struct TagRequest {
  /// As it was given, but for white space around a MIME type.
  private let tag: String
  private let tagClass: UTTagClass
  /// Which of the system's classes that is.
  private let kind: SystemTypes.KeyKind?
  private let parent: UTType?

  init?(_ tag: String, of tagClass: UTTagClass, conformingTo parent: UTType?) {
    let kind = tagClass.systemKeyKind
    guard UTType.isValid(tag: tag, kind: kind) else { return nil }
    self.tag = kind == .mimeType ? tag.trimmingWhitespace : tag
    self.tagClass = tagClass
    self.kind = kind
    self.parent = parent
    if kind == .mimeType, MIMETypeText.essence(of: self.tag).isEmpty { return nil }
    // A class without a name could not be told from what is malformed.
    if tagClass.rawValue.isEmpty { return nil }
  }

  init?(filenameExtension: String, conformingTo parent: UTType?) {
    guard UTType.isValid(tag: filenameExtension, kind: .filenameExtension) else { return nil }
    tag = filenameExtension
    tagClass = .filenameExtension
    kind = .filenameExtension
    self.parent = parent
  }

  /// Finds Apple's first type that bears a tag as it stands, which is what nearly every search is for.
  static func systemType(_ tag: String, _ kind: SystemTypes.KeyKind, conformingTo parent: UTType) -> UTType? {
    for index in SystemTypes.indices(of: tag, kind: kind) where index < SystemTypes.appleCount {
      if case let type = UTType(systemIndex: index), type.conforms(to: parent) { return type }
    }
    return nil
  }

  private func isWanted(_ type: UTType) -> Bool {
    parent.map(type.conforms(to:)) ?? true
  }

  /// The first known type, else a dynamic one.
  var type: UTType? { knownTypes.first ?? dynamicType }

  /// The same for an extension that none of Apple's wanted types bears.
  var typeBesideSystem: UTType? {
    ownTypeBearingExtension ?? systemTypes(bearing: tag).first { isWanted($0) } ?? dynamicType
  }

  /// The declared types that bear the tag; if there are none, the type that the tag names without being declared.
  var knownTypes: [UTType] {
    let declared = declaredTypes
    guard declared.isEmpty, kind == .mimeType else { return declared }
    let named = X11Names.types[tag] ?? MIMEIdentifiers.type(of: MIMETypeText.essence(of: tag))
    return [named].compactMap(\.self).filter { isWanted($0) }
  }

  private var ownTypeBearingExtension: UTType? {
    guard let parent, parent.slot != UTType.noSlot else { return ownTypes(bearing: tag).first { isWanted($0) } }
    // Without a list of all that bear it: a program's own types are what it asks for most.
    return TypeRegistry.shared.claimant(ofExtension: tag, conformingTo: Int(parent.slot))
      .map { UTType(identifier: $0.identifier, slot: $0.slot) }
  }

  /// What to look for: a MIME type with each of its parameters, then without them.
  private var keys: [String] {
    kind == .mimeType ? MIMETypeText.keys(of: tag) : [tag]
  }

  /// The types that the system or this process declared, each once: those with a parameter of the MIME type first.
  ///
  /// Apple's types come before those of this process, and the other types of the table last: a program may have a format
  /// of its own with the extension of a format that Apple does not declare.
  var declaredTypes: [UTType] {
    keys.flatMap { key in
      let system = systemTypes(bearing: key)
      let apples = system.prefix { $0.slot < SystemTypes.appleCount }
      return apples + ownTypes(bearing: key) + system.dropFirst(apples.count)
    }.filter { isWanted($0) }.uniqued()
  }

  private func systemTypes(bearing key: String) -> [UTType] {
    guard let kind else { return [] }
    return SystemTypes.indices(of: key, kind: kind).map(UTType.init(systemIndex:))
  }

  /// Types which this process declared.
  private func ownTypes(bearing key: String) -> [UTType] {
    TypeRegistry.shared.claimants(of: key, tagClass).map { UTType(identifier: $0.identifier, slot: $0.slot) }
  }

  /// The type for an undeclared tag; Apple's form of the identifier, byte for byte.
  ///
  /// There is none where the tag is not a MIME type, and where class, tag and parent together are too long for an
  /// identifier that decodes again.
  var dynamicType: UTType? {
    guard let value = normalizedTag else { return nil }
    let tags = CollectionOfOne(DynamicIdentifier.Tag(tagClass: tagClass, value: value))
    let identifier =
      if let parent {
        DynamicIdentifier.identifier(supertypes: CollectionOfOne(parent.identifier), tags: tags)
      } else {
        DynamicIdentifier.identifier(supertypes: EmptyCollection(), tags: tags)
      }
    return identifier.utf8.count <= DynamicIdentifier.maximumLength ? UTType(undeclared: identifier) : nil
  }

  /// One spelling for all tags that mean the same.
  private var normalizedTag: String? {
    switch kind {
    case .filenameExtension: tag.asciiLowercased
    case .mimeType: MIMETypeText.normalized(tag)
    default: tag
    }
  }
}

/// Names by which programs of X11 call text; those of its protocol (`TARGETS`) name no data.
enum X11Names {
  static let types: [String: UTType] = [
    "UTF8_STRING": .utf8PlainText, "STRING": .plainText, "TEXT": .plainText, "COMPOUND_TEXT": .plainText,
  ]
}
