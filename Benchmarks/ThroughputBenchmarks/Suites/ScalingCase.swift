// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit
import FoundationEssentials

/// A case that can be measured with any amount of work.
///
/// Its results form a curve.
struct ScalingCase: Sendable {
  static let (items, fewerItems, quickItems) = (1_000_000, 100_000, 100_000)
  static let (bytes, quickBytes) = (1 << 32, 64 << 20)

  let suite: BenchmarkSuite
  let name: String
  let unit: WorkUnit
  /// The largest amount.
  let limit: Int
  let contenders: [Contender]
  /// The number of items to process, if it does not depend on the amount.
  var work: Int?
  /// Measures one repetition of all contenders in new processes.
  let measure: @Sendable (Int) async throws -> [Sample]

  /// Returns the amounts from 1 up to the largest, each a fixed multiple of the previous amount.
  func amounts(isQuick: Bool) -> [Int] {
    let (factor, quickLimit) = unit == .items ? (10, Self.quickItems) : (16, Self.quickBytes)
    let limit = isQuick ? min(limit, quickLimit) : limit
    return Array(sequence(first: 1) { $0 <= limit / factor ? $0 * factor : nil })
  }

  /// Returns all scaling cases, in the order of the suites.
  static func all(_ workspace: Workspace) -> [ScalingCase] {
    let all = LocalScaling.all.map { $0.scalingCase(workspace) } + StreamSuite.scaling + [SessionSuite.scaling]
    return BenchmarkSuite.allCases.flatMap { suite in all.filter { $0.suite == suite } }
  }
}

/// A `LocalCase` that can have any size.
struct LocalScaling: Sendable {
  let name: String
  var limit = ScalingCase.items
  var work: Int?
  let make: @Sendable (Int) -> LocalCase

  /// The length of each item in a file.
  private static let itemLength = 100

  static let all = [
    LocalScaling(name: "cards encoded") { CodingSuite.cards($0)[0] },
    LocalScaling(name: "cards decoded") { CodingSuite.cards($0)[1] },
    LocalScaling(name: "providers kept alive") { ProviderSuite.alive($0) },
    LocalScaling(
      name: "lookups among many declared types", limit: ScalingCase.fewerItems, work: RegistrySuite.lookups,
      make: RegistrySuite.amongDeclared),
    // Writing a million single files for comparison would take half an hour.
    LocalScaling(name: "items of 100 bytes written to a file") {
      FileSuite.writing($0, length: itemLength, besideFiles: false)
    },
    LocalScaling(name: "one of many items of a file", work: FileSuite.openings) {
      FileSuite.opening($0, length: itemLength)
    },
  ]

  func scalingCase(_ workspace: Workspace) -> ScalingCase {
    let one = make(1)
    return ScalingCase(
      suite: one.suite, name: name, unit: .items, limit: limit, contenders: one.contenders, work: work
    ) { count in
      let environment =
        one.suite == .file ? try await FileSuite.environment(count, Self.itemLength, workspace) : [:]
      let output = try await OwnProcess.output("by-size", [name, "\(count)"], environment: environment)
      return try JSONDecoder().decode(Benchmark.Block.self, from: output).samples
    }
  }

  /// Measures a repetition in the current process.
  static func measure(_ name: String, _ count: Int) async throws -> Benchmark.Block? {
    guard let scaling = all.first(where: { $0.name == name }), 1...scaling.limit ~= count else { return nil }
    return try await LocalCaseRole(work: try await scaling.make(count).prepare()).run(.timing, rounds: 1)
  }
}
