// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import HeroCards
internal import ItemCoding
internal import ItemTransfer
internal import UniformTypes

/// Answers questions about uniform types; each kind of question is a command of its own.
struct TypesCommand: ToolCommand {
  static let subcommands: [any ToolCommand.Type] = [
    TypesOf.self, TypesInfo.self, TypesConforms.self, TypesList.self, TypesImport.self,
  ]

  static let name = "types"
  static let summary = "Tells what files are, and what is known of types."

  static var forms: [String] {
    subcommands.flatMap { command in command.forms.map { "\(command.name) \($0)" } }
  }

  static var options: [OptionSpecification] {
    var options: [OptionSpecification] = []
    for option in subcommands.flatMap({ $0.options }) where !options.contains(where: { $0.name == option.name }) {
      options.append(option)
    }
    return options
  }

  static var notes: String {
    let summaries = subcommands.map { "  \(ToolHelp.pad($0.name, to: 10))\($0.summary)" }
    let examples = """
      Examples:
        dragpipe types of photo.HEIC notes.tar.gz Makefile
        dragpipe types of --content-only --mime - < download
        dragpipe types info public.png .saga image/svg+xml
        dragpipe types conforms .png public.image
        dragpipe types list --conforms-to public.image | cut -f1
        dragpipe types import --json Info.plist
      """
    let paragraphs = [summaries.joined(separator: "\n")] + subcommands.map { $0.notes } + [operandNote, examples]
    return paragraphs.filter { !$0.isEmpty }.joined(separator: "\n\n")
  }

  private static let operandNote = """
    TYPE is an identifier (public.png), a MIME type (image/png), an extension with its period (.png), or without it
    (png) where no identifier reads so and a type claims it.
    """

  private let command: any ToolCommand

  init(_ arguments: ParsedArguments) throws(ToolFailure) {
    let names = Self.subcommands.map { $0.name }.joined(separator: ", ")
    var arguments = arguments
    guard let first = arguments.popOperand() else { throw ToolFailure(.usage, "types what? one of \(names)") }
    guard let command = Self.subcommands.first(where: { $0.name == first }) else {
      throw ToolFailure(.usage, "unknown command types \(first.escapedForDisplay()); one of \(names)")
    }
    for option in arguments.values.keys.sorted() where !command.options.contains(where: { $0.name == option }) {
      throw ToolFailure(.usage, "--\(option) does not go with types \(first)")
    }
    self.command = try command.init(arguments)
  }

  func run(in environment: ToolEnvironment) async throws {
    // Declared when they are first used, and they belong to this program.
    _ = [UTType.hero, .heroCBOR, .card, .cardCBOR]
    try await command.run(in: environment)
  }
}
