// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit
import FoundationEssentials
import Glibc

/// The command `check`, which compares counts with the recorded thresholds.
struct ThresholdProgram: Sendable {
  private static let recounts = 3

  let options: CheckOptions

  func run() async throws {
    guard !options.records || Self.configuration == nil || options.allowsDebug else {
      throw UsageError("a debug build counts what no user has: --record wants swift run -c release")
    }
    // Reads the thresholds first, so that an unusable file is reported before anything is counted.
    let recorded = try recorded()
    let output = options.records ? try OutputFile(options.path) : nil
    if !options.records {
      guard let recorded else {
        throw BenchmarkProgram.Failure(description: "\(options.path) is not there; --record makes it")
      }
      guard recorded.configuration == Self.configuration else {
        throw BenchmarkProgram.Failure(
          description: "\(options.path) was recorded with a \(recorded.configuration ?? "release") build: not compared")
      }
    }
    let workspace = try Workspace()
    defer { workspace.remove() }
    let program = options.countsInstructions ? await Valgrind.program(in: workspace) : nil
    var counted = ThresholdFile(
      compiler: Machine.compiler, processor: Machine.architecture, configuration: Self.configuration)
    let isWhole = options.filters.isEmpty
    for probe in Probe.all where options.includes(probe.name) {
      let run = ProbeRun(probe: probe, isSlowed: options.isSlowed, program: program)
      let count = try await run.count()
      counted.probes[probe.name] = count
      BenchmarkProgram.say(Self.line(probe.name, count))
    }
    guard !counted.probes.isEmpty else { throw UsageError("no probe has such a name") }
    if let output {
      try output.write(counted.recorded(over: recorded, isWhole: isWhole).jsonData)
    } else if let recorded {
      try check(try await recounted(counted, recorded, program), recorded, isWhole: isWhole)
    }
  }

  /// Counts apparent breaches again.
  ///
  /// Threads that wait for each other sometimes allocate more, but a real breach repeats.
  private func recounted(
    _ counted: ThresholdFile, _ recorded: ThresholdFile, _ program: String?
  ) async throws -> ThresholdFile {
    var counted = counted
    for _ in 0..<Self.recounts {
      let check = ThresholdCheck(counted, against: recorded, isWhole: false)
      for probe in Probe.all where check.breaches.contains(where: { $0.probe == probe.name }) {
        let run = ProbeRun(probe: probe, isSlowed: options.isSlowed, program: program)
        let count = try await run.count()
        counted.probes[probe.name] = counted.probes[probe.name]?.least(count)
      }
    }
    return counted
  }

  private func check(_ counted: ThresholdFile, _ recorded: ThresholdFile, isWhole: Bool) throws {
    let check = ThresholdCheck(counted, against: recorded, isWhole: isWhole)
    for remark in check.remarks { BenchmarkProgram.say("remark: \(remark)") }
    try BenchmarkProgram.print(check.breaches.map { "breach: \($0)\n" }.joined())
    guard check.breaches.isEmpty else {
      throw BenchmarkProgram.Failure(description: "\(check.breaches.count) thresholds are exceeded")
    }
    try BenchmarkProgram.print("\(counted.probes.count) probes are within their thresholds\n")
  }

  /// Returns the recorded thresholds; `nil` if the file does not exist.
  ///
  /// An unreadable file is an error.
  private func recorded() throws -> ThresholdFile? {
    guard access(options.path, F_OK) == 0 else { return nil }
    let data = try OutputFile.read(options.path)
    do {
      return try ThresholdFile(jsonData: data)
    } catch {
      throw BenchmarkProgram.Failure(description: "\(options.path) has no thresholds that --record has written")
    }
  }

  /// The configuration as thresholds record it: `nil` for a release build.
  private static var configuration: String? { Machine.configuration == "release" ? nil : Machine.configuration }

  private static func line(_ name: String, _ count: ProbeCount) -> String {
    var parts = [
      "\(Figures.number(count.allocations)) allocations", "\(Figures.bytes(count.allocatedBytes)) allocated",
      "\(Figures.number(count.systemCalls)) calls", "\(Figures.bytes(count.copiedBytes)) copied",
    ]
    if let instructions = count.instructions { parts.append("\(Figures.count(instructions)) instructions") }
    return "\(name), each: \(parts.joined(separator: ", "))"
  }
}
