// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit
import DropSystem
import DropTransport
import FoundationEssentials

/// Counts instructions with valgrind, if it is installed.
enum Valgrind {
  private static let options = ["--tool=callgrind", "--callgrind-out-file=/dev/null"]

  /// Returns a copy of this program without debug information, which older versions of valgrind cannot read.
  ///
  /// - Parameter workspace: The directory of the copy.
  /// - Returns: The path of the copy, or `nil` if valgrind or `strip` is missing or fails. A message states the reason.
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

  /// Returns the number of instructions that a program executes.
  ///
  /// - Throws: Errors of the program and of valgrind.
  static func instructions(of program: String, _ arguments: [String]) async throws -> Double {
    let pipe = try SystemCalls.pipe()
    let errors = OwnedDescriptor(pipe.write)
    let reader = OwnedDescriptor(pipe.read)
    // The pipe can hold all messages of valgrind, so it is read after the program has ended.
    _ = try await OwnProcess.output(of: "valgrind", options + [program] + arguments, errors: errors.raw)
    try errors.close()
    let said = String(decoding: try PlainPipe.readToEnd(of: reader.raw), as: UTF8.self)
    guard let line = said.split(separator: "\n").last(where: { $0.contains("Collected :") }),
      let count = line.split(separator: " ").compactMap({ Double($0) }).last
    else { throw MeasurementFailure("valgrind did not say what it counted") }
    return count
  }
}
