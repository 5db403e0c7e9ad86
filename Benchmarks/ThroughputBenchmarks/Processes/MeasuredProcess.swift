// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import DropTransport
import Foundation
import Glibc
import Synchronization

/// A process with a limited life.
///
/// It is ended with its children after a timeout, when no task waits for it, and when this program is interrupted.
final class MeasuredProcess: Sendable {
  private struct Entry {
    let child: ChildProcess
    let deadline: ContinuousClock.Instant
  }

  /// More than any of them takes.
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

  /// Starts a program, as `ChildProcess` does.
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
    // Signals to a process that has been waited for are ignored.
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

  /// Ends all of them: they are asked first, so that they remove what they have made.
  static func endAll() {
    for entry in running.withLock({ Array($0.values) }) { entry.child.terminate() }
    for _ in 0..<100 where running.withLock({ !$0.isEmpty }) { usleep(10_000) }
    for entry in running.withLock({ Array($0.values) }) { entry.child.send(signal: SIGKILL) }
  }
}

/// Why something could not be measured, where it is not a system call that has failed.
struct MeasurementFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// The processes that this one has started, and what these have started in turn.
enum Descendants {
  /// Ends all that there are now, which a program that is interrupted must not leave behind.
  ///
  /// - Returns: Whether there was any.
  @discardableResult
  static func end() -> Bool {
    let processes = all(below: getpid(), depth: 8)
    // From the top, so that no parent replaces a killed child.
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
