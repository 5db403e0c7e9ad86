// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkKit
internal import DropTransport
internal import Foundation
internal import TestSupport
internal import Testing

/// What the benchmarks' program measures, by its results.
@Suite("What is measured")
struct MeasuringTests {
  private static let program: String = {
    let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent("ThroughputBenchmarks").path
  }()

  /// Measures each case once, and as little of it as possible.
  private func results(_ directory: URL, _ filters: String...) async throws -> RunResult {
    let file = directory.appendingPathComponent("results.json")
    let arguments = ["--quick", "--items", "20", "--megabytes", "8", "--repetitions", "1", "--json", file.path]
    let nowhere = try OwnedDescriptor.open("/dev/null", O_WRONLY)
    let ending = try await ChildProcess(
      "/usr/bin/timeout", ["110", Self.program] + arguments + filters.flatMap { ["--filter", $0] }, output: nowhere.raw,
      errors: nowhere.raw, environment: ["TMPDIR": directory.path]
    ).waitForEnd()
    #expect(ending.exitCode == 0)
    return try RunResult(jsonData: Data(contentsOf: file))
  }

  @Test("memory that comes from the kernel itself is counted, and no peak is less than what is held")
  func memory() async throws {
    try await withTemporaryDirectory { directory in
      let cases = try await results(directory, "bytes in one Data").cases
      #expect(cases.count == 2)
      for result in cases {
        for contender in result.contenders {
          #expect(try #require(contender.allocatedBytes) >= result.amount, "\(result.name), \(contender.contender.name)")
          let peak = try #require(contender.peakKibibytes)
          #expect(Double(peak << 10) >= result.amount, "\(result.name), \(contender.contender.name)")
        }
        let times = try #require(result.figures.first { $0.name.hasPrefix("peak memory") })
        #expect(times.value >= 1 && times.value < 3)
      }
    }
  }
}
