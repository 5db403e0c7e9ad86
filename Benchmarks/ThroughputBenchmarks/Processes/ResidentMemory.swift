// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// What the kernel says of a process's memory.
enum ResidentMemory {
  /// The most that was resident, in KiB.
  static func peakKibibytes(of process: String = "self") -> Int {
    guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8) else { return 0 }
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
    return Int(line.filter(\.isNumber)) ?? 0
  }
}
