// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What a deliberately slowed copy does too much: a needless allocation for each item.
final class Burden: Sendable {
  private final class Weight: Sendable {}

  private let isHeavy: Bool
  /// Kept, so that the optimizer cannot do without it.
  private let weight = Mutex<Weight?>(nil)

  init(isHeavy: Bool) {
    self.isHeavy = isHeavy
  }

  func carry() {
    if isHeavy { weight.withLock { $0 = Weight() } }
  }
}
