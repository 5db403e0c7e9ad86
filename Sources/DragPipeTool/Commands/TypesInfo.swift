// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import FoundationEssentials
internal import ItemTransfer
internal import UniformTypes

/// Tells what is known of types.
struct TypesInfo: ToolCommand {
  static let name = "info"
  static let summary = "Tells all that is known of types."
  static let forms = ["[--json] TYPE…"]
  static let options = [TypesReport.option]
  static let operand = ArgumentCompletion.typeOrFamily
  static let notes = """
    The exit code is 1 where one of the types is not known.

    \(TypesCommand.typeNote)
    """
  static let examples = ["dragpipe types info public.png .saga image/svg+xml"]

  private let operands: [String]
  private let isJSON: Bool

  init(_ arguments: ParsedArguments) throws(ToolFailure) {
    operands = arguments.operands
    isJSON = arguments.has("json")
    guard !operands.isEmpty else { throw ToolFailure(.usage, "types info of what? name a type") }
  }

  func run(in environment: ToolEnvironment) async throws {
    var report = TypesReport(isJSON: isJSON, separator: "\n", to: environment)
    var hasFailed = false
    for operand in operands {
      if let type = try await runBlocking({ UTType(operand: operand) }) {
        try await report.add(TypeRecord(type))
      } else {
        environment.note(UTType.unknown(operand))
        hasFailed = true
      }
    }
    try await report.end()
    if hasFailed { throw ToldFailure(exitCode: .failure) }
  }
}

/// All that is known of a type.
struct TypeRecord {
  let type: UTType

  init(_ type: UTType) {
    self.type = type
  }

  /// The supertypes, nearest first: what conforms to more is nearer.
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
    try container.encode(type, forKey: .identifier)
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
  /// The same for JSON, whose keys are text.
  var keyedByName: [String: [String]] {
    [String: [String]](map { ($0.key.rawValue, $0.value) }, uniquingKeysWith: +)
  }
}

extension UTTagClass {
  fileprivate var order: Int { self == .filenameExtension ? 0 : self == .mimeType ? 1 : 2 }
}
