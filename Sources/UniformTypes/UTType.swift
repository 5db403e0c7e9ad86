// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// The type of a piece of data, for example `public.png`, on which a source and a destination agree.
///
/// A reverse-DNS identifier names a type. A type conforms to more general types: PNG to images, images to data. The
/// tags of a type are the filename extensions and MIME types by which other systems know it. Identifiers are compared
/// without regard to case.
///
/// ```swift
/// let type = UTType(filenameExtension: "png")     // public.png
/// type?.conforms(to: .image)                      // true
///
/// extension UTType {
///   static let recipe = UTType(exportedAs: "org.example.recipe", conformingTo: .json)
/// }
/// ```
///
/// Undeclared types get a dynamic identifier that encodes their tags, so they survive a round trip.
///
/// Follows Apple's [`UTType`](https://developer.apple.com/documentation/uniformtypeidentifiers/uttype).
public struct UTType: Sendable {
  /// The reverse-DNS name, in the spelling of the type's declaration.
  public let identifier: String

  /// The registry's number for the type, which most operations use instead of the identifier; or ``noSlot``.
  let slot: UInt32

  /// The slot of a value whose identifier was dynamic, or unknown to the registry, when the value was created.
  static let noSlot = UInt32.max

  /// Creates a type that the system or this process has declared, or a dynamic type.
  ///
  /// Returns `nil` if the identifier is neither declared nor dynamic. Use ``init(importedAs:conformingTo:)`` for a type
  /// of another owner that may not be declared in this process.
  ///
  /// - Parameter identifier: A uniform type identifier in any case.
  public init?(_ identifier: String) {
    if let found = TypeRegistry.shared.find(identifier), found.isDeclared {
      self.init(identifier: found.identifier, slot: found.slot)
    } else if DynamicIdentifier(identifier) != nil {
      self.init(undeclared: identifier.asciiLowercased)
    } else {
      return nil
    }
  }

  /// Declares a type that this process owns.
  ///
  /// The declaration is in effect from this call on, for the life of the process and for every thread. Keep the value in
  /// a `static let`, which makes the call on first use: until then, the process does not know what the type conforms to.
  ///
  /// This is an implied declaration: see ``TypeRegistry``. If an explicit declaration exports the type as well, it
  /// takes precedence. If it is made later, it takes over the parent from this call. A type of the system cannot be
  /// redefined and keeps its parents. With an invalid identifier, the call declares nothing, and the type conforms to
  /// ``data``.
  ///
  /// - Parameters:
  ///   - identifier: The reverse-DNS name.
  ///   - parent: The type that the new type conforms to; `nil` means ``data``.
  public init(exportedAs identifier: String, conformingTo parent: UTType? = nil) {
    TypeRegistry.shared.declareImplied(identifier, .exported, conformingTo: parent)
    self.init(named: identifier)
  }

  /// Names a type that another party owns and this process uses.
  ///
  /// With a parent, the call makes an implied declaration (see ``TypeRegistry``), unless the type is already declared.
  /// A later explicit import takes over the parent from this call. Without a parent, the call declares nothing, and a
  /// type that has no other declaration conforms to ``data``.
  ///
  /// If this process has imported the type, and another type takes precedence for the type's preferred filename
  /// extension, the result is that other type. Use a computed property, as later declarations may change the result.
  ///
  /// - Parameters:
  ///   - identifier: The reverse-DNS name; any other string is kept unchanged, but not declared.
  ///   - parent: The type that it conforms to, if known.
  public init(importedAs identifier: String, conformingTo parent: UTType? = nil) {
    if let parent, TypeRegistry.shared.find(identifier)?.isDeclared != true {
      TypeRegistry.shared.declareImplied(identifier, .imported, conformingTo: parent)
    }
    let named = UTType(named: identifier)
    self = named.preferredTypeOfItsExtension ?? named
  }

  /// Creates the type with an identifier, declared or not, and declares nothing.
  ///
  /// Unlike ``init(importedAs:conformingTo:)``, this initializer never returns another type. Use it for identifiers
  /// from another process or from a file.
  package init(named identifier: String) {
    if DynamicIdentifier(identifier) != nil {
      self.init(undeclared: identifier.asciiLowercased)
    } else if let found = TypeRegistry.shared.find(identifier) {
      self.init(identifier: found.identifier, slot: found.slot)
    } else {
      self.init(undeclared: identifier)
    }
  }

  init(identifier: String, slot: Int) {
    self.identifier = identifier
    self.slot = UInt32(truncatingIfNeeded: slot)
  }

  /// Creates a value without a slot, for a dynamic or undeclared type.
  init(undeclared identifier: String) {
    self.identifier = identifier
    slot = Self.noSlot
  }

