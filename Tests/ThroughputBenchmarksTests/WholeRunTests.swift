// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkKit
import DropSystem
internal import DropTransport
internal import Foundation
internal import TestSupport
internal import Testing

/// Runs of every case with the smallest workload.
///
/// They run one after another, since each uses the complete machine.
@Suite("Whole runs of the benchmarks", .limited, .serialized, .timeLimit(.minutes(5)))
struct WholeRunTests {
  private static let tiny = ["--quick", "--items", "20", "--megabytes", "1", "--repetitions", "1"]

  @Test("every case of every suite can be measured", .enabled(if: isFullRun))
  func everyCaseCanBeMeasured() async throws {
    try await withShortDirectory { directory in
      let results = directory.path + "/run.json"
      let run = try await BenchmarkProcess.run(in: directory, Self.tiny + ["--json", results])
      #expect(run.exitCode == 0, "\(run.errors)")
      let read = try RunResult(jsonData: Data(contentsOf: URL(fileURLWithPath: results)))
      #expect(Set(read.cases.map(\.suite)) == Set(BenchmarkSuite.allCases))
      for result in read.cases {
        #expect(result.failure == nil, "\(result.identifier)")
        for item in result.contenders {
          #expect(item.failure == nil && item.seconds.count == 1, "\(result.identifier), \(item.contender.name)")
        }
      }
      #expect(read.circumstances.workload == Circumstances.Workload(items: 20, megabytes: 1, repetitions: 1))
      #expect(!read.remarks.contains { $0.contains("was stopped") })
    }
  }

  @Test("every curve can be measured, each point by all of its contenders", .enabled(if: isFullRun))
  func everyCurveCanBeMeasured() async throws {
    try await withShortDirectory { directory in
      let results = directory.path + "/run.json"
      let run = try await BenchmarkProcess.run(
        in: directory, ["--quick", "--scaling", "--filter", "by size", "--json", results])
      #expect(run.exitCode == 0, "\(run.errors)")
      let curves = try RunResult(jsonData: Data(contentsOf: URL(fileURLWithPath: results))).curves
      #expect(Set(curves.map(\.suite)) == Set(BenchmarkSuite.allCases).subtracting([.tool]))
      for curve in curves {
        #expect(curve.failure == nil && curve.lines.count > 1, "\(curve.name)")
        let (factor, most) = curve.unit == .items ? (10.0, 100_000.0) : (16, 16_777_216)
        let amounts = Array(sequence(first: 1.0) { $0 < most ? $0 * factor : nil })
        for line in curve.lines {
          #expect(line.points.map(\.amount) == amounts, "\(curve.name), \(line.contender.name)")
          for point in line.points { #expect(point.rate > 0 && (3...9).contains(point.repetitions?.count ?? 0)) }
        }
        #expect(run.output.contains("\(curve.suite.rawValue): \(curve.name), by size"))
      }
    }
  }

  @Test("missing programs are left out, which is reported")
  func missingProgramsAreReported() async throws {
    try await withShortDirectory { directory in
      let programs = directory.appendingPathComponent("programs").path
      try FileManager.default.createDirectory(atPath: programs, withIntermediateDirectories: false)
      for name in ["sh", "cat", "cp", "dd", "rm", "mkdir", "sleep"] {
        let path = try #require(installedProgram(name))
        try FileManager.default.createSymbolicLink(atPath: "\(programs)/\(name)", withDestinationPath: path)
      }
      let results = directory.path + "/run.json"
      let run = try await BenchmarkProcess.run(
        in: directory, Self.tiny + ["--suite", "tool", "--json", results], environment: ["PATH": programs])
      #expect(run.exitCode == 0, "\(run.errors)")
      let read = try RunResult(jsonData: Data(contentsOf: URL(fileURLWithPath: results)))
      for name in ["tar", "pv", "socat", "python3"] {
        #expect(read.remarks.contains("\(name) is not installed: left out"))
        for item in read.cases.flatMap(\.contenders) { #expect(!item.contender.name.hasPrefix(name)) }
      }
      #expect(!read.cases.isEmpty && read.cases.allSatisfy { $0.failure == nil })
    }
  }

  @Test("a signal leaves no processes and no files except the results so far", arguments: [SIGTERM, SIGINT])
  func signalLeavesOnlyResults(signal: CInt) async throws {
    try await withShortDirectory { directory in
      let results = directory.path + "/run.json"
      let arguments = Self.tiny.dropLast() + ["500", "--suite", "tool", "--json", results]
      let program = try BenchmarkProcess.start(in: directory, BenchmarkProcess.path, Array(arguments))
      defer { program.send(signal: SIGKILL) }
      // Waits until the first pass has ended and the second has begun.
      let isInSecondPass = try await eventually {
        guard FileManager.default.fileExists(atPath: results) else { return false }
        return try BenchmarkProcess.text(directory, "err").contains("[2/500 ")
      }
      #expect(isInSecondPass)
      program.send(signal: signal)
      #expect(await program.waitForEnd().exitCode == 128 + signal)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() == ["err", "out", "run.json"])
      // A process may end a little later than the program that ended it.
      #expect(try await eventually { Self.processes(mentioning: directory.path).isEmpty })
      let read = try RunResult(jsonData: Data(contentsOf: URL(fileURLWithPath: results)))
      #expect(!read.cases.isEmpty && read.cases.allSatisfy { $0.failure == nil && !$0.contenders.isEmpty })
      #expect(read.remarks.contains { $0.hasPrefix("this run was stopped after ") })
    }
  }

  /// Passes `body` a directory with a short path, since a socket's path has at most 107 bytes.
  private func withShortDirectory(_ body: (URL) async throws -> Void) async throws {
    let directory = URL(fileURLWithPath: "/tmp/db\(UInt32.random(in: 0...UInt32.max))")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: directory) }
    try await body(directory)
  }

  /// Returns the processes that have the directory in their environment.
  ///
  /// All child processes of a run have it.
  private static func processes(mentioning text: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.filter { name in
      guard name.allSatisfy(\.isNumber), let data = FileManager.default.contents(atPath: "/proc/\(name)/environ") else {
        return false
      }
      return String(decoding: data, as: UTF8.self).contains(text)
    }
  }
}
