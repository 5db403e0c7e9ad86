// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import ItemTransfer
internal import UniformTypes

/// The type of one file, and the error if the file could not be read.
struct TypesFileRecord: Sendable {
  /// The name as it was given on the command line.
  let file: String
  let showsMIMEType: Bool
  var found: IdentifiedFile?
  /// The read error of the file.
  ///
  /// After such an error, ``found`` comes from the name alone, or is `nil`.
  private(set) var errorNumber: CInt?

  init(file: String, showsMIMEType: Bool) {
    self.file = file
    self.showsMIMEType = showsMIMEType
  }

  /// Stores the read error of the file and, if it is known, the type that the name suggests.
  ///
  /// If the file exists, the type is ignored unless the name is evidence of it.
  mutating func fail(_ errorNumber: CInt, byName: IdentifiedFile? = nil) {
    self.errorNumber = errorNumber
    if let byName, isMissing || byName.isTold { found = byName }
  }

  /// Whether the file does not exist.
  private var isMissing: Bool { errorNumber == ENOENT || errorNumber == ENOTDIR }

  /// Whether the result for this file lets the command succeed.
  ///
  /// A type must be known. After an error, the type from the name is enough only if the file does not exist.
  var isAnswered: Bool { found != nil && (errorNumber == nil || isMissing) }

  /// A message with the error; `nil` if there was none.
  ///
  /// If the type comes from the name, the message reports that too.
  var remark: String? {
    guard let reason else { return nil }
    let name = file.shownAsOperand
    guard let found else { return "\(name): \(reason)" }
    return found.isTold
      ? "\(name): \(reason); type taken from the name"
      : "\(name): \(reason), and its name has no known extension; public.data is assumed"
  }

  private var reason: String? {
    guard let errorNumber else { return nil }
    return isMissing ? "no such file" : SystemError(errorNumber, in: "open").description
  }
}

extension TypesFileRecord: TypesRecord {
  private enum CodingKeys: String, CodingKey {
    case file, type, mimeType, basis, description, isDynamic, standsFor, conformsTo, error
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(file, forKey: .file)
    try container.encodeIfPresent(reason, forKey: .error)
    guard let found else { return }
    try container.encode(found.type.identifier, forKey: .type)
    try container.encode(found.mimeType, forKey: .mimeType)
    try container.encode(found.basis, forKey: .basis)
    try container.encodeIfPresent(found.type.localizedDescription, forKey: .description)
    try container.encode(found.type.isDynamic, forKey: .isDynamic)
    try container.encodeIfPresent(found.type.dynamicMeaning, forKey: .standsFor)
    try container.encode(found.type.supertypes.map(\.identifier).sorted(), forKey: .conformsTo)
  }

  var text: String {
    guard let found else { return "" }
    if showsMIMEType { return "\(file.asColumn)\t\(found.mimeType.asColumn)\n" }
    let meaning = found.type.dynamicMeaning.map { "\t\($0.asColumn)" } ?? ""
    return "\(file.asColumn)\t\(found.type.identifier.asColumn)\(meaning)\n"
  }
}

extension IdentifiedFile {
  /// Whether the type is based on evidence: the kind of the file, an attribute, its name or its content.
  ///
  /// A dynamic type encodes such evidence.
  fileprivate var isTold: Bool { basis != .guess || type.isDynamic }
}

extension UTType {
  /// The tags and supertypes that a dynamic type encodes, not escaped; `nil` for another type.
  ///
  /// The supertype `public.data` is left out.
  ///
  /// A user cannot read them in its identifier.
  var dynamicMeaning: String? {
    guard let statement = dynamicStatement else { return nil }
    let tags = statement.tags.map { "\($0.tagClass.noun) \($0.tag)" }
    let supertypes = statement.supertypes.filter { $0 != UTType.data.identifier }.map { "conforms to \($0)" }
    return (tags + supertypes).joined(separator: ", ")
  }
}

extension UTTagClass {
  /// The name of the tag class in messages.
  var noun: String {
    switch self {
    case .filenameExtension: "extension"
    case .mimeType: "MIME type"
    default: rawValue
    }
  }
}
