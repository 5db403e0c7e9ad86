// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Synchronization

/// Counts on whatever thread.
final class Counter: Sendable {
  private let count = Lock(0)

  var value: Int { count.withLock { $0 } }

  func next() -> Int {
    count.withLock { count in
      count += 1
      return count
    }
  }
}
