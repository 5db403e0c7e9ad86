// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Whether tests cover every case instead of a sample.
///
/// `.ci/run --full` sets `DRAGPIPE_FULL_TESTS` for this.
public let isFullRun = ProcessInfo.processInfo.environment["DRAGPIPE_FULL_TESTS"] != nil

/// Returns the numbers of `range` that a test covers in this run.
///
/// - Parameters:
///   - range: The lengths or offsets that a full run covers.
///   - count: The maximum number of values in other runs: half of them at both ends, half at random in between.
///   - label: The name of the test, which is printed with the seed.
/// - Returns: The numbers in ascending order.
public func sampled(_ range: Range<Int>, _ count: Int, _ label: String) -> [Int] {
  guard !isFullRun, range.count > count else { return Array(range) }
  let edge = count / 4
  var generator = SeededGenerator.announced(label)
  let between = range.dropFirst(edge).dropLast(edge)
  let picked = (0..<count - 2 * edge).compactMap { _ in between.randomElement(using: &generator) }
  return Set(Array(range.prefix(edge)) + picked + Array(range.suffix(edge))).sorted()
}
