// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// What `check` is asked to do.
package struct CheckOptions: Sendable, Equatable {
  package var path = "Benchmarks/thresholds.json"
  package var records = false
  package var filters: [String] = []
  package var countsInstructions = true
  /// Adds an allocation to each item, which shows that the check sees it; the help is silent about it.
  package var isSlowed = false
  /// Records what a debug build counts, for the tests of this program; the help is silent about it.
  package var allowsDebug = false

  package init() {}

  /// Takes an option, if it is one of these.
  mutating func take(_ option: String, from arguments: inout ArgumentReader) throws(UsageError) -> Bool {
    switch option {
    case "--thresholds": path = try arguments.value(of: option)
    case "--record": records = true
    case "--filter": filters.append(try arguments.value(of: option))
    case "--no-instructions": countsInstructions = false
    case "--slowed": isSlowed = true
    case "--allow-debug": allowsDebug = true
    default: return false
    }
    return true
  }

  package func includes(_ name: String) -> Bool {
    filters.allSatisfy { name.lowercased().contains($0.lowercased()) }
  }
}
