// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import FoundationEssentials
internal import Glibc
internal import ItemTransfer
internal import UniformTypes

/// Tells what property lists declare.
struct TypesImport: ToolCommand {
  static let name = "import"
  static let summary = "Tells what the Info.plist of programs declare, and what of that does not hold."
  static let forms = ["[--json] PLIST…"]
  static let options = [TypesReport.option]
  static let operand = ArgumentCompletion.file
  static let notes = """
    PLIST is an XML or binary property list, or - for standard input. Each type gets a line: the file, the identifier,
    exported or imported, what it conforms to, extensions, MIME types. What does not hold is told on standard error, and
    makes the exit code 65, unless the list only imports a type that is known already. Lists build on each other in
    their order; nothing is kept for the next command. JSON has the keys file, declared, refused, and error where the
    file could not be read; each element of refused has keyPath, identifier, value (the parent or tag at fault), reason,
    and isRemark where the declaration holds.
    """
  static let examples = ["dragpipe types import --json Info.plist"]

  private let files: [String]
  private let isJSON: Bool

  init(_ arguments: ParsedArguments) throws(ToolFailure) {
    files = arguments.operands
    isJSON = arguments.has("json")
    guard !files.isEmpty else { throw ToolFailure(.usage, "types import of what? name a property list") }
    guard files.count(where: { $0 == "-" }) <= 1 else {
      throw ToolFailure(.usage, "standard input can be read once only")
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
    if let exitCode { throw ToldFailure(exitCode: exitCode) }
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
      // The file's name is in its description too.
      let reason = error.errorNumber.map { String(cString: strerror($0)) } ?? error.description
      record.failure = ToolFailure(ToolFailure(error).exitCode, reason)
    }
    return record
  }

  /// Everything up to where it is too much, which the reader of property lists then says.
  private func contents(of file: String, _ environment: ToolEnvironment) async throws -> Data {
    let source = try ChunkSource(file == "-" ? environment.inputEndpoint() : .file(file))
    var data = Data()
    while data.count <= TypeDeclarationList.maximumByteCount, let chunk = try await source.next() { data += chunk }
    return data
  }
}
