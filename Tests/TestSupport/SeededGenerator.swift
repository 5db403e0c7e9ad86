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
  /// The seed is printed, so that a failure can be reproduced.
  ///
  /// - Parameter label: The purpose of the numbers, which is printed with the seed.
  /// - Returns: A generator at the start of its sequence.
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
