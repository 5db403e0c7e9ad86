// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import FoundationEssentials
internal import ItemTransfer
internal import UniformTypes

/// The declarations of one property list, accepted and refused.
struct TypesImportRecord {
  /// The name of the list as it was given on the command line.
  let file: String
  var declared: [TypeDeclaration] = []
  var refused: [RefusedDeclaration] = []
  /// The reason why the list could not be read or parsed.
  var failure: ToolFailure?

  var exitCode: ToolExitCode? {
    if let failure { return failure.exitCode }
    return refused.allSatisfy { $0.isRemark || $0.isRedundant } ? nil : .malformed
  }

  var remarks: [String] {
    let name = file.shownAsOperand
    return
      (refused.map { $0.description.escapedForDisplay(limit: 400, mayBeEscaped: true) }
      + [failure?.message].compactMap(\.self))
      .map { "\(name): \($0)" }
  }
}

extension RefusedDeclaration {
  /// Whether the declaration is an import of a type that is already declared in this process.
  ///
  /// Most lists have such imports, so they are not errors.
  fileprivate var isRedundant: Bool {
    keyPath.hasPrefix("UTImportedTypeDeclarations") && (reason == .systemType || reason == .alreadyDeclared)
  }
}

extension TypesImportRecord: TypesRecord {
  private struct Declared: Encodable {
    let identifier: String
    let origin: String
    let conformsTo: [String]
    let tags: [String: [String]]
    let description: String?
    let version: Int?
    let icon: String?
    let referenceURL: String?

    init(_ declaration: TypeDeclaration) {
      identifier = declaration.identifier
      origin = declaration.origin.word
      conformsTo = declaration.effectiveSupertypes
      tags = declaration.tags.keyedByName
      description = declaration.localizedDescription
      version = declaration.version
      icon = declaration.iconName
      referenceURL = declaration.referenceURL?.absoluteString
    }
  }

  private struct Refused: Encodable {
    let keyPath: String
    let identifier: String?
    let value: String?
    let reason: String
    let isRemark: Bool

    init(_ refused: RefusedDeclaration) {
      keyPath = refused.keyPath
      identifier = refused.identifier
      value = refused.value
      reason = "\(refused.reason)"
      isRemark = refused.isRemark
    }
  }

  private enum CodingKeys: String, CodingKey {
    case file, declared, refused, error
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(file, forKey: .file)
    try container.encode(declared.map(Declared.init), forKey: .declared)
    try container.encode(refused.map(Refused.init), forKey: .refused)
    try container.encodeIfPresent(failure?.message, forKey: .error)
  }

  var text: String {
    declared.map { declaration in
      let lists = [
        declaration.effectiveSupertypes, declaration.tags[.filenameExtension] ?? [], declaration.tags[.mimeType] ?? [],
      ]
      let columns = [file, declaration.identifier, declaration.origin.word] + lists.map { $0.joined(separator: ",") }
      return columns.map(\.asColumn).joined(separator: "\t") + "\n"
    }.joined()
  }
}

extension TypeDeclaration {
  fileprivate var effectiveSupertypes: [String] { conformsTo.isEmpty ? [UTType.data.identifier] : conformsTo }
}

extension TypeDeclaration.Origin {
  fileprivate var word: String {
    switch self {
    case .exported: "exported"
    case .imported: "imported"
    }
  }
}
