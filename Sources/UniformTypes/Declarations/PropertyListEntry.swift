// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

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
