// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A search for the types with a tag.
struct TagRequest {
  /// The tag, without white space around a MIME type.
  private let tag: String
  private let tagClass: UTTagClass
  /// The tag class in the table of system types; `nil` if the table has no such class.
  private let kind: SystemTypes.KeyKind?
  private let parent: UTType?

  /// Returns `nil` for a string that is not valid as a tag of the class, and for a class with an empty name.
  init?(_ tag: String, of tagClass: UTTagClass, conformingTo parent: UTType?) {
    let kind = tagClass.systemKeyKind
    guard UTType.isValid(tag: tag, kind: kind) else { return nil }
    self.tag = kind == .mimeType ? tag.trimmingWhitespace : tag
    self.tagClass = tagClass
    self.kind = kind
    self.parent = parent
    if kind == .mimeType, MIMETypeText.essence(of: self.tag).isEmpty { return nil }
    // A dynamic identifier with an empty class name would be malformed.
    if tagClass.rawValue.isEmpty { return nil }
  }

  /// Returns the first of Apple's types that has the tag and conforms to a type; this is the result of nearly every
  /// search.
  static func systemType(_ tag: String, _ kind: SystemTypes.KeyKind, conformingTo parent: UTType) -> UTType? {
    for index in SystemTypes.indices(of: tag, kind: kind) where index < SystemTypes.appleCount {
      if case let type = UTType(systemIndex: index), type.conforms(to: parent) { return type }
    }
    return nil
  }

  private func isWanted(_ type: UTType) -> Bool {
    parent.map(type.conforms(to:)) ?? true
  }

  /// The first known type, or else a dynamic type.
  var type: UTType? { knownTypes.first ?? dynamicType }

  /// The declared types with the tag, or else the type to which a built-in table maps the MIME type or name of X11.
  var knownTypes: [UTType] {
    let declared = declaredTypes
    guard declared.isEmpty, kind == .mimeType else { return declared }
    let named = X11Names.types[tag] ?? MIMEIdentifiers.type(of: MIMETypeText.essence(of: tag))
    return [named].compactMap(\.self).filter { isWanted($0) }
  }

  /// The keys of the search: the result of ``MIMETypeText/keys(of:)`` for a MIME type, and the tag itself for any other
  /// tag.
  private var keys: [String] {
    kind == .mimeType ? MIMETypeText.keys(of: tag) : [tag]
  }

  /// The types with the tag that the system or this process declared, each once.
  ///
  /// If the MIME type has parameters, types that declare one of these come first. Apple's types come before types of
  /// this process, and the other types of the table come last. The program's format therefore takes precedence over a
  /// format with the same extension that Apple does not declare.
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

  /// Returns the types with a key that this process declared.
  private func ownTypes(bearing key: String) -> [UTType] {
    TypeRegistry.shared.claimants(of: key, tagClass).map { UTType(identifier: $0.identifier, slot: $0.slot) }
  }

  /// The dynamic type for an undeclared tag; its identifier is the same as on Apple's systems, byte for byte.
  ///
  /// The result is `nil` if a tag of the class of MIME types is malformed, or if the identifier would be longer than
  /// ``DynamicIdentifier/maximumLength``.
  var dynamicType: UTType? {
    guard let value = normalizedTag else { return nil }
    let tag = DynamicIdentifier.Tag(tagClass: tagClass, value: value)
    let supertypes = parent.map { [$0.identifier] } ?? []
    let identifier = DynamicIdentifier(supertypes: supertypes, tags: [tag]).identifier
    return identifier.utf8.count <= DynamicIdentifier.maximumLength ? UTType(undeclared: identifier) : nil
  }

  /// The tag in a spelling that is the same for all tags with the same meaning; `nil` for a malformed MIME type.
  private var normalizedTag: String? {
    switch kind {
    case .filenameExtension: tag.asciiLowercased
    case .mimeType: MIMETypeText.normalized(tag)
    default: tag
    }
  }
}
