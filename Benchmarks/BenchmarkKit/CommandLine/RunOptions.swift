// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The options of a run.
package struct RunOptions: Sendable, Equatable {
  /// The suites to measure.
  ///
  /// By default, all suites are measured.
  package var suites = Set(BenchmarkSuite.allCases)
  /// The strings that the names of cases must contain.
  package var filters: [String] = []
  package var isQuick = false
  package var scales = false
  /// The destination of the results as JSON: a file, or `-` for standard output.
  package var jsonPath: String?
  /// The Python interpreter whose packages are compared, or `nil` for none.
  package var python: String?
  /// The tool to measure in place of the tool that was built beside this program, or `nil` for none.
  package var tool: String?
  private var statedRepetitions: Int?
  private var statedItems: Int?
  private var statedMegabytes: Int?

  package var repetitions: Int { statedRepetitions ?? (isQuick ? 6 : 12) }
  /// The number of heroes.
  ///
  /// Cases with shorter items use a multiple of it.
  package var itemCount: Int { statedItems ?? (isQuick ? 500 : 20_000) }
  /// The number of megabytes to transfer in cases that measure bytes.
  package var megabytes: Int { statedMegabytes ?? (isQuick ? 64 : 512) }

  package init() {}

  /// Reads an option of a run.
  ///
  /// - Returns: Whether the option is one of a run.
  mutating func take(_ option: String, from arguments: inout ArgumentReader) throws(UsageError) -> Bool {
    switch option {
    case "--suite": try take(suites: arguments.value(of: option))
    case "--filter": filters.append(try arguments.value(of: option))
    case "--quick": isQuick = true
    case "--scaling": scales = true
    case "--json": jsonPath = try arguments.value(of: option)
    case "--python": python = try arguments.value(of: option)
    case "--tool": tool = try arguments.value(of: option)
    case "--repetitions": statedRepetitions = try arguments.count(of: option, atMost: 10_000)
    case "--items": statedItems = try arguments.count(of: option, atMost: 10_000_000)
    case "--megabytes": statedMegabytes = try arguments.count(of: option, atMost: 1_000_000)
    default: return false
    }
    return true
  }

  private mutating func take(suites text: String) throws(UsageError) {
    // The first --suite replaces the default of all suites. Each further --suite adds suites.
    if suites.count == BenchmarkSuite.allCases.count { suites = [] }
    for name in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let suite = BenchmarkSuite(rawValue: String(name)) else {
        let names = BenchmarkSuite.allCases.map(\.rawValue).joined(separator: ", ")
        throw UsageError("no suite \"\(name)\"; there are \(names)")
      }
      suites.insert(suite)
    }
  }

  /// Whether the options select a case.
  package func includes(_ suite: BenchmarkSuite, _ name: String) -> Bool {
    guard suites.contains(suite) else { return false }
    let identifier = "\(suite.rawValue)/\(name)".lowercased()
    return filters.allSatisfy { identifier.contains($0.lowercased()) }
  }
}
