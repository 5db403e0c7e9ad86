// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

extension UTType {
  /// Finds the type of files with an extension, or creates a dynamic type.
  ///
  /// If several types claim the extension, the first in this order is the result:
  /// 1. Types that Apple declares: types with a constant such as ``png``, then `public.` types, then more general
  ///    types, then by name. For a few extensions, such as `raw`, a fixed type comes first.
  /// 2. Types that this process exports, in the order of their declaration.
  /// 3. Types that this process imports, in the order of their declaration.
  /// 4. Well-known types of other owners.
  ///
  /// The system's MIME database has no influence, so the result is the same on every machine.
  ///
  /// Returns `nil` for a string that cannot be an extension. Such a string is empty, starts with a period, contains a
  /// slash or a NUL, or has more than 1024 bytes.
  ///
  /// - Parameters:
  ///   - filenameExtension: The extension without its period, in any case.
  ///   - parent: The type that the result must conform to.
  public init?(filenameExtension: String, conformingTo parent: UTType = .data) {
    if let type = TagRequest.systemType(filenameExtension, .filenameExtension, conformingTo: parent) {
      self = type
    } else {
      self.init(tag: filenameExtension, tagClass: .filenameExtension, conformingTo: parent)
    }
  }

  /// Finds the type for a MIME type, or creates a dynamic type.
  ///
  /// Parameters that a type declares (`text/plain;charset=utf-8`) are significant, and other parameters are ignored.
  /// Types that declare the same parameter have the order of precedence of extensions. Dynamic types ignore case and
  /// all parameters. Names of X11 (`UTF8_STRING`) are recognized; a name without a slash keeps its case.
  ///
  /// Returns `nil` for a string that is empty, has more than 1024 bytes, or contains a control character other than a
  /// tab. An undeclared MIME type must also consist of a type and a subtype that RFC 2045 allows, without spaces.
  ///
  /// - Parameters:
  ///   - mimeType: The MIME type in any case, with or without parameters (RFC 2045, section 5.1).
  ///   - parent: The type that the result must conform to.
  public init?(mimeType: String, conformingTo parent: UTType = .data) {
    if let type = TagRequest.systemType(mimeType, .mimeType, conformingTo: parent) {
      self = type
    } else {
      self.init(tag: mimeType, tagClass: .mimeType, conformingTo: parent)
    }
  }

  /// Finds the type with a tag of any class, or creates a dynamic type.
  ///
  /// - Parameters:
  ///   - tag: The tag, such as `png`.
  ///   - tagClass: The class of the tag.
  ///   - parent: The type that the result must conform to; `nil` to accept any type.
  public init?(tag: String, tagClass: UTTagClass, conformingTo parent: UTType?) {
    guard let request = TagRequest(tag, of: tagClass, conformingTo: parent), let type = request.type else {
      return nil
    }
    self = type
  }

  /// Returns all declared types with a tag, in the order of their precedence, or a dynamic type if there are none.
  ///
  /// - Parameters:
  ///   - tag: The tag, such as `png`.
  ///   - tagClass: The class of the tag.
  ///   - parent: The type that the results must conform to; `nil` to accept all types.
  /// - Returns: At least one type, unless the string cannot be a tag of its class: then the array is empty.
  public static func types(tag: String, tagClass: UTTagClass, conformingTo parent: UTType?) -> [UTType] {
    guard let request = TagRequest(tag, of: tagClass, conformingTo: parent) else { return [] }
    let known = request.knownTypes
    return known.isEmpty ? [request.dynamicType].compactMap(\.self) : known
  }

  /// The tags of each class, preferred first; classes without a tag are not among the keys.
  public var tags: [UTTagClass: [String]] {
    if let slot = knownSlot {
      guard slot < TypeGraph.systemCount else {
        return TypeRegistry.shared.declaration(at: Int(slot))?.tags.filter { !$0.value.isEmpty } ?? [:]
      }
      let classes = Swift.zip(SystemTypes.tagClasses, SystemTypes.texts(of: Int(slot)).tags)
      let tags = Dictionary(uniqueKeysWithValues: classes.filter { !$1.isEmpty })
      guard slot >= SystemTypes.appleCount, let added = TypeRegistry.shared.declaration(at: Int(slot)) else {
        return tags
      }
      return tags.merging(added.tags.filter { !$0.value.isEmpty }) { ($0 + $1).uniqued() }
    }
    return DynamicIdentifier(identifier)?.allTags(in: .current) ?? [:]
  }

  /// The extension for new files of this type, without its period.
  public var preferredFilenameExtension: String? { tags[.filenameExtension]?.first }

  /// The extension for new files: the extension of the type, or else of its nearest supertype that has an extension.
  package var filenameExtensionForNewFile: String? {
    if let preferredFilenameExtension { return preferredFilenameExtension }
    let named = supertypes.filter { $0.preferredFilenameExtension != nil }.sorted { $0.identifier < $1.identifier }
    guard var nearest = named.first else { return nil }
    for type in named where type.isSubtype(of: nearest) { nearest = type }
    return nearest.preferredFilenameExtension
  }

  /// The MIME type with which to announce data of this type.
  public var preferredMIMEType: String? { tags[.mimeType]?.first }

  /// The type that takes precedence for the preferred extension of an imported type; `nil` for other types.
  var preferredTypeOfItsExtension: UTType? {
    guard slot != Self.noSlot, slot >= TypeGraph.systemCount,
      let declaration = TypeRegistry.shared.declaration(at: Int(slot)), declaration.origin == .imported,
      let preferred = declaration.tags[.filenameExtension]?.first
    else { return nil }
    return UTType(tag: preferred, tagClass: .filenameExtension, conformingTo: nil)
  }

  /// The maximum length of a tag in bytes.
  static let maximumTagLength = 1024

  /// Returns whether a string is valid as a tag of a class.
  static func isValid(tag: String, of tagClass: UTTagClass) -> Bool {
    isValid(tag: tag, kind: tagClass.systemKeyKind)
  }

  /// Returns whether a string is valid as a tag of one of the classes in the system's table; `nil` means another class.
  static func isValid(tag: String, kind: SystemTypes.KeyKind?) -> Bool {
    let bytes = tag.utf8Span.span
    guard !bytes.isEmpty, bytes.count <= maximumTagLength else { return false }
    switch kind {
    case .filenameExtension:
      return bytes[0] != UInt8(ascii: ".")
        && bytes.indices.allSatisfy { bytes[$0] != UInt8(ascii: "/") && bytes[$0] != 0 }
    case .mimeType:
      return bytes.indices.allSatisfy { bytes[$0] >= 0x20 && bytes[$0] != 0x7F || bytes[$0] == 0x09 }
    default:
      return bytes.indices.allSatisfy { bytes[$0] != 0 }
    }
  }
}

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
