// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import DropTransport
import Foundation
import TestSupport

/// Runs command lines with the real tool in a temporary directory.
struct Shell: Sendable {
  struct Result: Sendable {
    let exitCode: Int32?
    let signal: Int32?
    let output: String
    let errors: String

    /// The lines on standard error.
    var errorLines: [Substring] { errors.split(separator: "\n") }
  }

  let directory: URL

  /// The path of the tool that was built with these tests.
  static let tool: String = {
    let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent("dragpipe").path
  }()

  static let samples: String = {
    let here = URL(fileURLWithPath: #filePath)
    let root = (0..<4).reduce(here) { url, _ in url.deletingLastPathComponent() }
    return root.appendingPathComponent("Samples/Data").path
  }()

  /// Runs a bash script in the directory of the shell.
  ///
  /// `dragpipe` is the tool, and `$SAMPLES` the sample data.
  ///
  /// `$TOOL` is the path of the tool. Use it for a background process that gets signals, since `dragpipe` is a shell
  /// function. A script that takes longer than thirty minutes is killed.
  func run(_ script: String) async throws -> Result {
    let out = directory.appendingPathComponent(".out-\(UUID().uuidString)")
    let err = directory.appendingPathComponent(".err-\(UUID().uuidString)")
    defer { for file in [out, err] { try? FileManager.default.removeItem(at: file) } }
    let preamble = """
      cd '\(directory.path)' || exit 99
      SAMPLES='\(Self.samples)'
      TOOL='\(Self.tool)'
      dragpipe() { "$TOOL" "$@"; }
      mkdir -p .temporary; export TMPDIR=$PWD/.temporary TERM=xterm LC_ALL=C.UTF-8; unset NO_COLOR COLUMNS
      """
    let flags = O_WRONLY | O_CREAT | O_EXCL
    let output = try OwnedDescriptor.open(out.path, flags, 0o600)
    let errors = try OwnedDescriptor.open(err.path, flags, 0o600)
    let input = try OwnedDescriptor.open("/dev/null", O_RDONLY)
    let command = ["1800", "bash", "-c", preamble + "\n" + script]
    let ending = try await ChildProcess(
      "/usr/bin/timeout", command, input: input.raw, output: output.raw, errors: errors.raw
    ).waitForEnd()
    return Result(
      exitCode: ending.exitCode, signal: ending.signal,
      output: String(decoding: try Data(contentsOf: out), as: UTF8.self),
      errors: String(decoding: try Data(contentsOf: err), as: UTF8.self))
  }

  /// Returns the names in a directory, including hidden names, but not the files of this helper.
  func names(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory.appendingPathComponent(folder).path)
      .filter { !$0.hasPrefix(".out-") && !$0.hasPrefix(".err-") && $0 != ".temporary" }
      .sorted()
  }

  func data(of file: String) throws -> Data {
    try Data(contentsOf: directory.appendingPathComponent(file))
  }

  func write(_ data: Data, to file: String) throws {
    try data.write(to: directory.appendingPathComponent(file))
  }
}

/// Passes a shell in a new directory to a test, and removes the directory afterwards.
func withShell(_ body: (Shell) async throws -> Void) async throws {
  try await withTemporaryDirectory { try await body(Shell(directory: $0)) }
}
