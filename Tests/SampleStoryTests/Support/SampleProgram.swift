// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import DropTransport
import Foundation
import TestSupport
import Testing

/// A sample that was built with these tests.
///
/// It is run with a script.
struct SampleProgram {
  let name: String
  var arguments: [String] = []
  /// Additional environment variables, as `NAME=VALUE`.
  var environment: [String] = []

  struct Outcome {
    let exitCode: Int32?
    let lines: [String]
    /// The text on standard error.
    let errors: String

    /// Returns the printed lines between two lines.
    func lines(after start: String, before end: String? = nil) -> [String] {
      let rest = lines.drop { $0 != start }.dropFirst()
      return Array(end.map { end in rest.prefix { $0 != end } } ?? rest)
    }
  }

  /// The path of the program, which is beside that of the tests.
  var path: String {
    let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent(name).path
  }

  /// Runs a script to its end, for at most two minutes.
  func run(_ script: String) async throws -> Outcome {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let file = try directory.write(Data(script.utf8), to: "script")
    let input = try OwnedDescriptor.open("/dev/null", O_RDONLY)
    return try await run(script: file.path, input: input.raw)
  }

  /// Runs the commands of a pipe until one of them is `:quit`, for at most two minutes.
  func run(_ commands: ScriptInput) async throws -> Outcome {
    try await run(script: "-", input: commands.reader.raw)
  }

  private func run(script: String, input: CInt) async throws -> Outcome {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let (out, err) = (directory.file("out"), directory.file("err"))
    let flags = O_WRONLY | O_CREAT | O_EXCL
    let output = try OwnedDescriptor.open(out.path, flags, 0o600)
    let errors = try OwnedDescriptor.open(err.path, flags, 0o600)
    let ending = try await ChildProcess(
      "/usr/bin/timeout", ["1200", "env"] + environment + [path] + arguments + ["--script", script], input: input,
      output: output.raw, errors: errors.raw
    ).waitForEnd()
    let text = String(decoding: try Data(contentsOf: out), as: UTF8.self)
    return Outcome(
      exitCode: ending.exitCode, lines: text.split(separator: "\n").map(String.init),
      errors: String(decoding: try Data(contentsOf: err), as: UTF8.self))
  }
}

/// A local HTTP server for a directory, which runs until its last reference is released.
final class LocalServer: Sendable {
  let address: String
  private let directory: TemporaryDirectory
  private let process: ChildProcess

  /// Starts the server, and waits until it reports its address.
  init(_ served: URL) async throws {
    directory = try TemporaryDirectory()
    let words = directory.file("words")
    let output = try OwnedDescriptor.open(words.path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND, 0o600)
    process = try ChildProcess(
      "python3", ["-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", served.path],
      output: output.raw, errors: output.raw)
    var port: Substring?
    let isThere = try await eventually {
      port = try String(contentsOf: words, encoding: .utf8).firstMatch(of: #/port (\d+)/#)?.output.1
      return port != nil
    }
    try #require(isThere)
    address = "http://127.0.0.1:\(try #require(port))"
  }

  deinit {
    kill(process.processIdentifier, SIGTERM)
  }

  /// Returns the log of the requests that the server got.
  func log() throws -> String {
    try String(contentsOf: directory.file("words"), encoding: .utf8)
  }
}
