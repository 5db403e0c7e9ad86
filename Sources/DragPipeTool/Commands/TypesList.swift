// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import ItemTransfer
internal import UniformTypes

/// Lists the types that are known.
struct TypesList: ToolCommand {
  static let name = "list"
  static let summary = "Lists the types that are known."
  static let forms = ["[--json] [--conforms-to TYPE]"]
  static let options = [
    TypesReport.option,
    OptionSpecification(
      name: "conforms-to", value: ArgumentValue("TYPE", .typeOrFamily), summary: "only what conforms to TYPE, and TYPE"),
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

/// A type with its names in a line; its JSON is that of `info`.
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
