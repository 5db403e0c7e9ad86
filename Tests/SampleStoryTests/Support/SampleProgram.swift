// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import TestSupport
import Testing

/// The directory of the samples.
let samples = repository.appending(path: "Samples")
/// The directory of the package.
let repository = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }

/// A sample that was built with these tests.
///
/// It is run with a script.
struct SampleProgram {
  let name: String
  var arguments: [String] = []
  var environment: [String: String] = [:]

  /// The lines that a sample has printed.
  struct Lines: CustomStringConvertible {
    let all: [String]
    var description: String { "\(all)" }

    /// Returns the lines between two lines.
    func after(_ start: String, before end: String? = nil) -> [String] {
      let rest = all.drop { $0 != start }.dropFirst()
      return Array(end.map { end in rest.prefix { $0 != end } } ?? rest)
    }

    func contains(prefix: String) -> Bool { all.contains { $0.hasPrefix(prefix) } }
  }

  /// The path of the program, which is beside that of the tests.
  var path: String { builtProduct(name) }

  /// Runs a script, which must succeed.
  func run(_ script: String, sourceLocation: SourceLocation = #_sourceLocation) async throws -> Lines {
    let run = try await outcome(script)
    let lines = Lines(all: run.outputLines.map(String.init))
    #expect(run.exitCode == 0, "\(run.errors) \(lines)", sourceLocation: sourceLocation)
    return lines
  }

  /// Runs a script to its end.
  func outcome(_ script: String) async throws -> ProgramRun {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    return try await outcome(scriptFile: directory.write(Data(script.utf8), to: "script").path)
  }

  /// Runs the commands of a file, or those of a pipe until one of them is `:quit`.
  func outcome(scriptFile: String = "-", input: CInt? = nil) async throws -> ProgramRun {
    try await ProgramRun(
      path, arguments + ["--script", scriptFile], input: input, environment: environment, within: waitingLimit * 4)
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
    try await wait(for: "the address of the server") {
      port = try String(contentsOf: words, encoding: .utf8).firstMatch(of: #/port (\d+)/#)?.output.1
      return port != nil
    }
    address = "http://127.0.0.1:\(try #require(port))"
  }

  deinit {
    process.terminate()
  }

  /// Returns the log of the requests that the server got.
  func log() throws -> String {
    try String(contentsOf: directory.file("words"), encoding: .utf8)
  }
}
