// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import DropTransport
import Foundation
import TestSupport

@testable import DragPipeTool

/// A run of the tool within this process.
struct ToolRun {
  let exitCode: Int32
  let output: String
  let errors: String

  init(_ arguments: String..., input: Data = Data()) async throws {
    try await self.init(arguments, input: input)
  }

  init(_ arguments: [String], input: Data = Data()) async throws {
    let directory = try TemporaryDirectory()
    let files = ["input", "output", "errors"].map { directory.file($0) }
    try input.write(to: files[0])
    let standard = try OwnedDescriptor.open(files[0].path, O_RDONLY)
    let output = try OwnedDescriptor.open(files[1].path, O_WRONLY | O_CREAT, 0o600)
    let errors = try OwnedDescriptor.open(files[2].path, O_WRONLY | O_CREAT, 0o600)
    exitCode = await Tool.run(
      arguments, in: ToolEnvironment(input: standard.raw, output: output.raw, errors: errors.raw))
    self.output = String(decoding: try Data(contentsOf: files[1]), as: UTF8.self)
    self.errors = String(decoding: try Data(contentsOf: files[2]), as: UTF8.self)
  }

  var outputLines: [Substring] { output.split(separator: "\n") }
  var errorLines: [Substring] { errors.split(separator: "\n") }
}

/// A run of a bash script in a directory whose programs have priority over installed programs.
struct ScriptRun {
  let exitCode: Int32?
  let output: String

  var lines: [String] { output.split(separator: "\n").map(String.init) }

  /// Runs a bash script.
  ///
  /// If it takes longer than a minute, it is ended.
  ///
  /// The script runs the file `.program` as `dragpipe`.
  ///
  /// - Parameters:
  ///   - script: The script. Its standard output and its error messages are read.
  ///   - directory: The working directory, which is not removed.
  /// - Throws: Errors of starting bash.
  init(_ script: String, in directory: URL) async throws {
    let seen = directory.appendingPathComponent(".seen-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: seen) }
    let output = try OwnedDescriptor.open(seen.path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
    let input = try OwnedDescriptor.open("/dev/null", O_RDONLY)
    let preamble = "cd '\(directory.path)' || exit 99; export PATH=$PWD:$PATH HOME=$PWD LC_ALL=C.UTF-8 TERM=dumb\n"
    let program = "[ -e .program ] && cp .program dragpipe && chmod +x dragpipe\n"
    exitCode = try await ChildProcess(
      "/usr/bin/timeout", ["600", "bash", "--norc", "-c", preamble + program + script], input: input.raw,
      output: output.raw,
      errors: output.raw
    ).waitForEnd().exitCode
    self.output = String(decoding: try Data(contentsOf: seen), as: UTF8.self)
  }
}
