// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit
import DragPipe
import HeroCards

/// How the same work goes with one item and with a million, with one byte and with four gibibytes.
struct ScalingRun: Sendable {
  let options: RunOptions
  let say: @Sendable (String) -> Void

  private var itemCounts: [Int] {
    (0...6).map { exponent in (0..<exponent).reduce(1) { count, _ in count * 10 } }
      .filter { !options.isQuick || $0 <= 100_000 }
  }

  /// Bytes, up to 4 GiB.
  private var byteCounts: [Int] {
    stride(from: 0, through: 32, by: 4).map { 1 << $0 }.filter { !options.isQuick || $0 <= 64 << 20 }
  }

  private var repetitions: Int { options.isQuick ? 1 : 3 }

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
      curves.append(try await attempt("cards encoded", .coding) { try await local($0, .coding, "encode") })
      curves.append(try await attempt("cards decoded", .coding) { try await local($0, .coding, "decode") })
    }
    if options.includes(.stream, "cards by size") {
      curves.append(
        try await attempt("cards through a pipe", .stream) { name in
          try await pairs(
            name, .items, itemCounts,
            [
              (Contender("dragpipe, verified", .ours), .dropCardSource, .dropCardSink),
              (Contender("Foundation JSON, a line each", .peer), .cardLineSource, .cardLineSink),
              (Contender("by hand, unchecked", .limit), .handCardSource, .handCardSink),
            ])
        })
    }
    if options.includes(.stream, "bytes by size") {
      curves.append(
        try await attempt("bytes from memory through a pipe", .stream) { name in
          try await pairs(
            name, .bytes, byteCounts,
            [
              (Contender("dragpipe, verified", .ours), .dropMemorySource, .dropByteSink),
              (Contender("read and write, 64 KiB, unchecked", .peer), .plainMemorySource, .plainByteSink),
            ])
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

  // MARK: Two processes

  private func pairs(
    _ name: String, _ unit: WorkUnit, _ amounts: [Int], _ sides: [(Contender, StreamRole, StreamRole)]
  ) async throws -> Curve {
    var curve = Curve(
      suite: .stream, name: name, unit: unit, lines: sides.map { Curve.Line(contender: $0.0, points: []) })
    for amount in amounts {
      let task = StreamRole.Task(amount)
      var seconds = sides.map { _ in [Double]() }
      for _ in 0..<repetitions {
        for (index, side) in sides.enumerated() {
          let sample = try await ProcessPair(side.1, side.2, task, expecting: amount).run(.timing)
          seconds[index] += sample.seconds
        }
      }
      for index in sides.indices {
        curve.lines[index].points.append(Curve.Point(amount: Double(amount), seconds: seconds[index].median ?? 0))
      }
      say("scaling \(curve.suite.rawValue)/\(name): \(Figures.amount(Double(amount), unit))")
    }
    return curve
  }

  // MARK: One process

  private func local(_ name: String, _ suite: BenchmarkSuite, _ direction: String) async throws -> Curve {
    let contenders = CodingSuite.contenders
    var curve = Curve(
      suite: suite, name: name, unit: .items, lines: contenders.map { Curve.Line(contender: $0, points: []) })
    for count in itemCounts {
      let item = CodingSuite.cards(count)[direction == "encode" ? 0 : 1]
      var seconds = contenders.map { _ in [Double]() }
      for _ in 0..<repetitions {
        let block = try await LocalCaseRole(work: try await item.prepare()).run(.timing, rounds: 1)
        for (index, sample) in block.samples.enumerated() { seconds[index] += sample.seconds }
      }
      for index in contenders.indices {
        curve.lines[index].points.append(Curve.Point(amount: Double(count), seconds: seconds[index].median ?? 0))
      }
      say("scaling \(suite.rawValue)/\(name): \(Figures.count(Double(count)))")
    }
    return curve
  }
}
