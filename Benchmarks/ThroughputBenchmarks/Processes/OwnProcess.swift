// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit
import DropTransport
import Glibc

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// This program as another process, in one of its roles.
enum OwnProcess {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  static let path = "/proc/self/exe"

  /// Runs a role to its end.
  ///
  /// - Returns: What it prints.
  static func output(_ role: String, _ arguments: [String]) async throws -> Data {
    try await output(of: path, ["--role", role] + arguments)
  }

  /// Runs a program to its end.
  ///
  /// - Returns: What it prints.
  static func output(of program: String, _ arguments: [String], errors: CInt? = nil) async throws -> Data {
    let pipe = try SystemCalls.pipe()
    let input = OwnedDescriptor(pipe.read)
    let process: ChildProcess
    do {
      let output = OwnedDescriptor(pipe.write)
      process = try ChildProcess(program, arguments, output: output.raw, errors: errors)
    }
    let data = try PlainPipe.readToEnd(of: input.raw)
    let ending = await process.waitForEnd()
    guard ending.exitCode == 0 else {
      throw Failure(description: "\(arguments.prefix(3).joined(separator: " ")) ended with \(ending)")
    }
    return data
  }
}
