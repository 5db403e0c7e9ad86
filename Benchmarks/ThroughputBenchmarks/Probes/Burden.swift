// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What a deliberately slowed copy does too much: needless allocations for each item, mostly one.
final class Burden: Sendable {
  private final class Weight: Sendable {}

  private let allocations: Int
  /// Kept, so that the optimizer cannot do without it.
  private let weight = Mutex<Weight?>(nil)

  init(_ allocations: Int) {
    self.allocations = allocations
  }

  func carry() {
    for _ in 0..<allocations { weight.withLock { $0 = Weight() } }
  }
}
