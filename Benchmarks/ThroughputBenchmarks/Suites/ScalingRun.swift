// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// How the same work goes with one item and with a million, with one byte and with four gibibytes.
///
/// Each repetition of a point is done by processes of its own, by all contenders in turn.
struct ScalingRun: Sendable {
  let options: RunOptions
  let say: @Sendable (String) -> Void

  /// Of each point; one that is over soon is repeated until it is no longer, as it is the more uncertain.
  private static let repetitions = 3...9
  private static let soon = 0.5

  private var itemCounts: [Int] {
    (0...6).map { exponent in (0..<exponent).reduce(1) { count, _ in count * 10 } }
      .filter { !options.isQuick || $0 <= 100_000 }
  }

  /// Bytes, up to 4 GiB.
  private var byteCounts: [Int] {
    stride(from: 0, through: 32, by: 4).map { 1 << $0 }.filter { !options.isQuick || $0 <= 64 << 20 }
  }

  private static let all: [(suite: BenchmarkSuite, name: String)] = [
    (.coding, "cards by size"), (.stream, "cards by size"), (.stream, "bytes by size"),
  ]

  /// What is measured, of what is asked for.
  static func names(_ options: RunOptions) -> [String] {
    all.filter { options.includes($0.suite, $0.name) }.map { "\($0.suite.rawValue)/\($0.name)" }
  }

  /// Measures every curve of the suites that are asked for; one that fails takes no other with it.
  ///
  /// - Throws: `CancellationError`.
  func run() async throws -> [Curve] {
    var curves: [Curve] = []
    if options.includes(.coding, "cards by size") {
      curves.append(try await attempt("cards encoded", .coding) { try await coding($0, isEncoding: true) })
      curves.append(try await attempt("cards decoded", .coding) { try await coding($0, isEncoding: false) })
    }
    if options.includes(.stream, "cards by size") {
      let usual = PlainPipe.usualLength
      curves.append(
        try await attempt("cards through a pipe", .stream) { name in
          try await pairs(
            name, .items, itemCounts,
            [
              (Contender("dragpipe, verified", .ours), .dropCardSource, .dropCardSink, usual),
              (Contender("Foundation JSON, a line each", .peer), .cardLineSource, .cardLineSink, usual),
              (Contender("by hand, unchecked", .limit), .handCardSource, .handCardSink, usual),
            ])
        })
    }
    if options.includes(.stream, "bytes by size") {
      let ours = (
        Contender("dragpipe, verified", .ours), StreamRole.dropMemorySource, StreamRole.dropByteSink,
        PlainPipe.usualLength
      )
      let plain = StreamSuite.plainLengths.dropFirst().map { length in
        (StreamSuite.plainContender(length), StreamRole.plainMemorySource, StreamRole.plainByteSink, length)
      }
      curves.append(
        try await attempt("bytes from memory through a pipe", .stream) {
          try await pairs($0, .bytes, byteCounts, [ours] + plain)
        })
    }
    return curves
  }

  private func attempt(
    _ name: String, _ suite: BenchmarkSuite, _ body: (String) async throws -> Curve
  ) async throws -> Curve {
    do {
      return try await body(name)
    } catch let error as CancellationError {
      throw error
    } catch {
      try Task.checkCancellation()
      say("scaling \(suite.rawValue)/\(name): FAILED, \(error)")
      return Curve(suite: suite, name: name, unit: .items, lines: [], failure: "\(error)")
    }
  }

  private func pairs(
    _ name: String, _ unit: WorkUnit, _ amounts: [Int], _ sides: [(Contender, StreamRole, StreamRole, length: Int)]
  ) async throws -> Curve {
    try await curve(.stream, name, unit, amounts, sides.map(\.0)) { amount in
      var samples: [Sample] = []
      for side in sides {
        let task = StreamRole.Task(amount, length: side.length)
        samples.append(try await ProcessPair(side.1, side.2, task, expecting: amount).run(.timing))
      }
      return samples
    }
  }

  private func coding(_ name: String, isEncoding: Bool) async throws -> Curve {
    try await curve(.coding, name, .items, itemCounts, CodingSuite.contenders) { count in
      let output = try await OwnProcess.output("cards-by-size", [isEncoding ? "encode" : "decode", "\(count)"])
      return try JSONDecoder().decode(Benchmark.Block.self, from: output).samples
    }
  }

  /// What the process of a repetition does.
  static func measureCards(_ count: Int, isEncoding: Bool) async throws -> Benchmark.Block {
    let item = CodingSuite.cards(count)[isEncoding ? 0 : 1]
    return try await LocalCaseRole(work: try await item.prepare()).run(.timing, rounds: 1)
  }

  private func curve(
    _ suite: BenchmarkSuite, _ name: String, _ unit: WorkUnit, _ amounts: [Int], _ contenders: [Contender],
    measure: (Int) async throws -> [Sample]
  ) async throws -> Curve {
    var curve = Curve(suite: suite, name: name, unit: unit, lines: contenders.map { .init(contender: $0, points: []) })
    for amount in amounts {
      let start = ContinuousClock.now
      var seconds = contenders.map { _ in [Double]() }
      while let count = seconds.first?.count, count < Self.repetitions.upperBound,
        count < Self.repetitions.lowerBound || ContinuousClock.now - start < .seconds(Self.soon)
      {
        for (index, sample) in try await measure(amount).enumerated() {
          seconds[index].append(sample.seconds.median ?? 0)
        }
      }
      for (index, all) in seconds.enumerated() {
        var point = Curve.Point(amount: Double(amount), seconds: all.median ?? 0)
        point.repetitions = all
        curve.lines[index].points.append(point)
      }
      say("scaling \(suite.rawValue)/\(name): \(Figures.amount(Double(amount), unit))")
    }
    return curve
  }
}
