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
