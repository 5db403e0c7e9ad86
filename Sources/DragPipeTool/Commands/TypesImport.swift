// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import FoundationEssentials
internal import ItemTransfer
internal import UniformTypes

/// The command `types import`, which shows the type declarations of property lists.
struct TypesImport: ToolCommand {
  static let name = "import"
  static let summary = "Shows the type declarations of Info.plist files, and which of them are refused."
  static let forms = ["[--json] PLIST…"]
  static let options = [TypesReport.option]
  static let operand = ArgumentCompletion.file
  static let notes = """
    PLIST is an XML or binary property list, or - for standard input. Each type gets a line with tab-separated columns:
    the file, the identifier, exported or imported, supertypes, extensions, MIME types. Refused declarations are
    reported on standard error. They make the exit code 65, unless the list only imports a type that is already known.
    Later lists may refer to types of earlier lists; no declaration is kept for the next command. JSON has the keys
    file, declared, refused, and error if the file could not be read. Each element of refused has keyPath, identifier,
    value (the refused parent or tag) and reason. Its key isRemark is true if the declaration itself is valid.
    """
  static let examples = ["dragpipe types import --json Info.plist"]

  private let files: [String]
  private let isJSON: Bool

  init(_ arguments: ParsedArguments) throws(ToolFailure) {
    files = arguments.operands
    isJSON = arguments.has("json")
    guard !files.isEmpty else { throw ToolFailure(.usage, "types import needs a property list") }
    guard files.count(where: { $0 == "-" }) <= 1 else {
      throw ToolFailure(.usage, "standard input (-) may be given only once")
    }
  }

  func run(in environment: ToolEnvironment) async throws {
    guard !files.contains("-") || !environment.inputIsTerminal else {
      throw ToolFailure(.usage, "standard input is a terminal; name a file, or pipe a property list in")
    }
    var report = TypesReport(isJSON: isJSON, to: environment)
    var exitCode: ToolExitCode?
    for file in files {
      let record = try await declare(file, environment)
      for remark in record.remarks { environment.note(remark) }
      exitCode = exitCode ?? record.exitCode
      try await report.add(record)
    }
    try await report.end(usesDatabase: false)
    if let exitCode { throw ReportedFailure(exitCode: exitCode) }
  }

  private func declare(_ file: String, _ environment: ToolEnvironment) async throws -> TypesImportRecord {
    var record = TypesImportRecord(file: file)
    do {
      let data = try await contents(of: file, environment)
      (record.declared, record.refused) = try await runBlocking {
        TypeRegistry.shared.declareAll(of: try TypeDeclarationList(propertyList: data))
      }
    } catch let error as TypeDeclarationListError {
      record.failure = ToolFailure(
        error.code == .limitExceeded ? .refused : .malformed,
        error.description.escapedForDisplay(limit: 400, mayBeEscaped: true))
    } catch let error as DropStreamError where error.code != .cancelled {
      // Uses the system's error if there is one, since the description of `error` repeats the file's name.
      let reason = error.errorNumber.map { SystemError($0, in: "read").description } ?? error.description
      record.failure = ToolFailure(ToolFailure(error).exitCode, reason)
    }
    return record
  }

  /// Reads the file, but little more than the size limit of property lists.
  ///
  /// The parser of property lists reports a larger file.
  private func contents(of file: String, _ environment: ToolEnvironment) async throws -> Data {
    let source = try ChunkSource(file == "-" ? environment.inputEndpoint() : .file(file))
    var data = Data()
    while data.count <= TypeDeclarationList.maximumByteCount, let chunk = try await source.next() { data += chunk }
    return data
  }
}

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
