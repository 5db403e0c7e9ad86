// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkKit
import DropSystem
internal import DropTransport
internal import Foundation
internal import TestSupport
internal import Testing

/// The measurements of the program, tested by their results.
@Suite("Measurements", .serialized, .limited, .timeLimit(.minutes(5)))
struct MeasuringTests {
  private static let program: String = {
    let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent("ThroughputBenchmarks").path
  }()

  /// Measures each case once with the smallest workload.
  ///
  /// Programs at `path` have priority over installed programs.
  private func results(_ directory: URL, _ filters: String..., path: String? = nil) async throws -> RunResult {
    let file = directory.appendingPathComponent("results.json")
    let arguments = ["--quick", "--items", "20", "--megabytes", "8", "--repetitions", "1", "--json", file.path]
    let nowhere = try OwnedDescriptor.open("/dev/null", O_WRONLY)
    let usual = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let ending = try await ChildProcess(
      "/usr/bin/timeout", ["600", Self.program] + arguments + filters.flatMap { ["--filter", $0] }, output: nowhere.raw,
      errors: nowhere.raw,
      environment: ["TMPDIR": directory.path, "PATH": ([path].compactMap(\.self) + [usual]).joined(separator: ":")]
    ).waitForEnd()
    let run = try RunResult(jsonData: Data(contentsOf: file))
    #expect(ending.exitCode == (run.cases.allSatisfy { failures(of: $0).isEmpty } ? 0 : 1))
    return run
  }

  private func failures(of result: CaseResult) -> [String] {
    ([result.failure] + result.contenders.map(\.failure)).compactMap(\.self)
  }

  @Test("memory mapped from the kernel is counted, and a peak is at least the memory in use")
  func countsMemoryFromTheKernel() async throws {
    try await withTemporaryDirectory { directory in
      let cases = try await results(directory, "bytes in one Data").cases
      #expect(cases.count == 2)
      for result in cases {
        for contender in result.contenders where contender.contender.kind != .limit {
          #expect(
            try #require(contender.allocatedBytes) >= result.amount, "\(result.name), \(contender.contender.name)")
          let peak = try #require(contender.peakKibibytes)
          #expect(Double(peak << 10) >= result.amount, "\(result.name), \(contender.contender.name)")
        }
        let times = try #require(result.figures.first { $0.name.hasPrefix("peak memory") })
        #expect(times.value >= 1 && times.value < 3)
      }
    }
  }

  @Test("processes are measured in any directory for their files")
  func measuresProcessesInAnyDirectory() async throws {
    try await withTemporaryDirectory { directory in
      // The path is longer than a socket address can be.
      let deep = directory.appendingPathComponent(String(repeating: "deep", count: 40))
      try FileManager.default.createDirectory(at: deep, withIntermediateDirectories: false)
      let cases = try await results(deep, "tool/one file").cases
      #expect(cases.count == 3)
      for result in cases {
        #expect(result.failure == nil)
        #expect(result.contenders.count >= 2)
      }
    }
  }

  @Test(
    "a program that does no work is detected without a wait",
    arguments: [
      ("socat", "exit 3", "through a Unix socket", "ended with status 1"),
      ("dd", "exec tr a b", "tool/one file", "dd | dd, 64 KiB left other bytes from"),
      ("cp", "exit 0", "a folder of", "cp left 0 files instead of"),
    ])
  func programWithoutWorkIsDetected(program: String, script: String, filter: String, reason: String) async throws {
    try await withTemporaryDirectory { directory in
      let programs = directory.appendingPathComponent("programs")
      try FileManager.default.createDirectory(at: programs, withIntermediateDirectories: false)
      do {
        // The descriptor must not be inherited: the kernel does not execute a file that a process has open for writing.
        let file = try OwnedDescriptor.open(
          programs.appendingPathComponent(program).path, O_WRONLY | O_CREAT | O_EXCL, 0o700)
        try Array("#!/bin/sh\n\(script)\n".utf8).withUnsafeBytes { try SystemCalls.writeAll(file.raw, $0) }
      }
      let failures = try await results(directory, "tool/", filter, path: programs.path).cases
        .flatMap(failures)
      #expect(failures.contains { $0.contains(reason) }, "\(failures)")
    }
  }

  @Test("an interrupted run leaves neither processes nor files", arguments: ["bytes in one Data", "tool/heroes"])
  func interruptedRunLeavesNothing(filter: String) async throws {
    try await withTemporaryDirectory { directory in
      let nowhere = try OwnedDescriptor.open("/dev/null", O_WRONLY)
      let program = try ChildProcess(
        Self.program, ["--repetitions", "10000", "--filter", filter], output: nowhere.raw, errors: nowhere.raw,
        environment: ["TMPDIR": directory.path])
      #expect(try await eventually { !Self.children(of: program.processIdentifier).isEmpty })
      let children = Self.children(of: program.processIdentifier)
      program.terminate()
      #expect(await program.end(within: .seconds(60)).exitCode == 128 + SIGTERM)
      for child in children { #expect(try await eventually { kill(child, 0) == -1 && errno == ESRCH }) }
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
    }
  }

  private static func children(of process: Int32) -> [Int32] {
    // Lists the children of all threads, since each thread may have started some.
    let tasks = "/proc/\(process)/task"
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
    return threads.flatMap { thread in
      let text = (try? String(contentsOfFile: "\(tasks)/\(thread)/children", encoding: .utf8)) ?? ""
      return text.split(separator: " ").compactMap { Int32($0) }
    }
  }
}
