// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// The declarations in `UTExportedTypeDeclarations` and `UTImportedTypeDeclarations` of a property list.
///
/// Other keys of the list are not decoded. For speed, the kind of a value is determined only after a failed attempt to
/// decode the expected kind.
struct PropertyListDeclarations: Decodable {
  private(set) var declarations: [TypeDeclaration] = []
  private(set) var locations: [PropertyListLocation] = []
  private(set) var refused: [RefusedDeclaration] = []
  private var valueCount = 0
  private var remarkCount = 0

  /// - Throws: `TypeDeclarationListError` if the list as a whole is invalid.
  init(from decoder: any Decoder) throws {
    guard let container = try? decoder.container(keyedBy: PropertyListKey.self) else {
      let kind = PropertyListKind(of: decoder)
      throw TypeDeclarationListError(.invalidValue, "expected a dictionary, found \(kind)")
    }
    for origin in TypeDeclaration.Origin.allCases {
      let key = PropertyListKey(PropertyListLocation.key(for: origin))
      guard container.contains(key) else { continue }
      guard var entries = try? container.nestedUnkeyedContainer(forKey: key) else {
        let kind = (try? container.decode(PropertyListKind.self, forKey: key)) ?? .unreadable
        throw TypeDeclarationListError(
          .invalidValue, at: key.stringValue, "expected an array of dictionaries, found \(kind)")
      }
      try read(&entries, origin)
    }
  }

  private mutating func read(_ entries: inout any UnkeyedDecodingContainer, _ origin: TypeDeclaration.Origin) throws {
    var location = PropertyListLocation(origin: origin, index: 0)
    // An array with too many entries fails here, before its entries are read.
    let count = declarations.count + refused.count + (entries.count ?? 0)
    try check(count, limit: TypeDeclarationList.maximumDeclarationCount, "declarations", in: origin)
    while !entries.isAtEnd {
      let entry = try entries.decode(PropertyListEntry.self)
      valueCount += entry.valueCount
      try check(
        valueCount, limit: TypeDeclarationList.maximumValueCount, "keys, parents and tags", in: origin)
      remarkCount += entry.remarks.count
      try check(remarkCount, limit: TypeDeclarationList.maximumRemarkCount, "faulty parents and tags", in: origin)
      location.singleTexts = entry.singleTexts
      location.parentIndices = entry.parentIndices
      do throws(DeclarationFault) {
        var declaration = try entry.declaration.get()
        declaration.origin = origin
        let remarks = try entry.remarks + declaration.validate()
        declarations.append(declaration)
        locations.append(location)
        refused += remarks.map { location.refusal($0, identifier: entry.identifier, isRemark: true) }
      } catch {
        refused.append(location.refusal(error, identifier: entry.identifier))
      }
      location.index += 1
    }
  }

  private func check(
    _ count: Int, limit: Int, _ name: String, in origin: TypeDeclaration.Origin
  ) throws(TypeDeclarationListError) {
    guard count <= limit else {
      throw TypeDeclarationListError(
        .limitExceeded, at: PropertyListLocation.key(for: origin), "there are more than \(limit) \(name)")
    }
  }
}

/// The location of a declaration in a property list.
struct PropertyListLocation: Sendable {
  var origin: TypeDeclaration.Origin
  /// The index in the array for declarations of this origin.
  var index: Int
  /// The key paths, relative to the declaration, of single strings that the list has in place of arrays.
  ///
  /// The registry sees each of these strings as an array of one element, and reports a fault with `[0]` after its key
  /// path.
  var singleTexts: [String] = []
  /// For each valid parent of the declaration, its index among all parents in the property list.
  var parentIndices: [Int] = []

  /// Returns the registry's refusal with the index and the key path in the property list.
  func locate(_ refused: RefusedDeclaration) -> RefusedDeclaration {
    var refused = refused
    refused.index = index
    let parents = "\(self).UTTypeConformsTo"
    if let kept = parentIndices.indices.first(where: { refused.keyPath == "\(parents)[\($0)]" }) {
      refused.keyPath = "\(parents)[\(parentIndices[kept])]"
    }
    for path in singleTexts where refused.keyPath == "\(self)\(path)[0]" { refused.keyPath.removeLast(3) }
    return refused
  }

  /// Returns a refusal of the declaration at this location, or a remark on it.
  func refusal(_ fault: DeclarationFault, identifier: String?, isRemark: Bool = false) -> RefusedDeclaration {
    RefusedDeclaration(
      index: index, keyPath: "\(self)\(fault.keyPath)", identifier: identifier, reason: fault.reason,
      value: fault.value, isRemark: isRemark)
  }

