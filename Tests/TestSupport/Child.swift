// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import DropSystem
internal import Foundation
internal import Glibc
internal import Synchronization
internal import Testing

/// A program that a test has run to its end.
package struct ProgramRun: Sendable {
  package let ending: ChildProcess.Ending
  package let output: String
  package let errors: String

  package var exitCode: CInt? { ending.exitCode }
  package var outputLines: [Substring] { output.split(separator: "\n") }
  package var errorLines: [Substring] { errors.split(separator: "\n") }

  /// Runs a program, whose name may be searched for in `PATH`, to its end.
  ///
  /// It leads a process group, which is ended after the limit. Without `input`, its input is empty.
  ///
  /// - Throws: `WaitTimedOut` with the state and the output of the program if it takes longer.
  package init(
    _ path: String, _ arguments: [String], input: CInt? = nil, environment: [String: String] = [:],
    within limit: Duration = waitingLimit
  ) async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let files = [directory.file("output"), directory.file("errors")]
    let texts = { files.map { String(decoding: (try? Data(contentsOf: $0)) ?? Data(), as: UTF8.self) } }
    let empty = try OwnedDescriptor.open("/dev/null", O_RDONLY)
    let output = try OwnedDescriptor.open(files[0].path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    let errors = try OwnedDescriptor.open(files[1].path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    let child = try ChildProcess(
      path, arguments, input: input ?? empty.raw, output: output.raw, errors: errors.raw, environment: environment,
      leadsGroup: true)
    let state = Lock<String?>(nil)
    let timer = Task {
      try await Task.sleep(for: limit)
      state.withLock { $0 = child.state }
      child.terminate()
      try await Task.sleep(for: ChildProcess.defaultGrace)
      child.send(signal: SIGKILL)
    }
    ending = await child.waitForEnd()
    timer.cancel()
    (self.output, self.errors) = (texts()[0], texts()[1])
    if let state = state.withLock({ $0 }) {
      throw WaitTimedOut(
        "the end of \(([path] + arguments).joined(separator: " "))", within: limit,
        "state: \(state); output: \(self.output.suffix(2000)); errors: \(self.errors.suffix(2000))")
    }
  }
}

extension ChildProcess {
  /// The state of the process, as the kernel reports it, and the kernel's function in which it waits.
  package var state: String {
    let directory = "/proc/\(processIdentifier)"
    let status = (try? String(contentsOfFile: "\(directory)/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("State:") } ?? "State: gone"
    return "\(line.dropFirst(7)), \((try? String(contentsOfFile: "\(directory)/wchan", encoding: .utf8)) ?? "")"
  }
}

/// The lines that a child prints.
package final class ChildLines: Sendable {
  private struct State {
    var rest: [UInt8] = []
    var last: [String] = []
  }

  private let child: ChildProcess
  private let descriptor: OwnedDescriptor
  private let state = Lock(State())

  /// Reads the lines of a child, and takes ownership of the descriptor of its output.
  package init(of child: ChildProcess, _ descriptor: CInt) {
    self.child = child
    self.descriptor = OwnedDescriptor(descriptor)
  }

  /// Waits for the next line, or `nil` at the end, in one task at a time.
  ///
  /// - Throws: `WaitTimedOut` with the last lines and the state of the child if no line arrives within a minute.
  package func next(_ awaited: String = "a line") async throws -> String? {
    try await onThread(within: waitingLimit * 2) {
      while true {
        if let line = self.takeLine() { return line }
        let bytes: [UInt8]
        do { bytes = try readSome(self.descriptor.raw, 4096) } catch is WaitTimedOut {
          let last = self.state.withLock { "\($0.last.suffix(20)) + \(String(decoding: $0.rest, as: UTF8.self))" }
          throw WaitTimedOut(awaited, within: waitingLimit, "last output: \(last); state: \(self.child.state)")
        }
        if bytes.isEmpty { return nil }
        self.state.withLock { $0.rest += bytes }
      }
    }
  }

  private func takeLine() -> String? {
    state.withLock { state in
      guard let end = state.rest.firstIndex(of: 0x0A) else { return nil }
      let line = String(decoding: state.rest[..<end], as: UTF8.self)
      state.rest.removeFirst(end + 1)
      state.last.append(line)
      return line
    }
  }
}
