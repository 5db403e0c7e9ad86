// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `check`: counts what is the same on every machine, and holds it against what is recorded.
struct ThresholdProgram: Sendable {
  private static let recounts = 3

  let options: CheckOptions

  func run() async throws {
    let workspace = try Workspace()
    defer { workspace.remove() }
    let program = options.countsInstructions ? await Valgrind.program(in: workspace) : nil
    var counted = ThresholdFile(compiler: Machine.compiler, processor: Machine.architecture, probes: [:])
    for probe in Probe.all where options.includes(probe.name) {
      let run = ProbeRun(probe: probe, isSlowed: options.isSlowed, program: program)
      let count = try await run.count()
      counted.probes[probe.name] = count
      BenchmarkProgram.say(Self.line(probe.name, count))
    }
    guard !counted.probes.isEmpty else { throw UsageError("no probe has such a name") }
    if options.records { try record(counted) } else { try check(try await recounted(counted, program)) }
  }

  /// What seems too much is counted again: by chance, threads that wait for each other take more now and then, but a
  /// program that takes more always does.
  private func recounted(_ counted: ThresholdFile, _ program: String?) async throws -> ThresholdFile {
    var counted = counted
    for _ in 0..<Self.recounts {
      let check = ThresholdCheck(counted, against: try recorded(), isWhole: false)
      for probe in Probe.all where check.breaches.contains(where: { $0.probe == probe.name }) {
        let run = ProbeRun(probe: probe, isSlowed: options.isSlowed, program: program)
        let count = try await run.count()
        counted.probes[probe.name] = counted.probes[probe.name]?.least(count)
      }
    }
    return counted
  }

  /// Probes that were not counted keep what is recorded.
  private func record(_ counted: ThresholdFile) throws {
    var file = counted
    if !options.filters.isEmpty, let recorded = try? recorded() {
      file.probes = recorded.probes.merging(counted.probes) { $1 }
    }
    do {
      try file.jsonData.write(to: URL(fileURLWithPath: options.path))
    } catch {
      throw BenchmarkProgram.Failure(description: "\(options.path) cannot be written")
    }
  }

  private func check(_ counted: ThresholdFile) throws {
    let check = ThresholdCheck(counted, against: try recorded(), isWhole: options.filters.isEmpty)
    for remark in check.remarks { BenchmarkProgram.say("remark: \(remark)") }
    for breach in check.breaches { print("breach: \(breach)") }
    guard check.breaches.isEmpty else {
      throw BenchmarkProgram.Failure(description: "\(check.breaches.count) thresholds are exceeded")
    }
    print("\(counted.probes.count) probes are within their thresholds")
  }

  private func recorded() throws -> ThresholdFile {
    do {
      return try ThresholdFile(jsonData: Data(contentsOf: URL(fileURLWithPath: options.path)))
    } catch {
      throw BenchmarkProgram.Failure(description: "\(options.path) has no thresholds that --record has written")
    }
  }

  private static func line(_ name: String, _ count: ProbeCount) -> String {
    var parts = [
      "\(Figures.number(count.allocations)) allocations", "\(Figures.bytes(count.allocatedBytes)) allocated",
      "\(Figures.number(count.systemCalls)) calls", "\(Figures.bytes(count.copiedBytes)) copied",
    ]
    if let instructions = count.instructions { parts.append("\(Figures.count(instructions)) instructions") }
    return "\(name), each: \(parts.joined(separator: ", "))"
  }
}
