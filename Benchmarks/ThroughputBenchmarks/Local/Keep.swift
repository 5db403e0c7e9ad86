// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import CAllocationCounter

/// Keeps the optimizer from dropping what made the value: as far as it knows, the memory of the value is read.
@inline(never) func keep<Value>(_ value: Value) {
  withUnsafePointer(to: value) { keep_memory($0) }
}
