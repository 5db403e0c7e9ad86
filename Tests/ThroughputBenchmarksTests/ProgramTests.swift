// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkKit
internal import DropSystem
internal import Foundation
internal import TestSupport
internal import Testing

/// The program of the benchmarks that was built with these tests, and directories for its files.
private struct Program {
  /// The arguments for the smallest workload.
  static let tiny = ["--quick", "--items", "20", "--megabytes", "1", "--repetitions", "1"]

  static let path = builtProduct("ThroughputBenchmarks")

  private let base = try? TemporaryDirectory()
  /// The directory for the files of a run.
  let directory: URL
  /// The directory with all programs that a run finds.
  private let programs: URL

  /// Creates the directories, and links to programs that each system has.
  init() throws {
    let base = try #require(base)
    // The path of the directory is longer than the address of a socket can be.
    directory = base.url.appendingPathComponent(String(repeating: "deep", count: 40))
    programs = base.url.appendingPathComponent("programs")
    for url in [directory, programs] {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    }
    for name in ["sh", "cat", "cp", "dd", "rm", "mkdir", "sleep", "tar", "tr"] {
      let path = try #require(installedProgram(name))
      try FileManager.default.createSymbolicLink(
        at: programs.appendingPathComponent(name), withDestinationURL: URL(fileURLWithPath: path))
    }
  }

  var environment: [String: String] { ["TMPDIR": directory.path, "PATH": programs.path] }

  func file(_ name: String) -> URL { directory.appendingPathComponent(name) }

  /// The results of the last run with `--json run.json`.
  var results: RunResult { get throws { try RunResult(jsonData: Data(contentsOf: file("run.json"))) } }

  var fileNames: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() }
  }

  /// Replaces one of the programs by a script.
  func replace(_ name: String, by script: String) throws {
    try? FileManager.default.removeItem(at: programs.appendingPathComponent(name))
    // The descriptor must not be inherited: the kernel does not execute a file that a process has open for writing.
    let file = try OwnedDescriptor.open(
      programs.appendingPathComponent(name).path, O_WRONLY | O_CREAT | O_EXCL, 0o700)
    try Array("#!/bin/sh\n\(script)\n".utf8).withUnsafeBytes { try SystemCalls.writeAll(file.raw, $0) }
  }

  func run(_ arguments: [String], within limit: Duration = waitingLimit) async throws -> ProgramRun {
    try await ProgramRun(Self.path, arguments, environment: environment, within: limit)
  }

  /// Runs the cases whose names contain a text, and checks the exit code.
  @discardableResult
  func measure(
    _ filter: String, megabytes: Int = 1, status: CInt = 0, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> ProgramRun {
    let run = try await run(
      Self.tiny + ["--megabytes", "\(megabytes)", "--json", file("run.json").path, "--filter", filter],
      within: waitingLimit * 2)
    #expect(run.exitCode == status, "\(run.errors)", sourceLocation: sourceLocation)
    return run
  }
}

