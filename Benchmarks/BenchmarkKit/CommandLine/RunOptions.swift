// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The options of a run.
package struct RunOptions: Sendable, Equatable {
  /// The suites to measure; by default all.
  package var suites = Set(BenchmarkSuite.allCases)
  /// The texts that the names of cases must contain.
  package var filters: [String] = []
  package var isQuick = false
  package var scales = false
  /// The destination of the results as JSON: a file, or `-` for standard output.
  package var jsonPath: String?
  /// An interpreter whose packages are compared with.
  package var python: String?
  private var statedRepetitions: Int?
  private var statedItems: Int?
  private var statedMegabytes: Int?

  package var repetitions: Int { statedRepetitions ?? (isQuick ? 6 : 12) }
  /// Heroes; of what is shorter there are more.
  package var itemCount: Int { statedItems ?? (isQuick ? 500 : 20_000) }
  /// The megabytes that cases of bytes transfer.
  package var megabytes: Int { statedMegabytes ?? (isQuick ? 64 : 512) }

  package init() {}

  /// Takes an option, if it is one of these.
  mutating func take(_ option: String, from arguments: inout ArgumentReader) throws(UsageError) -> Bool {
    switch option {
    case "--suite": try take(suites: arguments.value(of: option))
    case "--filter": filters.append(try arguments.value(of: option))
    case "--quick": isQuick = true
    case "--scaling": scales = true
    case "--json": jsonPath = try arguments.value(of: option)
    case "--python": python = try arguments.value(of: option)
    case "--repetitions": statedRepetitions = try arguments.count(of: option, atMost: 10_000)
    case "--items": statedItems = try arguments.count(of: option, atMost: 10_000_000)
    case "--megabytes": statedMegabytes = try arguments.count(of: option, atMost: 1_000_000)
    default: return false
    }
    return true
  }

  private mutating func take(suites text: String) throws(UsageError) {
    // The first --suite replaces the default of all suites; others add to it.
    if suites.count == BenchmarkSuite.allCases.count { suites = [] }
    for name in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let suite = BenchmarkSuite(rawValue: String(name)) else {
        let names = BenchmarkSuite.allCases.map(\.rawValue).joined(separator: ", ")
        throw UsageError("no suite \"\(name)\"; there are \(names)")
      }
      suites.insert(suite)
    }
  }

  /// Whether a case is asked for.
  package func includes(_ suite: BenchmarkSuite, _ name: String) -> Bool {
    guard suites.contains(suite) else { return false }
    let identifier = "\(suite.rawValue)/\(name)".lowercased()
    return filters.allSatisfy { identifier.contains($0.lowercased()) }
  }
}
