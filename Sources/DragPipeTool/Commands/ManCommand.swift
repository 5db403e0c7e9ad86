// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Writes the manual page.
struct ManCommand: ToolCommand {
  static let name = "man"
  static let summary = "Writes the manual page."
  static let forms = [""]
  static let notes = "The page is written with the macros of man(7), for a file with a name like dragpipe.1."
  static let examples = ["dragpipe man > dragpipe.1 && man ./dragpipe.1"]

  init(_ arguments: ParsedArguments) throws(ToolFailure) {
    guard arguments.operands.isEmpty else { throw ToolFailure(.usage, "man takes no operand") }
  }

  func run(in environment: ToolEnvironment) async throws {
    try await environment.write(ManualPage.text())
  }
}
