// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import CAllocationCounter

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What the kernel says of memory.
enum ResidentMemory {
  /// Begins to look for the peak anew.
  ///
  /// - Returns: How many KiB are resident now; nil where the kernel does not let the peak be forgotten.
  static func resetPeak() throws -> Int? {
    // What the heap keeps of former rounds would be had for nothing.
    return_free_memory()
    do {
      try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
    } catch {
      return nil
    }
    return kibibytes("VmRSS:", of: "self")
  }

  /// The most that was resident, in KiB.
  static func peakKibibytes(of process: String = "self") -> Int {
    kibibytes("VmHWM:", of: process) ?? 0
  }

  private static func kibibytes(_ name: String, of process: String) -> Int? {
    guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8) else { return nil }
    let line = status.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
    return Int(line.filter(\.isNumber))
  }
}
