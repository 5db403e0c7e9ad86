// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import TestSupport
import Testing

@testable import DragPipeTool

/// The outcome of a run of the tool.
struct ToolOutcome: Equatable, CustomTestStringConvertible {
  var exitCode: Int32
  var bytes: Data
  var errors: String

  init(exitCode: Int32 = 0, output: String = "", errors: String = "") {
    (self.exitCode, bytes, self.errors) = (exitCode, Data(output.utf8), errors)
  }

  /// The outcome of a failure without output.
  static func failure(_ code: Int32, _ message: String) -> Self {
    Self(exitCode: code, errors: "dragpipe: \(message)\n")
  }

  var testDescription: String { "exit code \(exitCode), output: \(output.prefix(4000)), errors: \(errors)" }
  var output: String { String(decoding: bytes, as: UTF8.self) }
  var lines: [Substring] { output.split(separator: "\n") }
  var errorLines: [Substring] { errors.split(separator: "\n") }

  /// Whether the tool failed without output, with one line of errors that contains some words.
  func isFailure(_ code: Int32, _ words: String = "") -> Bool {
    exitCode == code && bytes.isEmpty && errorLines.count == 1 && (words.isEmpty || errors.contains(words))
  }

  /// Returns the output as a JSON object.
  func document() throws -> [String: Any] { try json() }

  /// Returns the output as JSON.
  func json<Value>(as: Value.Type = Value.self) throws -> Value {
    try #require(try JSONSerialization.jsonObject(with: bytes) as? Value)
  }
}

/// Runs the tool within this process.
///
/// Cancelling the task cancels the command.
func tool(_ arguments: String..., input: some Sequence<UInt8> = []) async throws -> ToolOutcome {
  try await tool(arguments, input: input)
}

/// Runs the tool within this process.
///
/// - Parameters:
///   - arguments: The command line.
///   - input: The bytes of its standard input.
///   - session: A socket in place of standard input and output.
/// - Returns: The outcome of the run.
/// - Throws: `WaitTimedOut` if the tool does not end within a minute.
func tool(
  _ arguments: [String], input: some Sequence<UInt8> = [], session: CInt? = nil
) async throws -> ToolOutcome {
  let directory = try TemporaryDirectory()
  let files = ["input", "output", "errors"].map { directory.file($0) }
  try Data(input).write(to: files[0])
  let standard = try OwnedDescriptor.open(files[0].path, O_RDONLY)
  let output = try OwnedDescriptor.open(files[1].path, O_WRONLY | O_CREAT, 0o600)
  let errors = try OwnedDescriptor.open(files[2].path, O_WRONLY | O_CREAT, 0o600)
  let environment = ToolEnvironment(input: session ?? standard.raw, output: session ?? output.raw, errors: errors.raw)
  let run = Task { await Tool.run(arguments, in: environment) }
  defer { run.cancel() }
  var outcome = ToolOutcome()
  outcome.exitCode = try await withTaskCancellationHandler {
    try await finishing("the end of dragpipe \(arguments.prefix(20).joined(separator: " "))") { await run.value }
  } onCancel: {
    run.cancel()
  }
  outcome.bytes = try Data(contentsOf: files[1])
  outcome.errors = String(decoding: try Data(contentsOf: files[2]), as: UTF8.self)
  return outcome
}

/// Runs a bash script in a directory whose programs have priority over installed programs.
///
/// The script runs the file `.program` as `dragpipe`.
///
/// - Returns: The lines of its output and its error messages.
/// - Throws: `WaitTimedOut` if the script takes longer than a minute.
func bash(_ script: String, in directory: TemporaryDirectory) async throws -> [String] {
  // The shell creates the program: if this process did, a child of another test might still have the file open.
  let preamble = """
    exec 2>&1; cd '\(directory.url.path)' || exit 99
    export PATH=$PWD:$PATH HOME=$PWD LC_ALL=C.UTF-8 TERM=dumb
    [ -e .program ] && cp .program dragpipe && chmod +x dragpipe

    """
  return try await ProgramRun("bash", ["--norc", "-c", preamble + script]).outputLines.map(String.init)
}
