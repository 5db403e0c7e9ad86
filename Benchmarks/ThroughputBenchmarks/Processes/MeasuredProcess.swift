// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import DropTransport
import Foundation
import Glibc
import Synchronization

/// A child process with a limited lifetime.
///
/// The process and its children are ended after a timeout, when this object is released, or when this program is
/// interrupted.
final class MeasuredProcess: Sendable {
  private struct Entry {
    let child: ChildProcess
    let deadline: ContinuousClock.Instant
  }

  /// The timeout, which is longer than any measured process takes.
  private static let longest = Duration.seconds(900)
  private static let grace = Duration.seconds(2)
  private static let running = Mutex<[Int32: Entry]>([:])

  private static let watch: Void = Thread.detachNewThread {
    while true {
      sleep(1)
      let now = ContinuousClock.now
      for entry in running.withLock({ Array($0.values) }) where now > entry.deadline {
        entry.child.send(signal: now > entry.deadline + grace ? SIGKILL : SIGTERM)
      }
    }
  }

  private let child: ChildProcess

  var processIdentifier: Int32 { child.processIdentifier }

  /// Starts a program as the leader of a process group.
  init(
    _ path: String, _ arguments: [String], input: CInt? = nil, output: CInt? = nil, errors: CInt? = nil,
    environment: [String: String] = [:]
  ) throws(SystemError) {
    _ = Self.watch
    let child = try ChildProcess(
      path, arguments, input: input, output: output, errors: errors, environment: environment, leadsGroup: true)
    Self.running.withLock { $0[child.processIdentifier] = Entry(child: child, deadline: .now + Self.longest) }
    self.child = child
  }

  deinit {
    // A signal to a process that has been waited for is ignored.
    child.send(signal: SIGKILL)
    forget()
  }

  func waitForEnd() async -> ChildProcess.Ending {
    let ending = await child.waitForEnd()
    forget()
    return ending
  }

  private func forget() {
    Self.running.withLock { running in
      if running[child.processIdentifier]?.child === child { running[child.processIdentifier] = nil }
    }
  }

  /// Ends all processes.
  ///
  /// Each is terminated first, so that it can remove its files, and killed after a second.
  static func endAll() {
    for entry in running.withLock({ Array($0.values) }) { entry.child.terminate() }
    for _ in 0..<100 where running.withLock({ !$0.isEmpty }) { usleep(10_000) }
    for entry in running.withLock({ Array($0.values) }) { entry.child.send(signal: SIGKILL) }
  }
}

/// An error of a measurement that is not the error of a system call.
struct MeasurementFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// The child processes of this process, and their children.
enum Descendants {
  /// Kills all descendants, which an interrupted program must not leave behind.
  ///
  /// - Returns: Whether there were any.
  @discardableResult
  static func end() -> Bool {
    let processes = all(below: getpid(), depth: 8)
    // Kills parents first, so that no parent starts a new child for a killed one.
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