/// The program of the benchmarks, run as a process.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct ProgramTests {
  private let program: Program

  init() throws {
    program = try Program()
  }

  // MARK: Commands

  @Test func eachErrorHasItsStatusAndMessage() async throws {
    let results = program.file("run.json").path
    try SampleRun.run.jsonData.write(to: URL(fileURLWithPath: results))
    try Data("{}".utf8).write(to: program.file("none.json"))
    let rows: [(arguments: [String], status: CInt, message: String)] = [
      (["--bogus"], 64, "unknown option --bogus"),
      (["--filter", "nosuch"], 64, "no case has such a name"),
      (["--scaling", "--filter", "nosuch"], 64, "no case has such a name"),
      (["--list", "--filter", "nosuch"], 64, "no case has such a name"),
      (["--list", "--tool", "/nonexistent/dragpipe"], 64, "/nonexistent/dragpipe cannot be run: No such file"),
      (["--role", "local", "coding/doubles, encode", "999999999999999999", "1", "1"], 64, "no role"),
      (["check", "--record", "--thresholds", results], 64, "a debug build"),
      (["--quick", "--json", "/nonexistent/run.json"], 1, "/nonexistent/run.json cannot be written"),
      (["report", "/nonexistent", "-o", "-"], 1, "/nonexistent cannot be read"),
      (["report", results, "-o", "/dev/full"], 1, "/dev/full cannot be written"),
      (["report", "/dev/zero", "-o", "-"], 1, "it is longer than 64.0 MiB"),
      (["report", program.file("none.json").path, "-o", "-"], 1, "has no results that --json has written"),
    ]
    for row in rows {
      let run = try await program.run(row.arguments)
      #expect(run.exitCode == row.status && run.output.isEmpty && run.errors.contains(row.message), "\(run)")
      // The lines of the progress show whether a case was measured.
      #expect(run.errors.contains("--help") == (row.status == 64) && !run.errors.contains("] coding/"), "\(run)")
    }
  }

  @Test func helpAndListsArePrinted() async throws {
    for (arguments, text) in [
      (["--help"], "Usage: ThroughputBenchmarks"),
      (["--list", "--filter", "by size"], "stream/bytes from memory through a pipe, by size (with --scaling)"),
      (
        ["--list", "--suite", "tool", "--tool", "/bin/true"],
        "tool/start-up of the tool built here: dragpipe --version · cat </dev/null"
      ),
    ] {
      let run = try await program.run(arguments)
      // Lists report missing programs.
      let hasExpectedErrors = run.errors.isEmpty || arguments != ["--help"]
      #expect(run.exitCode == 0 && run.output.contains(text) && hasExpectedErrors, "\(run)")
    }
  }

  @Test func onlyTheTableInAREADMEIsReplaced() async throws {
    let (results, readme) = (program.file("run.json"), program.file("README.md"))
    try SampleRun.run.jsonData.write(to: results)
    let (before, after) = ("# Fast\n\n\(ReadmeTable.begin)\n", "\(ReadmeTable.end)\n\nEnd\n")
    try (before + "old\n" + after).write(to: readme, atomically: true, encoding: .utf8)
    #expect(try await program.run(["report", results.path, "--readme", readme.path]).exitCode == 0)
    let text = try String(contentsOf: readme, encoding: .utf8)
    #expect(text.hasPrefix(before) && text.hasSuffix(after) && text.contains("Foundation JSON **9.00**"))
    try "# Slow\n".write(to: readme, atomically: true, encoding: .utf8)
    let refused = try await program.run(["report", results.path, "--readme", readme.path])
    #expect(refused.exitCode == 1 && refused.errors.contains(ReadmeTable.begin))
    #expect(try String(contentsOf: readme, encoding: .utf8) == "# Slow\n")
  }

  // MARK: Measurements

  @Test func runWritesResultsForReports() async throws {
    let run = try await program.measure("cards as")
    let names = try await program.run(["--list", "--filter", "cards as"]).outputLines
      .filter { !$0.hasSuffix("(with --scaling)") }.compactMap { $0.split(separator: ": ").first }
    for name in names {
      let row = "\(name.drop { $0 != "/" }.dropFirst()) ("
      #expect(run.errors.contains("\(name): ") && run.output.contains(row), "\(name)")
    }
    #expect(run.output.contains("Foundation JSON") && run.output.contains("a debug build was measured"))
    let cases = try program.results.cases
    #expect(cases.count == names.count && names.count >= 2)
    #expect(cases.allSatisfy { $0.failure == nil && $0.contenders.count >= 3 })
    let page = try await program.run(["report", program.file("run.json").path, "-o", "-"])
    #expect(page.exitCode == 0 && page.output.hasPrefix("<!DOCTYPE html>"))
    // A single repetition has no interval.
    let comparison = try await program.run(["compare", program.file("run.json").path, program.file("run.json").path])
    #expect(comparison.exitCode == 2 && comparison.output.contains("nothing to compare: no ratio has an interval"))
    #expect(try program.fileNames == ["run.json"])
  }

  @Test func memoryFromTheKernelIsCountedAndThePeakIncludesMemoryInUse() async throws {
    try await program.measure("bytes in one Data", megabytes: 4)
    let cases = try program.results.cases
    #expect(cases.count == 2)
    for result in cases {
      for contender in result.contenders where contender.contender.kind != .limit {
        let counts = [contender.allocatedBytes ?? 0, Double((contender.peakKibibytes ?? 0) << 10)]
        #expect(counts.allSatisfy { $0 >= result.amount }, "\(result.name), \(contender.contender.name): \(counts)")
      }
      let times = try #require(result.figures.first { $0.name.hasPrefix("peak memory") })
      #expect(times.value >= 1 && times.value < 3)
    }
  }

  @Test func missingProgramsAreLeftOut() async throws {
    try await program.measure("tool/one file through")
    let results = try program.results
    let result = try #require(results.cases.first)
    for name in ["pv", "socat", "python3"] {
      let isMeasured = result.contenders.contains { $0.contender.name.hasPrefix(name) }
      #expect(!isMeasured && results.remarks.contains("\(name) is not installed: left out"))
    }
    #expect(results.cases.count == 1 && result.failure == nil && result.contenders.map(\.failure) == [nil, nil])
  }

  @Test func programThatDoesNoWorkIsDetectedWithoutAWait() async throws {
    for (name, script) in [("socat", "exit 3"), ("cat", "exec tr a b"), ("cp", "exit 0")] {
      try program.replace(name, by: script)
    }
    for (filter, reasons) in [
      ("tool/one file through", ["ended with status 1", "cat | cat, a pipe left other bytes from"]),
      ("tool/a folder of", ["cp left 0 files instead of"]),
    ] {
      try await program.measure(filter, status: 1)
      let failures = try program.results.cases.flatMap { [$0.failure] + $0.contenders.map(\.failure) }
        .compactMap(\.self)
      for reason in reasons { #expect(failures.contains { $0.contains(reason) }, "\(failures)") }
    }
  }

  @Test(arguments: [("coding/doubles, encode", SIGTERM), ("tool/one file through", SIGINT)])
  func signalLeavesOnlyTheResultsSoFar(filter: String, signal: CInt) async throws {
    let sink = try OwnedDescriptor.open("/dev/null", O_WRONLY)
    let arguments = Program.tiny.dropLast() + ["10000", "--filter", filter, "--json", program.file("run.json").path]
    let child = try ChildProcess(
      Program.path, Array(arguments), output: sink.raw, errors: sink.raw, environment: program.environment)
    defer { child.send(signal: SIGKILL) }
    try await wait(for: "the end of the first pass, and a process of the second pass") {
      try program.fileNames.contains("run.json") && processes().count > 1
    }
    child.send(signal: signal)
    #expect(await child.end(within: waitingLimit).exitCode == 128 + signal)
    #expect(try program.fileNames == ["run.json"])
    // A process may end a little later than the program that ended it.
    try await wait(for: "the end of all processes") { processes().isEmpty }
    let results = try program.results
    let result = try #require(results.cases.first)
    let areMeasured = result.contenders.allSatisfy { !$0.seconds.isEmpty }
    #expect(results.cases.count == 1 && result.contenders.count >= 2 && areMeasured)
    // The pass that a signal ends may leave a failure in a case of programs that are measured one by one.
    #expect(result.failure == nil || filter.hasPrefix("tool/"))
    #expect(results.remarks.contains { $0.hasPrefix("this run was stopped after ") })
  }

  /// Returns the processes of the run: those that have its directory in their environment.
  private func processes() -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.filter { name in
      guard name.allSatisfy(\.isNumber), let data = FileManager.default.contents(atPath: "/proc/\(name)/environ") else {
        return false
      }
      return String(decoding: data, as: UTF8.self).contains(program.directory.path)
    }
  }
}

