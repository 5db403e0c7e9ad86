// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkKit
internal import Foundation
internal import TestSupport
internal import Testing

/// The program of the benchmarks, run as a process.
@Suite("The benchmarks as a program", .serialized, .limited, .timeLimit(.minutes(5)))
struct ProgramTests {
  private func run(_ directory: URL, _ arguments: String...) async throws -> BenchmarkProcess.Outcome {
    try await BenchmarkProcess.run(in: directory, arguments)
  }

  private func run(_ directory: URL, _ arguments: [String]) async throws -> BenchmarkProcess.Outcome {
    try await BenchmarkProcess.run(in: directory, arguments)
  }

  @Test("an invalid command line differs from a failure")
  func usageErrorDiffersFromFailure() async throws {
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

  @Test("a run reports its progress, and its results become a page and tables")
  func runWritesResultsForReports() async throws {
    try await withTemporaryDirectory { directory in
      let results = directory.appendingPathComponent("results.json").path
      let run = try await run(
        directory, "--quick", "--items", "20", "--megabytes", "1", "--repetitions", "1", "--json", results, "--filter",
        "cards")
      #expect(run.exitCode == 0)
      let list = try await self.run(directory, "--list", "--filter", "cards")
      let names = list.output.split(separator: "\n").filter { !$0.hasSuffix("(with --scaling)") }.compactMap {
        $0.split(separator: ": ").first
      }
      #expect(names.count >= 6)
      for name in names {
        #expect(run.errors.contains("\(name): "))
        #expect(run.output.contains("\(name.drop { $0 != "/" }.dropFirst()) ("))
      }
      #expect(run.output.contains("Foundation JSON") && run.output.contains("a debug build was measured"))
      let read = try RunResult(jsonData: Data(contentsOf: URL(fileURLWithPath: results)))
      #expect(read.cases.count == names.count)
      #expect(read.cases.allSatisfy { $0.failure == nil && $0.contenders.count >= 2 })
      #expect(read.cases.filter { !$0.name.contains("JSON") }.allSatisfy { $0.contenders.count >= 3 })
      let page = try await self.run(directory, "report", results, "-o", "-")
      #expect(page.exitCode == 0 && page.output.hasPrefix("<!DOCTYPE html>"))
      // A single repetition has no interval.
      let comparison = try await self.run(directory, "compare", results, results)
      #expect(comparison.exitCode == 2 && comparison.output.contains("nothing to compare: no ratio has an interval"))
      let left = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
      #expect(left == ["err", "out", "results.json"])
    }
  }

  @Test("cases that cannot be measured are reported first")
  func nothingToMeasure() async throws {
    try await withTemporaryDirectory { directory in
      for arguments in [["--scaling", "--filter", "nosuch"], ["--list", "--filter", "nosuch"]] {
        let outcome = try await run(directory, arguments)
        #expect(outcome.exitCode == 64 && outcome.errors.contains("no case has such a name"))
      }
      let unwritable = try await run(directory, "--quick", "--json", "/nonexistent/run.json")
      #expect(unwritable.exitCode == 1 && unwritable.errors.contains("/nonexistent/run.json cannot be written"))
      #expect(!unwritable.errors.contains("coding/"))
      let huge = try await run(directory, "--role", "local", "coding/doubles, encode", "999999999999999999", "1", "1")
      #expect(huge.exitCode == 64 && huge.errors.contains("no role"))
      let list = try await run(directory, "--list", "--filter", "by size")
      #expect(list.output.contains("stream/bytes from memory through a pipe, by size (with --scaling)"))
      let missing = try await run(directory, "--list", "--tool", "/nonexistent/dragpipe")
      #expect(missing.exitCode == 64 && missing.errors.contains("/nonexistent/dragpipe cannot be run: No such file"))
      let given = try await run(directory, "--list", "--suite", "tool", "--tool", "/bin/true")
      #expect(given.output.contains("tool/start-up of the tool built here: dragpipe --version · cat </dev/null"))
      let debug = try await run(directory, "check", "--record", "--thresholds", directory.path + "/thresholds.json")
      #expect(debug.exitCode == 64 && debug.errors.contains("a debug build"))
    }
  }

  @Test("a full disk is an error")
  func fullDiskIsAnError() async throws {
    try await withTemporaryDirectory { directory in
      let results = directory.appendingPathComponent("run.json").path
      try SampleRun.run.jsonData.write(to: URL(fileURLWithPath: results))
      let outcome = try await run(directory, "report", results, "-o", "/dev/full")
      #expect(outcome.exitCode == 1 && outcome.errors.contains("/dev/full cannot be written"))
    }
  }

  @Test("only the table in a README is replaced")
  func replacesOnlyTheTableInAReadme() async throws {
    try await withTemporaryDirectory { directory in
      let (results, readme) = (directory.path + "/run.json", directory.path + "/README.md")
      try SampleRun.run.jsonData.write(to: URL(fileURLWithPath: results))
      let (before, after) = ("# Fast\n\n\(ReadmeTable.begin)\n", "\(ReadmeTable.end)\n\nEnd\n")
      try (before + "old\n" + after).write(toFile: readme, atomically: true, encoding: .utf8)
      #expect(try await run(directory, "report", results, "--readme", readme).exitCode == 0)
      let text = try String(contentsOfFile: readme, encoding: .utf8)
      #expect(text.hasPrefix(before) && text.hasSuffix(after) && text.contains("Foundation JSON **9.00**"))
      try "# Slow\n".write(toFile: readme, atomically: true, encoding: .utf8)
      let refused = try await run(directory, "report", results, "--readme", readme)
      #expect(refused.exitCode == 1 && refused.errors.contains(ReadmeTable.begin))
      #expect(try String(contentsOfFile: readme, encoding: .utf8) == "# Slow\n")
    }
  }

  @Test(
    "a file without results is refused",
    arguments: ["", "{}", "[1]", "{\"format\":1}", String(repeating: "[", count: 100_000), "\u{0}"])
  func fileWithoutResultsIsRefused(text: String) async throws {
    try await withTemporaryDirectory { directory in
      let results = directory.appendingPathComponent("run.json")
      try Data(text.utf8).write(to: results)
      let outcome = try await run(directory, "report", results.path, "-o", "-")
      #expect(outcome.exitCode == 1 && outcome.output.isEmpty)
      #expect(outcome.errors.contains("has no results that --json has written"))
    }
  }

  @Test("endless results are not read to the end")
  func endlessResultsAreNotRead() async throws {
    try await withTemporaryDirectory { directory in
      let outcome = try await run(directory, "report", "/dev/zero", "-o", "-")
      #expect(outcome.exitCode == 1 && outcome.errors.contains("it is longer than 64.0 MiB"))
    }
  }

  @Test(
    "an additional allocation for each item is detected by every probe of values and promises", .enabled(if: isFullRun))
  func additionalAllocationIsDetected() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.appendingPathComponent("thresholds.json").path
      for filter in ["coding/", "providers/"] {
        let common = ["--no-instructions", "--thresholds", path, "--filter", filter]
        #expect(try await run(directory, ["check", "--record", "--allow-debug"] + common).exitCode == 0)
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