  /// Creates a type of the system's table, whose index in the table is its slot.
  init(system identifier: String, index: UInt32) {
    self.identifier = identifier
    slot = index
  }

  init(systemIndex index: Int) {
    self.init(identifier: SystemTypes.identifiers[index], slot: index)
  }
}

extension UTType: Hashable {
  /// Returns whether both are the same type; the case of their identifiers does not matter.
  public static func == (lhs: UTType, rhs: UTType) -> Bool {
    if lhs.slot != noSlot, rhs.slot != noSlot { return lhs.slot == rhs.slot }
    return lhs.identifier.isEqualIgnoringASCIICase(to: rhs.identifier)
  }

  /// Returns whether both values have the same slot and the same spelling of the identifier.
  package func isSpelled(as other: UTType) -> Bool {
    slot == other.slot && identifier == other.identifier
  }

  /// Feeds the identifier in lower case into `hasher`.
  public func hash(into hasher: inout Hasher) {
    identifier.hashIgnoringASCIICase(into: &hasher)
  }
}

extension UTType: CustomStringConvertible, CustomDebugStringConvertible {
  /// The identifier.
  public var description: String { identifier }

  /// The identifier, and whether the type is declared or dynamic.
  public var debugDescription: String {
    "\(identifier) (\(isDeclared ? "declared" : isDynamic ? "dynamic" : "not declared"))"
  }
}

extension UTType: Codable {
  private enum CodingKeys: String, CodingKey {
    case identifier
  }

  /// Reads a bare identifier, or an object with the key `identifier`; both forms are in use.
  ///
  /// A type that this process has not declared keeps its identifier, so that no type of another process is lost.
  ///
  /// - Throws: `DecodingError` if the value has neither form, or if the identifier is empty.
  public init(from decoder: any Decoder) throws {
    let identifier: String
    if let container = try? decoder.singleValueContainer(), let bare = try? container.decode(String.self) {
      identifier = bare
    } else {
      identifier = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .identifier)
    }
    guard !identifier.isEmpty else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "the type identifier is empty"))
    }
    self.init(named: identifier)
  }

  /// Writes an object with the key `identifier` for a type with a constant, such as ``png``, and the bare identifier of
  /// any other type.
  ///
  /// Apple's type writes the same forms.
  public func encode(to encoder: any Encoder) throws {
    if slot != Self.noSlot, Self.slotsOfConstants.contains(slot) {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(identifier, forKey: .identifier)
    } else {
      var container = encoder.singleValueContainer()
      try container.encode(identifier)
    }
  }

  private static let slotsOfConstants = Set(SystemTypes.constants.map(\.type.slot))
}

extension UTType {
  /// Returns whether data of this type may be used as `type`: the two are equal, or this type conforms to `type`
  /// directly or indirectly.
  ///
  /// An undeclared type conforms to itself, ``data`` and ``item``. A dynamic type conforms to the types that its
  /// identifier states, and to their supertypes. If ``data`` is the only type stated, and the system's MIME database
  /// knows the MIME type or extension, the type also conforms to the supertypes that the database states.
  public func conforms(to type: UTType) -> Bool {
    if slot < SystemTypes.count, type.slot < SystemTypes.count {
      return SystemTypes.conforms(Int(slot), to: Int(type.slot))
    }
    if slot != Self.noSlot, type.slot != Self.noSlot {
      return slot == type.slot || TypeRegistry.shared.conforms(Int(slot), to: Int(type.slot))
    }
    return self == type || isSubtype(of: type)
  }

  /// Returns whether this type conforms to `type` and is a different type.
  public func isSubtype(of type: UTType) -> Bool {
    if slot != Self.noSlot {
      if let other = type.registeredSlot {
        return slot != other && TypeRegistry.shared.conforms(Int(slot), to: Int(other))
      }
      // No declaration names `type` as a parent, as it has no slot.
      return false
    }
    if let dynamic = DynamicIdentifier(identifier) {
      return self != type && dynamic.supertypes(in: .current).contains(type)
    }
    let named = UTType(named: identifier)
    return named.slot == Self.noSlot ? type == .data || type == .item : named.isSubtype(of: type)
  }

  /// Returns whether `type` conforms to this type and is a different type.
  public func isSupertype(of type: UTType) -> Bool {
    type.isSubtype(of: self)
  }

