// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import ItemTransfer
internal import UniformTypes

/// What was found out about one file, and what stood in the way.
struct TypesFileRecord: Sendable {
  /// As it was given.
  let file: String
  let showsMIMEType: Bool
  var found: IdentifiedFile?
  /// Why the file could not be looked at; what was found is then found by its name.
  private(set) var errorNumber: CInt?

  init(file: String, showsMIMEType: Bool) {
    self.file = file
    self.showsMIMEType = showsMIMEType
  }

  /// Takes the name for what could not be looked at.
  ///
  /// A name that tells nothing is an answer only where there is no file that could say more.
  mutating func fail(_ errorNumber: CInt, byName: IdentifiedFile? = nil) {
    self.errorNumber = errorNumber
    if let byName, isMissing || byName.isTold { found = byName }
  }

  /// Whether no file of that name exists.
  private var isMissing: Bool { errorNumber == ENOENT || errorNumber == ENOTDIR }

  /// Whether what was found can be relied on: where there is a file, or only content may tell, a name is not enough.
  var isAnswered: Bool { found != nil && (errorNumber == nil || isMissing) }

  /// What a person should know about the answer, or about there being none.
  var remark: String? {
    guard let reason else { return nil }
    let name = file.shownAsOperand
    guard let found else { return "\(name): \(reason)" }
    return found.isTold ? "\(name): \(reason); told by its name" : "\(name): \(reason), and its name tells nothing"
  }

  private var reason: String? {
    guard let errorNumber else { return nil }
    return isMissing ? "no such file" : String(cString: strerror(errorNumber))
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
    try container.encode(found.type, forKey: .type)
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
  /// Whether the name said anything.
  fileprivate var isTold: Bool { basis != .guess || type.isDynamic }
}

extension UTType {
  /// What a dynamic type stands for, in words and not escaped: nobody can read its identifier.
  var dynamicMeaning: String? {
    guard let statement = dynamicStatement else { return nil }
    let tags = statement.tags.map { "\($0.tagClass.noun) \($0.tag)" }
    let supertypes = statement.supertypes.filter { $0 != UTType.data.identifier }.map { "conforms to \($0)" }
    return (tags + supertypes).joined(separator: ", ")
  }
}

extension UTTagClass {
  /// What a person calls one of its tags.
  var noun: String {
    switch self {
    case .filenameExtension: "extension"
    case .mimeType: "MIME type"
    default: rawValue
    }
  }
}