/// Long runs, which measure every case, curve and probe.
@Suite(.serialized, .limited, .timeLimit(minutes: 10), .enabled(if: isFullRun)) struct FullProgramTests {
  private let program: Program
  private let limit = Duration.seconds(540)

  init() throws {
    program = try Program()
  }

  @Test func everyCaseCanBeMeasured() async throws {
    let run = try await program.run(Program.tiny + ["--json", program.file("run.json").path], within: limit)
    #expect(run.exitCode == 0, "\(run.errors)")
    let results = try program.results
    #expect(Set(results.cases.map(\.suite)) == Set(BenchmarkSuite.allCases))
    for result in results.cases {
      let isMeasured = result.contenders.allSatisfy { $0.failure == nil && $0.seconds.count == 1 }
      #expect(result.failure == nil && isMeasured, "\(result.identifier): \(result.contenders)")
    }
    #expect(results.circumstances.workload == Circumstances.Workload(items: 20, megabytes: 1, repetitions: 1))
    #expect(!results.remarks.contains { $0.contains("was stopped") })
    let names = results.cases.flatMap(\.contenders).map(\.contender.name)
    #expect(!names.contains { name in ["pv", "socat", "python3"].contains { name.hasPrefix($0) } })
  }

  @Test func everyCurveHasAllPointsOfAllContenders() async throws {
    let run = try await program.run(
      ["--quick", "--scaling", "--filter", "by size", "--json", program.file("run.json").path], within: limit)
    #expect(run.exitCode == 0, "\(run.errors)")
    let curves = try program.results.curves
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

  @Test(arguments: ["coding/", "providers/"])
  func everyProbeDetectsAnAdditionalAllocation(filter: String) async throws {
    let path = program.file("thresholds.json")
    let common = ["--no-instructions", "--thresholds", path.path, "--filter", filter]
    #expect(try await program.run(["check", "--record", "--allow-debug"] + common, within: limit).exitCode == 0)
    let same = try await program.run(["check"] + common, within: limit)
    #expect(same.exitCode == 0, "\(same)")
    let slowed = try await program.run(["check", "--slowed"] + common, within: limit)
    #expect(slowed.exitCode == 1)
    for probe in try ThresholdFile(jsonData: Data(contentsOf: path)).probes.keys {
      #expect(slowed.output.contains("breach: \(probe): "), "\(slowed.output)")
    }
  }
}
