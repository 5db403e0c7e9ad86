// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

extension UTType {
  /// Finds the type of files with this extension, or makes a dynamic one.
  ///
  /// Where several types claim an extension, a type that Apple declares has it, then one that this process exports, then
  /// one it imports, and among those the first declared, then a well-known type of another owner. Of Apple's types the
  /// one with a constant here comes first, then one named `public.`, then the more general one, then the first by name.
  /// The system's MIME database does not count, so the answer is the same on every machine.
  ///
  /// There is no value for what cannot be an extension: empty text, a period at the start, a slash, a NUL, more than
  /// 1024 bytes.
  ///
  /// - Parameters:
  ///   - filenameExtension: Without its period, in any case.
  ///   - parent: Only a type that conforms to this one is found.
  public init?(filenameExtension: String, conformingTo parent: UTType = .data) {
    if let type = TagRequest.systemType(filenameExtension, .filenameExtension, conformingTo: parent) {
      self = type
    } else {
      self.init(besideSystem: filenameExtension, conformingTo: parent)
    }
  }

  /// For an extension that no wanted type of the system bears; apart, as the others want nothing of what it takes.
  @inline(never)
  private init?(besideSystem filenameExtension: String, conformingTo parent: UTType) {
    guard let request = TagRequest(filenameExtension: filenameExtension, conformingTo: parent),
      let type = request.typeBesideSystem
    else { return nil }
    self = type
  }

  /// Finds the type that a MIME type stands for, or makes a dynamic one.
  ///
  /// Each parameter counts where a type declares it (`text/plain;charset=utf-8`) and is ignored otherwise; the order of
  /// precedence is that of extensions, among the types that declare the same. Dynamic types ignore case and all
  /// parameters. Names of X11 (`UTF8_STRING`) are understood, and such a name without a slash keeps its case.
  ///
  /// There is no value for text that is not a MIME type: one with a space, with an empty half or with two slashes, or
  /// of more than 1024 bytes.
  ///
  /// - Parameters:
  ///   - mimeType: In any case, with or without parameters (RFC 2045, section 5.1).
  ///   - parent: Only a type that conforms to this one is found.
  public init?(mimeType: String, conformingTo parent: UTType = .data) {
    if let type = TagRequest.systemType(mimeType, .mimeType, conformingTo: parent) {
      self = type
    } else {
      self.init(tag: mimeType, tagClass: .mimeType, conformingTo: parent)
    }
  }

  /// Finds the type that bears a tag of any class, or makes a dynamic one.
  ///
  /// - Parameters:
  ///   - tag: The tag, such as `png`.
  ///   - tagClass: What kind of name it is.
  ///   - parent: Only a type that conforms to this one is found; `nil` finds any.
  public init?(tag: String, tagClass: UTTagClass, conformingTo parent: UTType?) {
    guard let request = TagRequest(tag, of: tagClass, conformingTo: parent), let type = request.type else {
      return nil
    }
    self = type
  }

  /// All types that bear a tag, in the order of their precedence; a dynamic one where nobody declares it.
  ///
  /// - Parameters:
  ///   - tag: The tag, such as `png`.
  ///   - tagClass: What kind of name it is.
  ///   - parent: Only types that conform to this one are found; `nil` finds all.
  /// - Returns: At least one type, or none where the text cannot be a tag of its class.
  public static func types(tag: String, tagClass: UTTagClass, conformingTo parent: UTType?) -> [UTType] {
    guard let request = TagRequest(tag, of: tagClass, conformingTo: parent) else { return [] }
    let known = request.knownTypes
    return known.isEmpty ? [request.dynamicType].compactMap(\.self) : known
  }

  /// The tags of each class, preferred first; classes without a tag are left out.
  public var tags: [UTTagClass: [String]] {
    if let slot = knownSlot {
      guard slot < TypeGraph.systemCount else {
        return TypeRegistry.shared.declaration(at: Int(slot))?.tags.filter { !$0.value.isEmpty } ?? [:]
      }
      let classes = Swift.zip(SystemTypes.tagClasses, SystemTypes.texts(of: Int(slot)).tags)
      return Dictionary(uniqueKeysWithValues: classes.filter { !$1.isEmpty })
    }
    return DynamicIdentifier(identifier)?.allTags(in: .current) ?? [:]
  }

  /// The extension a new file of this type should get, without its period.
  public var preferredFilenameExtension: String? { tags[.filenameExtension]?.first }

  /// An extension for a new file: the type's own, else that of the nearest type it conforms to which has one.
  package var filenameExtensionForNewFile: String? {
    if let preferredFilenameExtension { return preferredFilenameExtension }
    let named = supertypes.filter { $0.preferredFilenameExtension != nil }.sorted { $0.identifier < $1.identifier }
    guard var nearest = named.first else { return nil }
    for type in named where type.isSubtype(of: nearest) { nearest = type }
    return nearest.preferredFilenameExtension
  }

  /// The MIME type to announce data of this type with.
  public var preferredMIMEType: String? { tags[.mimeType]?.first }

  /// For types that were imported: whoever has their preferred extension.
  var preferredTypeOfItsExtension: UTType? {
    guard slot != Self.noSlot, slot >= TypeGraph.systemCount,
      let declaration = TypeRegistry.shared.declaration(at: Int(slot)), declaration.origin == .imported,
      let preferred = declaration.tags[.filenameExtension]?.first
    else { return nil }
    return UTType(tag: preferred, tagClass: .filenameExtension, conformingTo: nil)
  }

  static let maximumTagLength = 1024

  /// Whether text could be a tag of a class at all.
  static func isValid(tag: String, of tagClass: UTTagClass) -> Bool {
    isValid(tag: tag, kind: tagClass.systemKeyKind)
  }

  /// The same, for one of the system's classes or any other.
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
