// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import FoundationEssentials
internal import Glibc
internal import ItemTransfer
internal import UniformTypes

/// The command `types of`, which identifies the types of files.
struct TypesOf: ToolCommand {
  static let name = "of"
  static let summary = "Identifies the types of files."
  static let forms = ["[--mime] [--name-only | --content-only] [--json] FILE…"]
  static let options = [
    OptionSpecification(name: "mime", short: "m", summary: "MIME types instead of uniform types"),
    OptionSpecification(name: "name-only", summary: "use the name only; the file need not exist"),
    OptionSpecification(name: "content-only", summary: "use the content only"),
    TypesReport.option,
  ]
  static let operand = ArgumentCompletion.file
  static let notes = """
    Each file gets a line: its name, a tab, its type.

    FILE may be - for standard input, of which the beginning is read. Pipes, sockets and devices are never opened. For a
    missing file the type comes from its name, with a message on standard error. For an unreadable file it comes from
    the name if that has a known extension, and the exit code is 66. If the type is undeclared, its identifier begins
    with dyn., and a third column shows its meaning. JSON has the keys file, type, mimeType, basis (kind, attribute,
    name, content or guess), description, isDynamic, standsFor and conformsTo. It has the key error if the file could
    not be read.
    """
  static let examples = [
    "dragpipe types of photo.HEIC notes.tar.gz Makefile",
    "dragpipe types of --content-only --mime - < download",
  ]

  /// The number of bytes of standard input that are enough to identify its type.
  private static let inputLimit = 64 << 10

  private let files: [String]
  private let evidence: FileEvidence
  private let showsMIMETypes: Bool
  private let isJSON: Bool

  init(_ arguments: ParsedArguments) throws(ToolFailure) {
    files = arguments.operands
    showsMIMETypes = arguments.has("mime")
    isJSON = arguments.has("json")
    switch (arguments.has("name-only"), arguments.has("content-only")) {
    case (true, true): throw ToolFailure(.usage, "--name-only and --content-only exclude each other")
    case (true, false): evidence = .name
    case (false, true): evidence = .content
    case (false, false): evidence = .nameAndContent
    }
    guard !files.isEmpty else { throw ToolFailure(.usage, "types of needs a file, or - for standard input") }
    guard evidence != .name || !files.contains("-") else {
      throw ToolFailure(.usage, "standard input (-) has no name; for a file with the name -, use ./-")
    }
    guard files.count(where: { $0 == "-" }) <= 1 else {
      throw ToolFailure(.usage, "standard input (-) may be given only once")
    }
  }

  func run(in environment: ToolEnvironment) async throws {
    guard !files.contains("-") || !environment.inputIsTerminal else {
      throw ToolFailure(.usage, "standard input is a terminal; name a file, or pipe content in")
    }
    var report = TypesReport(isJSON: isJSON, to: environment)
    var hasFailed = false
    for file in files {
      try Task.checkCancellation()
      let record = try await look(at: file, environment)
      if let remark = record.remark { environment.note(remark) }
      if !record.isAnswered { hasFailed = true }
      try await report.add(record)
    }
    try await report.end()
    if hasFailed { throw ReportedFailure(exitCode: .noInput) }
  }

  private func look(at file: String, _ environment: ToolEnvironment) async throws -> TypesFileRecord {
    var record = TypesFileRecord(file: file, showsMIMEType: showsMIMETypes)
    do {
      record.found = if file == "-" { try await lookAtInput(environment) } else { try await look(atFile: file) }
    } catch let error as FileTypeError {
      let byName =
        evidence == .nameAndContent
        ? try? await runBlocking { try UTType.identify(fileAt: file, by: .name) } : nil
      record.fail(error.errorNumber, byName: byName)
    } catch let error as DropStreamError where error.code != .cancelled {
      record.fail(error.errorNumber ?? EIO)
    }
    return record
  }

  private func look(atFile file: String) async throws -> IdentifiedFile {
    try await runBlocking { [evidence] in try UTType.identify(fileAt: file, by: evidence) }
  }

  private func lookAtInput(_ environment: ToolEnvironment) async throws -> IdentifiedFile {
    let source = try ChunkSource(environment.inputEndpoint())
    var data = Data()
    while data.count < Self.inputLimit, let chunk = try await source.next() { data += chunk }
    // The first lookup reads the database from the disk.
    return try await runBlocking { [data] in UTType.identify(content: data.span) }
  }
}
