// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// An entry of `UTExportedTypeDeclarations` or `UTImportedTypeDeclarations`, or what keeps it from being one.
///
/// Reading it never fails, so that the entries after it are read as well.
struct PropertyListDeclaration: Decodable {
  /// The declaration; its origin is for the reader to say.
  private(set) var declaration: Result<TypeDeclaration, DeclarationFault>
  private(set) var identifier: String?
  private(set) var singleTexts: [String] = []
  /// How many keys, parents and tags there were to read.
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
      throw DeclarationFault(keyPath: ".UTTypeIdentifier", reason: .malformed("a string is wanted, nothing was found"))
    }
    self.identifier = identifier
    let description = try entry.text(.description)
    // Whatever it says: nothing depends on it, and blank ones are left over from templates.
    let referenceURL = try entry.text(.referenceURL).flatMap { $0.isEmpty ? nil : URL(string: $0) }
    return TypeDeclaration(
      identifier, conformsTo: try texts(entry, .conformsTo) ?? [], tags: try tags(entry),
      localizedDescription: description, referenceURL: referenceURL, version: try entry.version())
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
      var values = try texts(specification, key) ?? []
      if tagClass == .filenameExtension { values = values.map(Self.withoutPeriod) }
      tags[tagClass, default: []] += values
    }
    return tags
  }

  private mutating func texts(
    _ dictionary: PropertyListDictionary, _ key: PropertyListKey
  ) throws(DeclarationFault) -> [String]? {
    guard let texts = try dictionary.texts(key) else { return nil }
    valueCount += texts.values.count
    if texts.isSingle { singleTexts.append("\(dictionary.keyPath).\(key.stringValue)") }
    return texts.values
  }

  /// `.saga` can only mean `saga`, and is found in the wild; the declaration is not lost over a period.
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
}
