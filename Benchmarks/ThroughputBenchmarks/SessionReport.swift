// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropTransport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Measures sessions between two processes, and on the same socket what blocking calls do.
struct SessionReport: Sendable {
  let megabytes: Int
  let repetitions: Int

  func print() async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("dragpipe-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    let ends = try SystemCalls.socketPair()
    let plain = try SystemCalls.socketPair()
    let source = try child(.sessionSource, ends.0, plain.0, file.path)
    let sink = try child(.sessionSink, ends.1, plain.1, file.path)
    for end in [ends.0, ends.1, plain.0, plain.1] { try SystemCalls.close(end) }
    Swift.print("a session through a Unix socket between two processes, \(megabytes) MB")
    // The sink prints what it has measured.
    let endings = [await source.waitForEnd(), await sink.waitForEnd()]
    guard endings.allSatisfy({ $0.exitCode == 0 }) else {
      throw TwoProcesses.Failure(description: "the source ended with \(endings[0]), the sink with \(endings[1])")
    }
    Swift.print()
  }

  private func child(_ role: BenchmarkRole, _ socket: CInt, _ plain: CInt, _ path: String) throws -> ChildProcess {
    let options = ["--heroes", "\(repetitions)", "--megabytes", "\(megabytes)", "--path", path]
    return try ChildProcess("/proc/self/exe", ["--role", role.rawValue] + options, input: socket, errors: plain)
  }
}
