// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import CAllocationCounter

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What this process has asked the heap and the kernel for.
struct ProcessCounts: Sendable, Codable {
  var allocations: UInt64
  var allocatedBytes: UInt64
  /// Calls that read or write, and the bytes of them.
  var systemCalls: UInt64
  var copiedBytes: UInt64

  static var now: ProcessCounts {
    var calls: UInt64 = 0
    var bytes: UInt64 = 0
    // Where the kernel does not account for it, nothing is counted.
    let text = (try? String(contentsOfFile: "/proc/self/io", encoding: .utf8)) ?? ""
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count == 2, let value = UInt64(words[1]) else { continue }
      switch words[0] {
      case "syscr:", "syscw:": calls += value
      case "rchar:", "wchar:": bytes += value
      default: continue
      }
    }
    return ProcessCounts(
      allocations: allocation_count(), allocatedBytes: allocation_bytes(), systemCalls: calls, copiedBytes: bytes)
  }

  func since(_ earlier: ProcessCounts) -> ProcessCounts {
    ProcessCounts(
      allocations: allocations - earlier.allocations, allocatedBytes: allocatedBytes - earlier.allocatedBytes,
      systemCalls: systemCalls - earlier.systemCalls, copiedBytes: copiedBytes - earlier.copiedBytes)
  }
}
