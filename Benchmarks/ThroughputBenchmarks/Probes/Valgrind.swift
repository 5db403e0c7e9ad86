// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit
import DropSystem
import DropTransport
import FoundationEssentials

/// Counts instructions where valgrind is installed.
enum Valgrind {
  private static let options = ["--tool=callgrind", "--callgrind-out-file=/dev/null"]

  /// This program without what a debugger wants, which older versions of valgrind stumble over.
  ///
  /// - Parameter workspace: Where the copy is made.
  /// - Returns: Nil, and that is said, where valgrind or what makes the copy is not there or does not work.
  static func program(in workspace: Workspace) async -> String? {
    guard InstalledPrograms.has("valgrind"), InstalledPrograms.has("strip") else {
      BenchmarkProgram.say("valgrind or strip is not installed: instructions are not counted")
      return nil
    }
    let copy = workspace.path + "/probes"
    do {
      let own = try FileManager.default.destinationOfSymbolicLink(atPath: OwnProcess.path)
      _ = try await OwnProcess.output(of: "strip", ["--strip-debug", "-o", copy, own])
      _ = try await instructions(of: copy, ["--help"])
      return copy
    } catch {
      BenchmarkProgram.say("valgrind does not run here, instructions are not counted: \(error)")
      return nil
    }
  }

  /// How many instructions a program takes from its start to its end.
  ///
  /// - Throws: When it fails, or valgrind does.
  static func instructions(of program: String, _ arguments: [String]) async throws -> Double {
    let pipe = try SystemCalls.pipe()
    let errors = OwnedDescriptor(pipe.write)
    let reader = OwnedDescriptor(pipe.read)
    // What is said there is short enough for a pipe that is read afterwards.
    _ = try await OwnProcess.output(of: "valgrind", options + [program] + arguments, errors: errors.raw)
    try errors.close()
    let said = String(decoding: try PlainPipe.readToEnd(of: reader.raw), as: UTF8.self)
    guard let line = said.split(separator: "\n").last(where: { $0.contains("Collected :") }),
      let count = line.split(separator: " ").compactMap({ Double($0) }).last
    else { throw MeasurementFailure("valgrind did not say what it counted") }
    return count
  }
}
