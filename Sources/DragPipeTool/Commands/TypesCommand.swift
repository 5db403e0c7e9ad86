// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Answers questions about uniform types; each kind of question is a command of its own, so this has no value.
enum TypesCommand: ToolCommand {
  static let name = "types"
  static let summary = "Tells what files are, and what is known of types."
  static let forms = ["COMMAND…"]
  static let subcommands: [any ToolCommand.Type] = [
    TypesOf.self, TypesInfo.self, TypesConforms.self, TypesList.self, TypesImport.self,
  ]
  static let notes = "dragpipe types COMMAND --help says more of each."

  /// For the help of all that take types.
  static let typeNote = """
    TYPE is an identifier (public.png), a MIME type (image/png), an extension with its period (.png), or without it
    (png) where no identifier reads so and a type claims it. \(TypeFamily.note)
    """

  static func prepare() {
    OwnTypes.declare()
  }

  init(_ arguments: ParsedArguments) throws(ToolFailure) {
    throw ToolFailure(.usage, "types what? one of \(Self.subcommands.map { $0.name }.joined(separator: ", "))")
  }

  func run(in environment: ToolEnvironment) async throws {
    switch self {}
  }
}
