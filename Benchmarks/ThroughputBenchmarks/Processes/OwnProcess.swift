// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit
import DropSystem
import DropTransport
import FoundationEssentials

/// This program as another process, in one of its roles.
enum OwnProcess {
  static let path = "/proc/self/exe"

  /// Runs a role to its end.
  ///
  /// - Returns: What it prints.
  static func output(
    _ role: String, _ arguments: [String], environment: [String: String] = [:]
  ) async throws -> Data {
    try await output(of: path, ["--role", role] + arguments, environment: environment)
  }

  /// Runs a program to its end.
  ///
  /// - Returns: What it prints.
  static func output(
    of program: String, _ arguments: [String], errors: CInt? = nil, environment: [String: String] = [:]
  ) async throws -> Data {
    let pipe = try OwnedPipe()
    let process = try MeasuredProcess(
      program, arguments, output: pipe.write.raw, errors: errors, environment: environment)
    try pipe.write.close()
    let data = try PlainPipe.readToEnd(of: pipe.read.raw)
    let ending = await process.waitForEnd()
    guard ending.exitCode == 0 else {
      throw MeasurementFailure("\(arguments.prefix(3).joined(separator: " ")) ended with \(ending)")
    }
    return data
  }
}
