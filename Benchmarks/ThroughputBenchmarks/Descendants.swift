// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc

/// The processes that this one has started, and what these have started in turn.
enum Descendants {
  /// Ends all that there are now, which a program that is interrupted must not leave behind.
  ///
  /// - Returns: Whether there was any.
  @discardableResult
  static func end() -> Bool {
    let processes = all(below: getpid(), depth: 8)
    // From the top, so that nobody starts another one for one that has gone.
    for process in processes { kill(process, SIGKILL) }
    return !processes.isEmpty
  }

  private static func all(below process: pid_t, depth: Int) -> [pid_t] {
    guard depth > 0, let threads = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task") else {
      return []
    }
    let children = threads.flatMap { thread in
      let text = try? String(contentsOfFile: "/proc/\(process)/task/\(thread)/children", encoding: .utf8)
      return (text ?? "").split(separator: " ").compactMap { pid_t($0) }
    }
    return children + children.flatMap { all(below: $0, depth: depth - 1) }
  }
}
