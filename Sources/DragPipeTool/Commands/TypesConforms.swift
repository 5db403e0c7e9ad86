// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import ItemTransfer
internal import UniformTypes

/// Tells whether one type may be used where another is wanted.
struct TypesConforms: ToolCommand {
  static let name = "conforms"
  static let summary = "Says whether one type conforms to another."
  static let forms = ["TYPE TYPE"]
  static let operand = ArgumentCompletion.typeOrFamily
  static let notes = """
    The exit code is 0 if so, 1 if not, and 64 where one of the types is not known.

    \(TypesCommand.typeNote)
    """
  static let examples = ["dragpipe types conforms .png public.image"]

  private let operands: [String]

  init(_ arguments: ParsedArguments) throws(ToolFailure) {
    operands = arguments.operands
    guard operands.count == 2 else { throw ToolFailure(.usage, "types conforms takes two types") }
  }

  func run(in environment: ToolEnvironment) async throws {
    let (type, other, answer) = try await runBlocking { [operands] in
      let type = try UTType(wanted: operands[0])
      let other = try UTType(wanted: operands[1])
      return (type, other, type.conforms(to: other))
    }
    let verb = answer ? "conforms" : "does not conform"
    try await environment.write("\(type.identifier.asColumn) \(verb) to \(other.identifier.asColumn)\n")
    if !answer { throw ToldFailure(exitCode: .failure) }
  }
}
