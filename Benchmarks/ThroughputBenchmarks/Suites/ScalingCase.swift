// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit
import FoundationEssentials

/// Work of which there can be any amount; measured at several, it is a curve.
struct ScalingCase: Sendable {
  static let (items, fewerItems, quickItems) = (1_000_000, 100_000, 100_000)
  static let (bytes, quickBytes) = (1 << 32, 64 << 20)

  let suite: BenchmarkSuite
  let name: String
  let unit: WorkUnit
  /// The greatest amount.
  let limit: Int
  let contenders: [Contender]
  /// The number of items to work on, if it does not depend on the number of items.
  var work: Int?
  /// One repetition of all contenders, by processes of their own.
  let measure: @Sendable (Int) async throws -> [Sample]

  /// Returns the amounts from one to the greatest, each a multiple of the one before.
  func amounts(isQuick: Bool) -> [Int] {
    let (factor, quickLimit) = unit == .items ? (10, Self.quickItems) : (16, Self.quickBytes)
    let limit = isQuick ? min(limit, quickLimit) : limit
    return Array(sequence(first: 1) { $0 <= limit / factor ? $0 * factor : nil })
  }

  /// All of them, in the order of the suites.
  static func all(_ workspace: Workspace) -> [ScalingCase] {
    let all = LocalScaling.all.map { $0.scalingCase(workspace) } + StreamSuite.scaling + [SessionSuite.scaling]
    return BenchmarkSuite.allCases.flatMap { suite in all.filter { $0.suite == suite } }
  }
}

/// A `LocalCase` of any size.
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
    // A million files beside them would take half an hour.
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

  /// Measures a repetition within its process.
  static func measure(_ name: String, _ count: Int) async throws -> Benchmark.Block? {
    guard let scaling = all.first(where: { $0.name == name }), 1...scaling.limit ~= count else { return nil }
    return try await LocalCaseRole(work: try await scaling.make(count).prepare()).run(.timing, rounds: 1)
  }
}
