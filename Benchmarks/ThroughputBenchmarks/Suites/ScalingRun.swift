// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit

/// A run that measures the same work with amounts from 1 item to 1,000,000 items, and from 1 byte to 4 GiB.
///
/// For each repetition of a point, all contenders are measured one after the other in new processes.
struct ScalingRun: Sendable {
  let isQuick: Bool
  /// The cases to measure.
  let cases: [ScalingCase]
  let say: @Sendable (String) -> Void

  /// The minimum and maximum number of repetitions of a point.
  ///
  /// Only short work is repeated more often, since it varies more.
  private static let repetitions = 3...9
  private static let soon = Duration.milliseconds(500)

  init(_ options: RunOptions, workspace: Workspace, say: @escaping @Sendable (String) -> Void) {
    isQuick = options.isQuick
    cases = ScalingCase.all(workspace).filter { options.includes($0.suite, "\($0.name), by size") }
    self.say = say
  }

  /// The names of the curves, one per line.
  var list: String {
    cases.map { "\($0.suite.rawValue)/\($0.name), by size (with --scaling)\n" }.joined()
  }

  /// Measures all curves.
  ///
  /// A curve that fails keeps its points and does not affect the others.
  ///
  /// - Throws: `CancellationError`.
  func run() async throws -> [Curve] {
    var curves: [Curve] = []
    for item in cases { curves.append(try await curve(item)) }
    return curves
  }

  private func curve(_ item: ScalingCase) async throws -> Curve {
    var curve = Curve(
      suite: item.suite, name: item.name, unit: item.unit,
      lines: item.contenders.map { Curve.Line(contender: $0, points: []) })
    do {
      for amount in item.amounts(isQuick: isQuick) {
        for (index, seconds) in try await repetitions(of: item, amount).enumerated() {
          var point = Curve.Point(
            amount: Double(amount), seconds: seconds.median ?? 0, work: item.work.map(Double.init))
          point.repetitions = seconds
          curve.lines[index].points.append(point)
        }
        say("scaling \(item.suite.rawValue)/\(item.name): \(Figures.amount(Double(amount), item.unit))")
      }
    } catch let error as CancellationError {
      throw error
    } catch {
      try Task.checkCancellation()
      say("scaling \(item.suite.rawValue)/\(item.name): FAILED, \(error)")
      curve.failure = "\(error)"
    }
    return curve
  }

  /// Returns the seconds of all repetitions for each contender.
  private func repetitions(of item: ScalingCase, _ amount: Int) async throws -> [[Double]] {
    let start = ContinuousClock.now
    var seconds = item.contenders.map { _ in [Double]() }
    for number in 0..<Self.repetitions.upperBound {
      if number >= Self.repetitions.lowerBound, ContinuousClock.now - start > Self.soon { break }
      for (index, sample) in try await item.measure(amount).enumerated() {
        seconds[index].append(sample.seconds.median ?? 0)
      }
    }
    return seconds
  }
}
