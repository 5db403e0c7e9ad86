// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit
import FoundationEssentials
import UniformTypes

/// The first lookup of a process, before any types are loaded.
enum FirstLookup: String, Sendable {
  case ours
  case glib

  static func benchmark() -> Benchmark {
    let sides: [FirstLookup] = GLibContentTypes.shared == nil ? [.ours] : [.ours, .glib]
    return Benchmark(
      .registry, "first look-up of a process", .items, amount: 1,
      contenders: Array([Contender("UTType", .ours), Contender("GLib content types", .peer)].prefix(sides.count)),
      goals: [.seconds(500e-6)]
    ) { index, _ in
      let output = try await OwnProcess.output("first-lookup", [sides[index].rawValue])
      return Sample(seconds: [try JSONDecoder().decode(Double.self, from: output)])
    }
  }

  /// Measures the first lookup.
  ///
  /// The library itself is already loaded.
  ///
  /// - Returns: The duration in seconds.
  func measure() -> Double {
    switch self {
    case .ours:
      let start = ContinuousClock.now
      let found = UTType(filenameExtension: "png")
      let duration = ContinuousClock.now - start
      precondition(found == .png)
      return duration / .seconds(1)
    case .glib:
      let library = GLibContentTypes.shared
      let name = CText("a.png")
      let start = ContinuousClock.now
      let found = library?.guess(name, [])
      let duration = ContinuousClock.now - start
      precondition(found == true)
      return duration / .seconds(1)
    }
  }
}