  /// Merges two lists of refusals, each in the order of the property list, and removes duplicates.
  static func merge(_ first: [RefusedDeclaration], _ second: [RefusedDeclaration]) -> [RefusedDeclaration] {
    let exported = key(for: .exported) + "["
    func rank(_ refused: RefusedDeclaration) -> (Int, Int) {
      (refused.keyPath.utf8.starts(with: exported.utf8) ? 0 : 1, refused.index)
    }
    return (first + second).uniqued().sorted { rank($0) < rank($1) }
  }

  /// Returns the key of the array for declarations of an origin.
  static func key(for origin: TypeDeclaration.Origin) -> String {
    switch origin {
    case .exported: "UTExportedTypeDeclarations"
    case .imported: "UTImportedTypeDeclarations"
    }
  }
}

extension PropertyListLocation: CustomStringConvertible {
  /// The key path of the declaration.
  var description: String { "\(Self.key(for: origin))[\(index)]" }
}

/// A dictionary in a property list.
///
/// Each accessor expects a value of certain kinds. For a value of another kind, it throws a fault with the key path and
/// the kind of the value.
struct PropertyListDictionary {
  private let container: KeyedDecodingContainer<PropertyListKey>
  /// The key path of the dictionary, relative to the declaration.
  let keyPath: String

  private init(_ container: KeyedDecodingContainer<PropertyListKey>, keyPath: String) {
    self.container = container
    self.keyPath = keyPath
  }

  init(_ decoder: any Decoder) throws(DeclarationFault) {
    guard let container = try? decoder.container(keyedBy: PropertyListKey.self) else {
      throw fault(at: "", expected: "a dictionary", found: PropertyListKind(of: decoder))
    }
    self.init(container, keyPath: "")
  }

  var keyCount: Int { container.allKeys.count }

  /// The keys in ascending order, so that the first fault is deterministic.
  var keys: [PropertyListKey] {
    container.allKeys.sorted { $0.stringValue < $1.stringValue }
  }

  /// Returns the string for a key; `nil` if the key is absent.
  func text(_ key: PropertyListKey) throws(DeclarationFault) -> String? {
    guard container.contains(key) else { return nil }
    guard let text = try? container.decode(String.self, forKey: key) else { throw unexpected(key, "a string") }
    return text
  }

  /// Returns the array of strings for a key, or a single string as an array of one element; `nil` if the key is absent.
  ///
  /// An element of another kind is returned as a fault.
  func texts(
    _ key: PropertyListKey
  ) throws(DeclarationFault) -> (values: [Result<String, DeclarationFault>], isSingle: Bool)? {
    guard container.contains(key) else { return nil }
    guard var array = try? container.nestedUnkeyedContainer(forKey: key) else {
      guard let text = try? container.decode(String.self, forKey: key) else {
        throw unexpected(key, "a string or an array of strings")
      }
      return ([.success(text)], true)
    }
    guard array.count ?? 0 <= TypeDeclarationList.maximumValueCount else {
      throw DeclarationFault(
        keyPath: "\(keyPath).\(key.stringValue)",
        reason: .malformed("the array has more than \(TypeDeclarationList.maximumValueCount) elements"))
    }
    var values: [Result<String, DeclarationFault>] = []
    while !array.isAtEnd {
      if let text = try? array.decode(String.self) {
        values.append(.success(text))
        continue
      }
      let kind = try? array.decode(PropertyListKind.self)
      let path = "\(keyPath).\(key.stringValue)[\(values.count)]"
      values.append(.failure(fault(at: path, expected: "a string", found: kind ?? .unreadable)))
      // The decoder cannot skip an unreadable element.
      if kind == nil { break }
    }
    return (values, false)
  }

  /// Returns the dictionary for a key; `nil` if the key is absent.
  func dictionary(_ key: PropertyListKey) throws(DeclarationFault) -> PropertyListDictionary? {
    guard container.contains(key) else { return nil }
    guard let nested = try? container.nestedContainer(keyedBy: PropertyListKey.self, forKey: key) else {
      throw unexpected(key, "a dictionary")
    }
    return PropertyListDictionary(nested, keyPath: "\(keyPath).\(key.stringValue)")
  }

