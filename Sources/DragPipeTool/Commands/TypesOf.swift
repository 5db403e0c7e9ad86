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
    return await runBlocking { [data] in UTType.identify(content: data.span) }
  }
}

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
