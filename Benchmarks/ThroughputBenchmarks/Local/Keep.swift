// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import CAllocationCounter

/// Keeps the optimizer from dropping what made the value.
@inline(never) func keep<Value>(_ value: Value) {
  withExtendedLifetime(value) {}
}

/// What values take on the heap.
enum HeapUse {
  /// How many more bytes are in use once a value is there, their headers included.
  static func bytes<Value>(of make: () throws -> Value) rethrows -> Int {
    let before = allocated_bytes()
    let value = try make()
    return withExtendedLifetime(value) { Int(clamping: allocated_bytes()) - Int(clamping: before) }
  }
}
