// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import DropTransport
import Foundation
import TestSupport

/// A sample that was built with these tests, run with a script in processes of its own.
struct SampleProgram {
  let name: String
  var arguments: [String] = []
  /// What its environment has beside ours, as `NAME=VALUE`.
  var environment: [String] = []

  struct Outcome {
    let exitCode: Int32?
    let lines: [String]
    /// What it says of what goes wrong.
    let errors: String

    /// What is printed between two lines.
    func lines(after start: String, before end: String? = nil) -> [String] {
      let rest = lines.drop { $0 != start }.dropFirst()
      return Array(end.map { end in rest.prefix { $0 != end } } ?? rest)
    }
  }

  private var path: String {
    let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent(name).path
  }

  /// Runs a script to its end; what takes longer than two minutes hangs, and is ended.
  func run(_ script: String) async throws -> Outcome {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let file = try directory.write(Data(script.utf8), to: "script")
    let (out, err) = (directory.file("out"), directory.file("err"))
    let flags = O_WRONLY | O_CREAT | O_EXCL
    let output = try OwnedDescriptor.open(out.path, flags, 0o600)
    let errors = try OwnedDescriptor.open(err.path, flags, 0o600)
    let input = try OwnedDescriptor.open("/dev/null", O_RDONLY)
    let ending = try await ChildProcess(
      "/usr/bin/timeout", ["120", "env"] + environment + [path] + arguments + ["--script", file.path], input: input.raw,
      output: output.raw, errors: errors.raw
    ).waitForEnd()
    let text = String(decoding: try Data(contentsOf: out), as: UTF8.self)
    return Outcome(
      exitCode: ending.exitCode, lines: text.split(separator: "\n").map(String.init),
      errors: String(decoding: try Data(contentsOf: err), as: UTF8.self))
  }
}
