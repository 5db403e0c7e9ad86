// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropTransport
import Glibc

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Measures how fast much goes through a pipe, beside `cat | cat` and the best that `read` and `write` can do, and how
/// many items do.
struct PipeReport: Sendable {
  private static let plainLengths = [4 << 10, 16 << 10, 64 << 10, 256 << 10]

  private struct Row {
    let label: String
    var seconds: [Double] = []
    var peakKibibytes = 0

    var median: Double { seconds.sorted()[seconds.count / 2] }
  }

  let megabytes: Int
  let itemCount: Int
  let repetitions: Int

  func print() async throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("dragpipe-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: directory) }
    let source = directory.appendingPathComponent("source")
    try BenchmarkFile.make(source.path, megabytes: megabytes)
    try await printFiles(source.path, directory)
    try await printMemory()
    try await printItems()
  }

  // MARK: From a file to a file

  private func printFiles(_ source: String, _ directory: URL) async throws {
    let folder = directory.appendingPathComponent("in")
    Swift.print("\(megabytes) MB from a file through a pipe to a file")
    var rows = [Row(label: "cat | cat")] + Self.plainLengths.map { Row(label: "read and write, \($0 >> 10) KiB") }
    rows.append(Row(label: "dragpipe, verified"))
    for round in 0...repetitions {
      for index in rows.indices {
        try? FileManager.default.removeItem(at: folder)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        let seconds: Double
        var peak = 0
        if index == 0 {
          seconds = try await catSeconds(source, folder.path + "/cat")
        } else {
          let isDrop = index == rows.count - 1
          // Both sides have the path: the source reads it, the sink writes into it.
          let processes = TwoProcesses(
            source: isDrop ? .dropFileSource : .plainFileSource, sink: isDrop ? .dropFolderSink : .plainFileSink,
            heroCount: 1, path: source, sinkPath: folder.path,
            chunkLength: isDrop ? nil : Self.plainLengths[index - 1])
          let measurement = try await processes.run()
          try expect(measurement.count, megabytes * 1_000_000)
          (seconds, peak) = (measurement.seconds, measurement.peakResidentKibibytes)
        }
        // The first round only warms caches.
        if round > 0 { rows[index].seconds.append(seconds) }
        rows[index].peakKibibytes = max(rows[index].peakKibibytes, peak)
      }
    }
    Self.print(rows, against: "cat | cat", Double(megabytes))
  }

  private func catSeconds(_ source: String, _ target: String) async throws -> Double {
    let clock = ContinuousClock()
    let start = clock.now
    let shell = try ChildProcess("sh", ["-c", "cat < \"$0\" | cat > \"$1\"", source, target])
    let ending = await shell.waitForEnd()
    guard ending.exitCode == 0 else { throw TwoProcesses.Failure(description: "cat ended with \(ending)") }
    return (clock.now - start) / .seconds(1)
  }

  // MARK: From memory to nowhere

  private func printMemory() async throws {
    Swift.print("\(megabytes) MB from memory through a pipe")
    var rows = Self.plainLengths.map { Row(label: "read and write, \($0 >> 10) KiB") }
    rows.append(Row(label: "dragpipe, verified"))
    for round in 0...repetitions {
      for index in rows.indices {
        let isDrop = index == rows.count - 1
        let measurement = try await TwoProcesses(
          source: isDrop ? .dropMemorySource : .plainMemorySource, sink: isDrop ? .dropByteSink : .plainByteSink,
          heroCount: 1, megabytes: megabytes, path: "", chunkLength: isDrop ? nil : Self.plainLengths[index]
        ).run()
        try expect(measurement.count, megabytes * 1_000_000)
        if round > 0 { rows[index].seconds.append(measurement.seconds) }
        rows[index].peakKibibytes = max(rows[index].peakKibibytes, measurement.peakResidentKibibytes)
      }
    }
    Self.print(rows, against: nil, Double(megabytes))
  }

  // MARK: Items

  private func printItems() async throws {
    Swift.print("\(itemCount) cards as so many items through a pipe")
    for (label, sink) in [("taken", BenchmarkRole.dropItemSink), ("taken and decoded", .dropCardSink)] {
      var seconds: [Double] = []
      var peak = 0
      for _ in 0..<max(1, repetitions) {
        let measurement = try await TwoProcesses(
          source: .dropCardSource, sink: sink, heroCount: itemCount, path: ""
        ).run()
        try expect(measurement.count, itemCount)
        seconds.append(measurement.seconds)
        peak = max(peak, measurement.peakResidentKibibytes)
      }
      let rate = Double(itemCount) / seconds.sorted()[seconds.count / 2]
      let verdict = sink == .dropItemSink ? "goal 1000, floor 400\(rate >= 4e5 ? "" : "  MISSED")" : ""
      Swift.print("  \(Self.padded(label))\(Int(rate / 1000)) thousand items/s  peak \(peak >> 10) MiB  \(verdict)")
    }
    Swift.print()
  }

  private func expect(_ count: Int, _ expected: Int) throws {
    guard count == expected else { throw TwoProcesses.Failure(description: "\(count) instead of \(expected) came") }
  }

  /// A line a row; the last one is ours.
  private static func print(_ rows: [Row], against peer: String?, _ megabytes: Double) {
    for row in rows {
      Swift.print("  \(padded(row.label))\(Int(megabytes / row.median)) MB/s  peak \(row.peakKibibytes >> 10) MiB")
    }
    guard let ours = rows.last else { return }
    let plain = rows.dropLast().filter { $0.label != peer }.map(\.median).min() ?? ours.median
    var line = "  of the best of read and write: \(text(plain / ours.median)) x, goal 0.9, floor 0.5"
    if let cat = rows.first(where: { $0.label == peer }) {
      line += "; of \(cat.label): \(text(cat.median / ours.median)) x, goal 1"
    }
    Swift.print(line + "\n")
  }

  private static func padded(_ label: String) -> String {
    label + String(repeating: " ", count: max(1, 30 - label.count))
  }

  private static func text(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }
}

/// A file whose bytes are all there, so that no hole is read for free.
enum BenchmarkFile {
  static func make(_ path: String, megabytes: Int) throws {
    var block = Data(capacity: 1_000_000)
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    while block.count < 1_000_000 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      withUnsafeBytes(of: state) { block.append(contentsOf: $0) }
    }
    // Piece by piece: the memory of this process would count as its children's.
    let output = try OwnedDescriptor.open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
    for _ in 0..<megabytes { try block.withUnsafeBytes { try SystemCalls.writeAll(output.raw, $0) } }
  }
}
