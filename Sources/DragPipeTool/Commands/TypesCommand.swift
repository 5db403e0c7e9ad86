// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import ItemTransfer
internal import UniformTypes

/// The command `types`, which groups the commands about uniform types.
///
/// It has no values, since its subcommands do the work.
enum TypesCommand: ToolCommand {
  static let name = "types"
  static let summary = "Identifies files, and shows the properties of types."
  static let forms = ["COMMAND…"]
  static let subcommands: [any ToolCommand.Type] = [
    TypesOf.self, TypesInfo.self, TypesConforms.self, TypesList.self, TypesImport.self,
  ]
  static let notes = "For the help of a subcommand, use dragpipe types COMMAND --help."

  /// A note about the word TYPE, for the help of the subcommands.
  static let typeNote = """
    TYPE is an identifier (public.png), a MIME type (image/png) or an extension with its period (.png). The period may
    be omitted (png) if no identifier has that name and a type claims the extension. \(TypeFamily.note)
    """

  static func prepare() {
    OwnTypes.declare()
  }

  init(_ arguments: ParsedArguments) throws(ToolFailure) {
    throw ToolFailure(.usage, "types needs a command: \(Self.subcommands.map { $0.name }.joined(separator: ", "))")
  }

  func run(in environment: ToolEnvironment) async throws {
    switch self {}
  }
}

/// The command `types conforms`, which tests whether one type conforms to another.
struct TypesConforms: ToolCommand {
  static let name = "conforms"
  static let summary = "Tests whether one type conforms to another."
  static let forms = ["TYPE TYPE"]
  static let operand = ArgumentCompletion.typeOrFamily
  static let notes = """
    The exit code is 0 if it does, 1 if it does not, and 64 if one of the types is unknown.

    \(TypesCommand.typeNote)
    """
  static let examples = ["dragpipe types conforms .png public.image"]

  private let operands: [String]

  init(_ arguments: ParsedArguments) throws(ToolFailure) {
    operands = arguments.operands
    guard operands.count == 2 else { throw ToolFailure(.usage, "types conforms needs two types") }
  }

  func run(in environment: ToolEnvironment) async throws {
    let (type, other, answer) = try await runBlocking { [operands] in
      let type = try UTType(wanted: operands[0])
      let other = try UTType(wanted: operands[1])
      return (type, other, type.conforms(to: other))
    }
    let verb = answer ? "conforms" : "does not conform"
    try await environment.write("\(type.identifier.asColumn) \(verb) to \(other.identifier.asColumn)\n")
    if !answer { throw ReportedFailure(exitCode: .failure) }
  }
}

/// The command `types list`, which lists the declared types.
struct TypesList: ToolCommand {
  static let name = "list"
  static let summary = "Lists the known types."
  static let forms = ["[--json] [--conforms-to TYPE]"]
  static let options = [
    TypesReport.option,
    OptionSpecification(
      name: "conforms-to", value: ArgumentValue("TYPE", .typeOrFamily),
      summary: "list only TYPE and types that conform to it"),
  ]
  static let notes = """
    Each type gets a line: its identifier, a tab, its extensions, a tab, its MIME types.

    \(TypesCommand.typeNote)
    """
  static let examples = ["dragpipe types list --conforms-to public.image | cut -f1"]

  private let supertype: String?
  private let isJSON: Bool

  init(_ arguments: ParsedArguments) throws(ToolFailure) {
    supertype = try arguments.value("conforms-to")
    isJSON = arguments.has("json")
    guard arguments.operands.isEmpty else { throw ToolFailure(.usage, "types list takes no operand") }
  }

  func run(in environment: ToolEnvironment) async throws {
    let types = try await runBlocking { [supertype] in
      guard let supertype else { return UTType.allDeclared }
      let wanted = try UTType(wanted: supertype)
      return UTType.allDeclared.filter { $0.conforms(to: wanted) }
    }
    var report = TypesReport(isJSON: isJSON, to: environment)
    for type in types { try await report.add(TypeLine(record: TypeRecord(type))) }
    try await report.end()
  }
}

/// A type with its extensions and MIME types as one line.
///
/// As JSON, it is the same as the record of `types info`.
private struct TypeLine: TypesRecord {
  let record: TypeRecord

  func encode(to encoder: any Encoder) throws {
    try record.encode(to: encoder)
  }

  var text: String {
    let tags = record.type.tags
    let columns = [UTTagClass.filenameExtension, .mimeType].map { tags[$0]?.joined(separator: ",") ?? "" }
    return ([record.type.identifier] + columns).map { $0.asColumn }.joined(separator: "\t") + "\n"
  }
}
