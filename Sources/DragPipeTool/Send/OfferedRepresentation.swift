// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import FoundationEssentials
internal import ItemTransfer
internal import UniformTypes

/// A representation that an option describes: `--type`, `--lazy` or `--alias`.
struct OfferedRepresentation: Sendable {
  private enum Content {
    case file(String)
    case command(ShellCommand)
    case alias(UTType)
  }

  private let type: UTType
  private let content: Content

  /// The path of the file, or `-` for standard input; `nil` for a command or an alias.
  var path: String? {
    if case .file(let path) = content { path } else { nil }
  }

  /// Returns the representations in the order of the command line.
  static func all(_ arguments: ParsedArguments) throws(ToolFailure) -> [OfferedRepresentation] {
    var all: [OfferedRepresentation] = []
    for (option, value) in arguments.occurrences(of: "type", "lazy", "alias") {
      let representation = try OfferedRepresentation(option, value)
      if all.contains(where: { $0.type == representation.type }) {
        throw ToolFailure(.usage, "type \(representation.type) is given twice; give each type once")
      }
      if case .alias(let original) = representation.content, !all.contains(where: { $0.type == original }) {
        throw ToolFailure(
          .usage, "--alias \(value.escapedForDisplay()): give \(original) first, with --type or --lazy")
      }
      all.append(representation)
    }
    return all
  }

  private init(_ option: String, _ value: String) throws(ToolFailure) {
    guard let (name, source) = value.assignment else {
      let form = ["type": "TYPE=FILE", "lazy": "TYPE=COMMAND"][option] ?? "TYPE=TYPE"
      throw ToolFailure(.usage, "--\(option) \(value.escapedForDisplay()) is not in the form \(form)")
    }
    guard !name.contains("*") else {
      throw ToolFailure(.usage, "--\(option) needs a single type, but \(name.escapedForDisplay()) is a wildcard")
    }
    type = try UTType(operandOrName: name)
    switch option {
    case "type": content = .file(source)
    case "lazy": content = .command(ShellCommand(text: source))
    default: content = .alias(try UTType(operandOrName: source))
    }
  }

  func register(with provider: ItemProvider, _ context: OfferContext) {
    switch content {
    case .file("-"): context.register(context.environment.input, as: type, with: provider)
    case .file(let path): OfferedFile(path: path).register(type, with: provider, context)
    case .command(let command):
      provider.registerStream(type) { _ in try command.output(idleTimeout: context.idleTimeout) }
    case .alias(let original): provider.registerAlias(type, of: original)
    }
  }
}