  /// Returns the version as an integer: the integer part of a number, or of a string such as `1.2`.
  ///
  /// Any other string is treated as a missing version, not as a fault.
  func version() throws(DeclarationFault) -> Int? {
    let key = PropertyListKey("UTTypeVersion")
    guard container.contains(key) else { return nil }
    if let number = try? container.decode(Int.self, forKey: key) { return number }
    if let number = try? container.decode(Double.self, forKey: key) { return Int(exactly: number.rounded(.towardZero)) }
    guard let text = try? container.decode(String.self, forKey: key) else {
      throw unexpected(key, "a number or a string")
    }
    return Int(text.prefix { $0 != "." })
  }

  private func unexpected(_ key: PropertyListKey, _ expected: String) -> DeclarationFault {
    let kind = (try? container.decode(PropertyListKind.self, forKey: key)) ?? .unreadable
    return fault(at: "\(keyPath).\(key.stringValue)", expected: expected, found: kind)
  }
}

private func fault(at keyPath: String, expected: String, found: PropertyListKind) -> DeclarationFault {
  DeclarationFault(keyPath: keyPath, reason: .malformed("expected \(expected), found \(found)"))
}

/// A key of a dictionary in a property list, which may be any string.
struct PropertyListKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(_ stringValue: String) {
    self.stringValue = stringValue
  }

  init(stringValue: String) {
    self.stringValue = stringValue
  }

  init?(intValue: Int) {
    nil
  }
}

/// The kind of a value in a property list, for messages.
///
/// A decoder does not report the kind of a value, so the initializer tries to decode one kind after another. As this is
/// slow, it is used only to describe faults.
enum PropertyListKind: String, CustomStringConvertible {
  case dictionary = "a dictionary"
  case array = "an array"
  case string = "a string"
  case boolean = "a boolean"
  case number = "a number"
  case date = "a date"
  case data = "data"
  case unreadable = "an unreadable value"

  init(of decoder: any Decoder) {
    if (try? decoder.container(keyedBy: PropertyListKey.self)) != nil {
      self = .dictionary
    } else if (try? decoder.unkeyedContainer()) != nil {
      self = .array
    } else {
      self = (try? decoder.singleValueContainer()).map(Self.init(of:)) ?? .unreadable
    }
  }

  private init(of value: any SingleValueDecodingContainer) {
    if (try? value.decode(String.self)) != nil {
      self = .string
    } else if (try? value.decode(Bool.self)) != nil {
      self = .boolean
    } else if (try? value.decode(Double.self)) != nil {
      self = .number
    } else if (try? value.decode(Date.self)) != nil {
      self = .date
    } else if (try? value.decode(Data.self)) != nil {
      self = .data
    } else {
      self = .unreadable
    }
  }

  var description: String { rawValue }
}

extension PropertyListKind: Decodable {
  /// Determines the kind of the value; the synthesized initializer would read a raw value.
  init(from decoder: any Decoder) {
    self.init(of: decoder)
  }
}

/// An entry of `UTExportedTypeDeclarations` or `UTImportedTypeDeclarations`, decoded into a declaration or a fault.
///
/// Decoding never fails, so that the entries after a faulty entry are read as well.
struct PropertyListEntry: Decodable {
  /// The declaration, whose origin the caller sets.
  private(set) var declaration: Result<TypeDeclaration, DeclarationFault>
  private(set) var identifier: String?
  /// The faults of the parents and tags that are left out of the declaration.
  private(set) var remarks: [DeclarationFault] = []
  /// The key paths, relative to the entry, of single strings that the entry has in place of arrays.
  private(set) var singleTexts: [String] = []
  /// For each parent in the declaration, its index among all parents in the entry.
  private(set) var parentIndices: [Int] = []
  /// The number of keys, parents and tags in the entry.
  private(set) var valueCount = 0

  init(from decoder: any Decoder) {
    declaration = .failure(DeclarationFault(keyPath: "", reason: .malformed("")))
    do throws(DeclarationFault) {
      declaration = .success(try read(decoder))
    } catch {
      declaration = .failure(error)
    }
  }

  private mutating func read(_ decoder: any Decoder) throws(DeclarationFault) -> TypeDeclaration {
    let entry = try PropertyListDictionary(decoder)
    valueCount += entry.keyCount
    guard let identifier = try entry.text(.identifier) else {
      throw DeclarationFault(keyPath: ".UTTypeIdentifier", reason: .malformed("expected a string, found nothing"))
    }
    self.identifier = identifier
    let description = try entry.text(.description)
    // An invalid URL is not a fault: no code depends on it, and entries made from templates contain empty strings.
    let referenceURL = try entry.text(.referenceURL).flatMap { $0.isEmpty ? nil : URL(string: $0) }
    var declaration = TypeDeclaration(
      identifier, tags: try tags(entry), localizedDescription: description, referenceURL: referenceURL,
      version: try entry.version(), iconName: iconName(entry))
    let parents = texts(entry, .conformsTo) { declaration.fault(inParent: $0) }
    declaration.conformsTo = parents.map(\.text)
    parentIndices = parents.map(\.index)
    return declaration
  }

