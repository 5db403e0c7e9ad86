// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropTransport
import HeroCards

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Runs every case, repetition by repetition in turn so that a slow moment hits all alike, and prints the medians.
struct ThroughputReport: Sendable {
  private struct Case: Sendable {
    let label: String
    let processes: TwoProcesses
    /// What each run must have brought across.
    let expectedCount: Int
  }

  private struct Row: Sendable {
    let label: String
    /// Sorted.
    let seconds: [Double]
    let peakResidentKibibytes: Int

    var median: Double { seconds[seconds.count / 2] }
  }

  let options: BenchmarkOptions

  func print() async throws {
    if options.suites.contains(.heroes) { try await printHeroes() }
    if options.suites.contains(.bytes) { try await printBytes() }
    if options.suites.contains(.pipes) {
      try await PipeReport(
        megabytes: options.megabytes, itemCount: options.heroCount * 50, repetitions: options.repetitions
      ).print()
    }
    if options.suites.contains(.files) {
      // As many times as long as what crosses a pipe: 10 GB unless it is stated.
      try await FileReport(megabytes: options.megabytes * 20, repetitions: options.repetitions).print()
    }
    if options.suites.contains(.sessions) {
      try await SessionReport(megabytes: options.megabytes, repetitions: options.repetitions).print()
    }
    if options.suites.contains(.coders) {
      try CoderReport(heroCount: options.heroCount, repetitions: options.repetitions).print()
    }
    if options.suites.contains(.providers) { try await ProviderReport(repetitions: options.repetitions).print() }
    if options.suites.contains(.types) { try await TypeReport(repetitions: options.repetitions).print() }
  }

  private func printHeroes() async throws {
    let encoder = JSONEncoder()
    let payload = try HeroFixtures.heroes(1000).reduce(0) { try $0 + encoder.encode($1).count }
    let megabytes = Double(payload) / 1000 * Double(options.heroCount) / 1e6
    let rows = try await measure([
      heroCase("Foundation: one JSON array, then decode it", .arraySource, .arraySink),
      heroCase("Foundation: one JSON document a line", .linesSource, .linesSink),
      heroCase("dragpipe: four representations a hero, verified", .dropSource, .dropSink),
      heroCase("dragpipe: the hero's own type as CBOR only, verified", .dropOwnSource, .dropSink),
    ])
    Swift.print("\(options.heroCount) heroes, \(Self.text(megabytes)) MB of JSON, through a pipe between two processes")
    Self.print(rows, amounts: [(Double(options.heroCount), "heroes/s"), (megabytes, "MB/s")])
    Swift.print()
  }

  private func printBytes() async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("dragpipe-benchmark-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    try BenchmarkFile.make(file.path, megabytes: options.megabytes)
    let bytes = options.megabytes * 1_000_000
    let rows = try await measure([
      byteCase("read and write, 64 KiB, unchecked", .plainFileSource, .plainByteSink, file, bytes),
      byteCase("dragpipe: one file, verified", .dropFileSource, .dropByteSink, file, bytes),
    ])
    Swift.print("a file of \(options.megabytes) MB through a pipe between two processes")
    Self.print(rows, amounts: [(Double(options.megabytes), "MB/s")])
    Swift.print()
  }

  private func heroCase(_ label: String, _ source: BenchmarkRole, _ sink: BenchmarkRole) -> Case {
    let processes = TwoProcesses(source: source, sink: sink, heroCount: options.heroCount, path: "")
    return Case(label: label, processes: processes, expectedCount: options.heroCount)
  }

  private func byteCase(
    _ label: String, _ source: BenchmarkRole, _ sink: BenchmarkRole, _ file: URL, _ bytes: Int
  ) -> Case {
    let processes = TwoProcesses(source: source, sink: sink, heroCount: 1, path: file.path)
    return Case(label: label, processes: processes, expectedCount: bytes)
  }

  private func measure(_ cases: [Case]) async throws -> [Row] {
    var seconds = Array(repeating: [Double](), count: cases.count)
    var peaks = Array(repeating: 0, count: cases.count)
    // The first round only warms caches.
    for round in 0...options.repetitions {
      for (index, item) in cases.enumerated() {
        let measurement = try await item.processes.run()
        guard measurement.count == item.expectedCount else {
          let counts = "\(measurement.count) instead of \(item.expectedCount)"
          throw TwoProcesses.Failure(description: "\(item.label): \(counts)")
        }
        if round > 0 { seconds[index].append(measurement.seconds) }
        peaks[index] = max(peaks[index], measurement.peakResidentKibibytes)
      }
    }
    return zip(cases, zip(seconds, peaks)).map {
      Row(label: $0.label, seconds: $1.0.sorted(), peakResidentKibibytes: $1.1)
    }
  }

  /// A line a case; the first is what the others are compared with.
  private static func print(_ rows: [Row], amounts: [(amount: Double, unit: String)]) {
    let width = rows.map(\.label.count).max() ?? 0
    for row in rows {
      let rates = amounts.map { "\(column(text($0.amount / row.median), 9)) \($0.unit)" }.joined()
      let ratio = (rows[0].median / row.median * 100).rounded() / 100
      let spread = "\(text(row.seconds[0] * 1000))-\(text((row.seconds.last ?? 0) * 1000)) ms"
      let peak = "\(row.peakResidentKibibytes >> 10) MiB"
      let label = row.label + String(repeating: " ", count: width - row.label.count)
      Swift.print("  \(label)\(rates)  \(column("\(ratio)", 5)) x  \(column(spread, 16))  peak \(column(peak, 8))")
    }
  }

  private static func column(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }

  /// Three figures are as many as are true.
  private static func text(_ value: Double) -> String {
    value >= 100 ? "\(Int(value.rounded()))" : "\((value * 10).rounded() / 10)"
  }
}
