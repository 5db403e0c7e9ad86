// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A random generator that returns the same numbers for the same seed (SplitMix64).
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Creates a generator for the sequence of `seed`.
  public init(seed: UInt64) {
    state = seed
  }

  /// Creates a generator with the seed in `DRAGPIPE_SEED`, or a random seed.
  ///
  /// The seed is printed with a label, so that a failure can be reproduced.
  public static func announced(_ label: String) -> SeededGenerator {
    let seed = ProcessInfo.processInfo.environment["DRAGPIPE_SEED"].flatMap { UInt64($0) } ?? .random(in: 0...(.max))
    print("\(label): DRAGPIPE_SEED=\(seed)")
    return SeededGenerator(seed: seed)
  }

  /// Returns the next number.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// Whether tests cover every case instead of a sample, as with `.ci/run --full`.
public let isFullRun = ProcessInfo.processInfo.environment["DRAGPIPE_FULL_TESTS"] != nil

/// Returns the numbers of `range` that a test covers in this run, in ascending order.
///
/// A full run covers all. Other runs cover at most `count`: half of them at both ends, half at random in between. The
/// label is printed with the seed.
public func sampled(_ range: Range<Int>, _ count: Int, _ label: String) -> [Int] {
  guard !isFullRun, range.count > count else { return Array(range) }
  let edge = count / 4
  var generator = SeededGenerator.announced(label)
  let between = range.dropFirst(edge).dropLast(edge)
  // Numbers that are picked twice would leave too few.
  let picked = between.shuffled(using: &generator).prefix(count - 2 * edge)
  return (Array(range.prefix(edge)) + picked + Array(range.suffix(edge))).sorted()
}