  /// Returns the icon name of the most specific key; ignores values of an unexpected kind.
  ///
  /// See Apple's "UTTypeIcons", "UTTypeIconFile" and "UTTypeIconFiles".
  private mutating func iconName(_ entry: PropertyListDictionary) -> String? {
    let icons = try? entry.dictionary(.icons)
    let files = (try? entry.texts(.iconFiles)?.values) ?? []
    valueCount += (icons?.keyCount ?? 0) + files.count
    var names = [try? icons?.text(.iconName), try? entry.text(.iconFile)]
    names += files.map { try? $0.get() }
    names.append(try? icons?.text(.iconBadgeName))
    return names.lazy.compactMap(\.self).first { !$0.isEmpty }
  }

  private mutating func tags(_ entry: PropertyListDictionary) throws(DeclarationFault) -> [UTTagClass: [String]] {
    guard let specification = try entry.dictionary(.tagSpecification) else { return [:] }
    valueCount += specification.keyCount
    var tags: [UTTagClass: [String]] = [:]
    for key in specification.keys {
      guard key.stringValue.utf8.count <= TypeDeclaration.maximumIdentifierLength else {
        throw DeclarationFault(
          keyPath: specification.keyPath,
          reason: .malformed("a tag class has more than \(TypeDeclaration.maximumIdentifierLength) bytes"))
      }
      let tagClass = UTTagClass(rawValue: key.stringValue)
      let normalized = { tagClass == .filenameExtension ? Self.withoutPeriod($0) : $0 }
      let values = texts(specification, key) { UTType.isValid(tag: normalized($0), of: tagClass) ? nil : .invalidTag }
      tags[tagClass, default: []] += values.map { normalized($0.text) }
    }
    return tags
  }

  /// Returns the valid strings for a key with their indices, and appends a remark on each faulty element.
  private mutating func texts(
    _ dictionary: PropertyListDictionary, _ key: PropertyListKey, fault: (String) -> RefusedDeclaration.Reason?
  ) -> [(index: Int, text: String)] {
    let keyPath = "\(dictionary.keyPath).\(key.stringValue)"
    var sound: [(index: Int, text: String)] = []
    do throws(DeclarationFault) {
      guard let texts = try dictionary.texts(key) else { return [] }
      valueCount += texts.values.count
      if texts.isSingle { singleTexts.append(keyPath) }
      for (index, value) in texts.values.enumerated() {
        do throws(DeclarationFault) {
          let text = try value.get()
          if let reason = fault(text) {
            throw DeclarationFault(
              keyPath: texts.isSingle ? keyPath : "\(keyPath)[\(index)]", reason: reason, value: text)
          }
          sound.append((index, text))
        } catch {
          remarks.append(error)
        }
      }
    } catch {
      remarks.append(error)
    }
    return sound
  }

  /// Removes a leading period, because some programs declare `.saga` instead of `saga`.
  private static func withoutPeriod(_ filenameExtension: String) -> String {
    filenameExtension.utf8.first == UInt8(ascii: ".") ? String(filenameExtension.dropFirst()) : filenameExtension
  }
}

extension PropertyListKey {
  fileprivate static let identifier = PropertyListKey("UTTypeIdentifier")
  fileprivate static let conformsTo = PropertyListKey("UTTypeConformsTo")
  fileprivate static let tagSpecification = PropertyListKey("UTTypeTagSpecification")
  fileprivate static let description = PropertyListKey("UTTypeDescription")
  fileprivate static let referenceURL = PropertyListKey("UTTypeReferenceURL")
  fileprivate static let iconFile = PropertyListKey("UTTypeIconFile")
  fileprivate static let iconFiles = PropertyListKey("UTTypeIconFiles")
  fileprivate static let icons = PropertyListKey("UTTypeIcons")
  fileprivate static let iconName = PropertyListKey("UTTypeIconName")
  fileprivate static let iconBadgeName = PropertyListKey("UTTypeIconBadgeName")
}
