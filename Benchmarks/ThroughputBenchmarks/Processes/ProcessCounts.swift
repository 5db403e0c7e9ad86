// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import CAllocationCounter
import DropSystem
import DropTransport
import Glibc

/// What this process has asked the heap and the kernel for.
struct ProcessCounts: Sendable, Codable {
  var allocations: UInt64
  var allocatedBytes: UInt64
  /// Calls that read or write, and the bytes of them; of sockets those that were made while allocations were counted.
  var systemCalls: UInt64
  var copiedBytes: UInt64

  static var now: ProcessCounts {
    let account = account()
    return ProcessCounts(
      allocations: allocation_count(), allocatedBytes: allocation_bytes(), systemCalls: account.calls + socket_calls(),
      copiedBytes: account.bytes + socket_bytes())
  }

  func since(_ earlier: ProcessCounts) -> ProcessCounts {
    ProcessCounts(
      allocations: allocations - earlier.allocations, allocatedBytes: allocatedBytes - earlier.allocatedBytes,
      systemCalls: systemCalls - earlier.systemCalls, copiedBytes: copiedBytes - earlier.copiedBytes)
  }

  // MARK: The kernel's account

  /// What looking at the account has added to it.
  nonisolated(unsafe) private static var own: (calls: UInt64, bytes: UInt64) = (0, 0)

  /// Nothing where the kernel does not keep it; not to be looked at by two threads at once.
  private static func account() -> (calls: UInt64, bytes: UInt64) {
    guard let file = try? OwnedDescriptor.open("/proc/self/io", O_RDONLY) else { return (0, 0) }
    // With its end in one call, so that what it adds is known.
    var buffer = [UInt8](repeating: 0, count: 1024)
    guard let count = try? buffer.withUnsafeMutableBytes({ try SystemCalls.read(file.raw, $0) }) else { return (0, 0) }
    var (calls, bytes): (UInt64, UInt64) = (0, 0)
    for line in String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count == 2, let value = UInt64(words[1]) else { continue }
      switch words[0] {
      case "syscr:", "syscw:": calls += value
      case "rchar:", "wchar:": bytes += value
      default: continue
      }
    }
    defer { own = (own.calls + 1, own.bytes + UInt64(count)) }
    return (calls - own.calls, bytes - own.bytes)
  }
}