  /// All types that this type conforms to, directly or indirectly, without the type itself.
  public var supertypes: Set<UTType> {
    if let slot = knownSlot {
      return Set(
        TypeRegistry.shared.ancestors(of: Int(slot)).map { found in
          // A dynamic type is returned without its slot, because its identifier states more than the registry has.
          found.slot >= TypeGraph.systemCount && DynamicIdentifier.isPrefix(of: found.identifier)
            ? UTType(undeclared: found.identifier) : UTType(identifier: found.identifier, slot: found.slot)
        })
    }
    if let dynamic = DynamicIdentifier(identifier) { return dynamic.supertypes(in: .current).subtracting([self]) }
    return [.data, .item]
  }

  /// The slot of the type, even if the type was declared after this value was created.
  ///
  /// The result is `nil` for a type that no declaration mentions. It is also `nil` for a dynamic type, even if it is a
  /// parent of other types: its identifier describes it.
  var knownSlot: UInt32? {
    slot == Self.noSlot && DynamicIdentifier.isPrefix(of: identifier) ? nil : registeredSlot
  }

  /// The slot of the type, even if the type is dynamic and a parent of other types.
  private var registeredSlot: UInt32? {
    if slot != Self.noSlot { return slot }
    return TypeRegistry.shared.find(identifier).map { UInt32(truncatingIfNeeded: $0.slot) }
  }
}

// MARK: Supertypes for other processes

extension UTType {
  /// The supertypes to send to another process, which can derive all others from these.
  ///
  /// The other process knows the system's types, and decodes dynamic identifiers. The list is empty for a type of the
  /// system, and for a type that is not dynamic and that no declaration mentions.
  package var supertypesToState: [UTType] {
    if let slot = knownSlot {
      if slot < SystemTypes.declaredCount { return [] }
      return TypeRegistry.shared.statement(of: Int(slot)) { supertypesToState(beside: []) }
    }
    return DynamicIdentifier(identifier).map { supertypesToState(beside: $0.supertypes(in: nil)) } ?? []
  }

  /// Returns all supertypes except `known` and the supertypes of types that the system declares.
  private func supertypesToState(beside known: Set<UTType>) -> [UTType] {
    var known = known
    let all = supertypes
    for type in all where type.slot < SystemTypes.declaredCount { known.formUnion(type.supertypes) }
    return all.subtracting(known).sorted { $0.identifier < $1.identifier }
  }
}

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

/// A class of tags, the names that other systems have for types: filename extensions or MIME types, for example.
///
/// ```swift
/// UTType.png.tags[.filenameExtension]     // ["png"]
/// UTType(tag: "image/png", tagClass: .mimeType, conformingTo: nil)
/// ```
///
/// Follows Apple's [`UTTagClass`](https://developer.apple.com/documentation/uniformtypeidentifiers/uttagclass).
public struct UTTagClass: RawRepresentable, Sendable {
  /// The name of the class, such as `public.mime-type`.
  public let rawValue: String

  /// Creates a class by its name, which need not be one of the constants.
  ///
  /// - Parameter rawValue: The name of the class, in any case.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// Extensions of file names, without the period: `png`.
  public static let filenameExtension = UTTagClass(rawValue: "public.filename-extension")

  /// MIME types (RFC 2045): `image/png`.
  public static let mimeType = UTTagClass(rawValue: "public.mime-type")

  /// Four-letter codes of the classic Mac OS: `PNGf`.
  static let osType = UTTagClass(rawValue: "com.apple.ostype")

  /// Names of types on a pasteboard of AppKit.
  static let pasteboardType = UTTagClass(rawValue: "com.apple.nspboard-type")

  /// Schemes of URLs: `https`.
  static let urlScheme = UTTagClass(rawValue: "public.url-scheme")

  /// Whether tags of this class are compared without regard to case.
  var ignoresCase: Bool { self == .filenameExtension || self == .mimeType }

  /// The kind of key under which the table of system types stores tags of this class; `nil` if it stores none.
  var systemKeyKind: SystemTypes.KeyKind? {
    switch self {
    case .filenameExtension: .filenameExtension
    case .mimeType: .mimeType
    case .osType: .osType
    case .pasteboardType: .pasteboardType
    default: nil
    }
  }
}

extension UTTagClass: Hashable {
  /// Returns whether both are the same class; the case of their names does not matter.
  public static func == (lhs: UTTagClass, rhs: UTTagClass) -> Bool {
    lhs.rawValue.isEqualIgnoringASCIICase(to: rhs.rawValue)
  }

  /// Feeds the name in lower case into `hasher`.
  public func hash(into hasher: inout Hasher) {
    rawValue.hashIgnoringASCIICase(into: &hasher)
  }
}

extension UTTagClass: Codable, CustomStringConvertible, CustomDebugStringConvertible {
  /// The name of the class.
  public var description: String { rawValue }

  /// The name of the class.
  public var debugDescription: String { rawValue }
}
