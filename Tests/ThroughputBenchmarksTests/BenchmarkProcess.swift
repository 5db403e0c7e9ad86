// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
internal import DropTransport
internal import Foundation

/// The program of the benchmarks that was built with these tests.
enum BenchmarkProcess {
  struct Outcome {
    let exitCode: Int32?
    let output: String
    let errors: String
  }

  static let path: String = {
    let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent("ThroughputBenchmarks").path
  }()

  /// Runs the program to its end, at most half an hour, with a directory for its files.
  static func run(
    in directory: URL, _ arguments: [String], environment: [String: String] = [:]
  ) async throws -> Outcome {
    let child = try start(
      in: directory, "/usr/bin/timeout", ["1800", path] + arguments, environment: environment)
    let ending = await child.waitForEnd()
    return Outcome(
      exitCode: ending.exitCode, output: try text(directory, "out"), errors: try text(directory, "err"))
  }

  /// Starts a program.
  ///
  /// Its output goes to files in the directory.
  static func start(
    in directory: URL, _ program: String, _ arguments: [String], environment: [String: String] = [:]
  ) throws -> ChildProcess {
    let flags = O_WRONLY | O_CREAT | O_TRUNC
    let output = try OwnedDescriptor.open(directory.appendingPathComponent("out").path, flags, 0o600)
    let errors = try OwnedDescriptor.open(directory.appendingPathComponent("err").path, flags, 0o600)
    return try ChildProcess(
      program, arguments, output: output.raw, errors: errors.raw,
      environment: environment.merging(["TMPDIR": directory.path]) { $1 })
  }

  static func text(_ directory: URL, _ name: String) throws -> String {
    String(decoding: try Data(contentsOf: directory.appendingPathComponent(name)), as: UTF8.self)
  }
}
