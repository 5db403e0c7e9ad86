// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import CAllocationCounter

/// What work takes of memory beyond what there was before it, as the heap and the kernel were asked for it.
///
/// What is resident would tell less: whatever ran before leaves pages behind, which are had for nothing.
struct HeapUse: Sendable {
  /// The most that was in use, in bytes.
  let peak: Int
  /// What was in use at the end, in bytes.
  let kept: Int

  /// Does the work and looks at its memory; what the work returns is there still when it has ended.
  ///
  /// - Returns: Nil where the C library does not let us see it.
  static func of<Value>(_ work: () async throws -> Value) async rethrows -> HeapUse? {
    beginCounting()
    defer { count_allocations(false) }
    let value = try await work()
    let use = HeapUse(peak: Int(peak_live_bytes()), kept: Int(live_bytes()))
    keep(value)
    return sees_live_bytes() ? use : nil
  }

  /// Counts from nothing on.
  static func beginCounting() {
    count_allocations(true)
  }

  /// How much more was in use at most since counting began.
  static var peakKibibytes: Int? {
    sees_live_bytes() ? Int(peak_live_bytes() + 1023) / 1024 : nil
  }
}
