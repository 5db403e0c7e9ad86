// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Numbers made up by a rule: the same in each run.
enum NumberFixtures {
  static func doubles(_ count: Int) -> [Double] {
    (0..<count).map { Double($0) * 1.000123 }
  }

  static func integers(_ count: Int) -> [Int] {
    (0..<count).map { $0 &* 2_654_435_761 % 100_000_000 }
  }
}
