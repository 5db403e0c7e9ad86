// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkKit
internal import DropTransport
internal import Foundation
internal import TestSupport
internal import Testing

/// The benchmarks' own program, as it was built with these tests.
@Suite("The benchmarks as a program")
struct ProgramTests {
  private static let program: String = {
    let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent("ThroughputBenchmarks").path
  }()

  private struct Outcome {
    let exitCode: Int32?
    let output: String
    let errors: String
  }

  private func run(_ directory: URL, _ arguments: String...) async throws -> Outcome {
    try await run(directory, arguments)
  }

  private func run(_ directory: URL, _ arguments: [String]) async throws -> Outcome {
    let (out, err) = (directory.appendingPathComponent("out"), directory.appendingPathComponent("err"))
    let flags = O_WRONLY | O_CREAT | O_TRUNC
    let output = try OwnedDescriptor.open(out.path, flags, 0o600)
    let errors = try OwnedDescriptor.open(err.path, flags, 0o600)
    let ending = try await ChildProcess(
      "/usr/bin/timeout", ["110", Self.program] + arguments, output: output.raw, errors: errors.raw,
      environment: ["TMPDIR": directory.path]
    ).waitForEnd()
    return Outcome(
      exitCode: ending.exitCode, output: String(decoding: try Data(contentsOf: out), as: UTF8.self),
      errors: String(decoding: try Data(contentsOf: err), as: UTF8.self))
  }

  @Test("a wrong command line is told from a failure")
  func usage() async throws {
    try await withTemporaryDirectory { directory in
      let wrong = try await run(directory, "--bogus")
      #expect(wrong.exitCode == 64 && wrong.output.isEmpty)
      #expect(wrong.errors.contains("unknown option --bogus") && wrong.errors.contains("--help"))
      let missing = try await run(directory, "report", "/nonexistent", "-o", "-")
      #expect(missing.exitCode == 1 && missing.errors.contains("/nonexistent cannot be read"))
      let help = try await run(directory, "--help")
      #expect(help.exitCode == 0 && help.output.contains("Usage: ThroughputBenchmarks") && help.errors.isEmpty)
      #expect(try await run(directory, "--filter", "no such case").exitCode == 64)
    }
  }

  @Test("a run says what it does, and its results make a page and tables")
  func measuring() async throws {
    try await withTemporaryDirectory { directory in
      let results = directory.appendingPathComponent("results.json").path
      let run = try await run(
        directory, "--quick", "--items", "20", "--megabytes", "1", "--repetitions", "1", "--json", results, "--filter",
        "cards")
      #expect(run.exitCode == 0)
      let list = try await self.run(directory, "--list", "--filter", "cards")
      let names = list.output.split(separator: "\n").compactMap { $0.split(separator: ": ").first }
      #expect(names.count >= 6)
      for name in names { #expect(run.errors.contains(name) && run.output.contains("Foundation JSON")) }
      let read = try RunResult(jsonData: Data(contentsOf: URL(fileURLWithPath: results)))
      #expect(read.cases.count == names.count)
      #expect(read.cases.allSatisfy { $0.failure == nil && $0.contenders.count >= 3 })
      let page = try await self.run(directory, "report", results, "-o", "-")
      #expect(page.exitCode == 0 && page.output.hasPrefix("<!DOCTYPE html>"))
      #expect(try await self.run(directory, "compare", results, results).output.contains("0 of 0 intervals overlap"))
      let left = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
      #expect(left == ["err", "out", "results.json"])
    }
  }

  @Test("an allocation more for each item is caught by every probe of values and promises")
  func thresholds() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.appendingPathComponent("thresholds.json").path
      for filter in ["coding/", "providers/"] {
        let common = ["--no-instructions", "--thresholds", path, "--filter", filter]
        #expect(try await run(directory, ["check", "--record"] + common).exitCode == 0)
        let same = try await run(directory, ["check"] + common)
        #expect(same.exitCode == 0, "\(same.output)\(same.errors)")
        let slowed = try await run(directory, ["check", "--slowed"] + common)
        #expect(slowed.exitCode == 1)
        let probes = try ThresholdFile(jsonData: Data(contentsOf: URL(fileURLWithPath: path))).probes.keys
        for probe in probes where probe.hasPrefix(filter) {
          #expect(slowed.output.contains("breach: \(probe): "), "\(slowed.output)")
        }
      }
    }
  }
}
