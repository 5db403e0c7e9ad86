// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import FoundationEssentials
internal import ItemTransfer
internal import UniformTypes

/// The command `types info`, which shows the properties of types.
struct TypesInfo: ToolCommand {
  static let name = "info"
  static let summary = "Shows the properties of types."
  static let forms = ["[--json] TYPE…"]
  static let options = [TypesReport.option]
  static let operand = ArgumentCompletion.typeOrFamily
  static let notes = """
    The exit code is 1 if one of the types is unknown.

    \(TypesCommand.typeNote)
    """
  static let examples = ["dragpipe types info public.png .saga image/svg+xml"]

  private let operands: [String]
  private let isJSON: Bool

  init(_ arguments: ParsedArguments) throws(ToolFailure) {
    operands = arguments.operands
    isJSON = arguments.has("json")
    guard !operands.isEmpty else { throw ToolFailure(.usage, "types info needs a type") }
  }

  func run(in environment: ToolEnvironment) async throws {
    var report = TypesReport(isJSON: isJSON, separator: "\n", to: environment)
    var hasFailed = false
    for operand in operands {
      if let type = await runBlocking({ UTType(operand: operand) }) {
        try await report.add(TypeRecord(type))
      } else {
        environment.note(UTType.unknown(operand))
        hasFailed = true
      }
    }
    try await report.end()
    if hasFailed { throw ReportedFailure(exitCode: .failure) }
  }
}

/// The properties of a type.
struct TypeRecord {
  let type: UTType

  init(_ type: UTType) {
    self.type = type
  }

  /// The supertypes, nearest first.
  ///
  /// A supertype that has more supertypes counts as nearer.
  private var supertypesNearestFirst: [String] {
    type.supertypes.map { (name: $0.identifier, distance: -$0.supertypes.count) }
      .sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }
      .map(\.name)
  }

  private var status: String {
    var words = [type.isDynamic ? "dynamic" : type.isDeclared ? "declared" : "not declared"]
    if type.isPublic { words.append("public") }
    return words.joined(separator: ", ")
  }
}

extension TypeRecord: TypesRecord {
  private enum CodingKeys: String, CodingKey {
    case identifier, description, isDeclared, isDynamic, isPublic, standsFor, version, referenceURL, tags, conformsTo
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(type.identifier, forKey: .identifier)
    try container.encodeIfPresent(type.localizedDescription, forKey: .description)
    try container.encode(type.isDeclared, forKey: .isDeclared)
    try container.encode(type.isDynamic, forKey: .isDynamic)
    try container.encode(type.isPublic, forKey: .isPublic)
    try container.encodeIfPresent(type.dynamicMeaning, forKey: .standsFor)
    try container.encodeIfPresent(type.version, forKey: .version)
    try container.encodeIfPresent(type.referenceURL?.absoluteString, forKey: .referenceURL)
    try container.encode(type.tags.keyedByName, forKey: .tags)
    try container.encode(type.supertypes.map(\.identifier).sorted(), forKey: .conformsTo)
  }

  var text: String {
    var lines: [(label: String, value: String?)] = [
      ("description", type.localizedDescription), ("status", status), ("stands for", type.dynamicMeaning),
      ("version", type.version.map { "\($0)" }), ("reference", type.referenceURL?.absoluteString),
    ]
    let tags = type.tags.sorted { ($0.key.order, $0.key.rawValue) < ($1.key.order, $1.key.rawValue) }
    for (tagClass, values) in tags {
      let list = values.joined(separator: ", ")
      switch tagClass {
      case .filenameExtension, .mimeType: lines.append(("\(tagClass.noun)s", list))
      default: lines.append(("other tags", "\(tagClass): \(list)"))
      }
    }
    lines.append(("conforms to", supertypesNearestFirst.joined(separator: ", ")))
    var text = "\(type.identifier.asColumn)\n"
    for (label, value) in lines {
      guard let value, !value.isEmpty else { continue }
      text += "  \(ToolHelp.pad(label, to: 14))\(value.asColumn)\n"
    }
    return text
  }
}

extension [UTTagClass: [String]] {
  /// The same tags, with the name of each tag class as the key, for JSON.
  var keyedByName: [String: [String]] {
    [String: [String]](map { ($0.key.rawValue, $0.value) }, uniquingKeysWith: +)
  }
}

extension UTTagClass {
  fileprivate var order: Int { self == .filenameExtension ? 0 : self == .mimeType ? 1 : 2 }
}

/// A record of a `types` command, which is written as text or as an element of a JSON array.
///
/// Both forms are created on a thread outside the cooperative pool, since they may read the system's type database.
protocol TypesRecord: Encodable, Sendable {
  /// The text form: complete lines with all external strings escaped, or an empty string.
  var text: String { get }
}

/// A writer of records.
///
/// It writes records in batches while more are added, since all records may not fit in memory.
struct TypesReport {
  static let option = OptionSpecification(name: "json", short: "j", summary: "write one JSON array")

  /// The size in bytes at which buffered output is written.
  ///
  /// On a terminal, each record is written at once.
  private static let bufferLength = 32 << 10

  private let isJSON: Bool
  private let separator: String
  private let environment: ToolEnvironment
  private let json = JSONOutput()
  private var pending = ""
  private var isEmpty = true

  /// - Parameters:
  ///   - isJSON: Whether to write a JSON array with one record per line, rather than text.
  ///   - separator: The string between two records of text.
  ///   - environment: The tool's environment.
  init(isJSON: Bool, separator: String = "", to environment: ToolEnvironment) {
    self.isJSON = isJSON
    self.separator = separator
    self.environment = environment
  }

  mutating func add(_ record: some TypesRecord) async throws {
    let piece = try await runBlocking { [isJSON, json] in
      isJSON ? try json.text(record) : record.text
    }
    guard !piece.isEmpty else { return }
    pending += isJSON ? (isEmpty ? "[\n" : ",\n") + piece : (isEmpty ? "" : separator) + piece
    isEmpty = false
    if pending.utf8.count >= Self.bufferLength || environment.outputIsTerminal { try await flush() }
  }

  /// Ends the array, if the output is JSON, and writes the buffered output.
  ///
  /// - Parameter usesDatabase: Whether the records depend on the system's MIME database. If so, database files that
  ///   could not be read are reported on standard error.
  /// - Throws: Errors of writing.
  mutating func end(usesDatabase: Bool = true) async throws {
    if isJSON { pending += isEmpty ? "[]\n" : "\n]\n" }
    try await flush()
    // Reading the remarks loads the database, so they are read only if the database was used.
    guard usesDatabase else { return }
    for remark in await runBlocking({ UTType.databaseRemarks }) { environment.note(remark) }
  }

  private mutating func flush() async throws {
    guard !pending.isEmpty else { return }
    try await environment.write(pending)
    pending = ""
  }
}
