// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import DragPipeTool

@Suite("Parsed arguments")
struct ParsedArgumentsTests {
  private let options = [
    OptionSpecification(name: "name", value: "NAME", summary: ""), OptionSpecification(name: "json", summary: ""),
  ]

  private func parse(_ arguments: String...) throws(ToolFailure) -> ParsedArguments {
    try ParsedArguments(arguments, options: options)
  }

  @Test("options and operands may be mixed; a value stands behind its option or behind =")
  func mixture() throws {
    for arguments in [["--name", "x", "a", "--json", "b"], ["a", "--name=x", "b", "--json"]] {
      let parsed = try ParsedArguments(arguments, options: options)
      #expect(parsed.operands == ["a", "b"])
      #expect(try parsed.value("name") == "x")
      #expect(parsed.has("json"))
    }
  }

  @Test("-- ends the options, - is an operand, a value may look like an option or be empty")
  func edges() throws {
    let parsed = try parse("--name", "--json", "-", "--", "--name", "--")
    #expect(try parsed.value("name") == "--json")
    #expect(parsed.operands == ["-", "--name", "--"])
    #expect(!parsed.has("json"))
    #expect(try parse("--name=").value("name")?.isEmpty == true)
    #expect(try parse("--name=a=b").value("name") == "a=b")
    #expect(try parse().value("name") == nil)
  }

  @Test("what is unknown, lacks a value, has one too many or is given twice is a usage error")
  func refusals() {
    for arguments in [["--nam"], ["-n"], ["--name"], ["--json=yes"], ["--name=a", "--name=b"]] {
      let failure = #expect(throws: ToolFailure.self) {
        _ = try ParsedArguments(arguments, options: options).value("name")
      }
      #expect(failure?.exitCode == .usage)
    }
  }
}
