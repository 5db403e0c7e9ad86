// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import DropTransport
import Foundation
import TestSupport
import Testing

/// A sample that runs in a terminal of tmux, which ends with the last reference.
final class SampleTerminal: Sendable {
  private let directory: TemporaryDirectory
  private var socket: String { directory.file("tmux").path }

  /// Starts a sample in a terminal of a size in cells.
  ///
  /// The terminal shows the line `before` before the sample, and the modes of the terminal and the line `after` when the
  /// sample has ended.
  init(_ program: SampleProgram, columns: Int = 80, rows: Int = 24) async throws {
    directory = try TemporaryDirectory()
    let command =
      (["env", "NO_COLOR="] + program.environment.map { "\($0.key)=\($0.value)" } + [program.path] + program.arguments)
      .map { "'\($0)'" }.joined(separator: " ")
    let identifier = directory.file("identifier").path
    try await tmux(
      "-f", "/dev/null", "-u", "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", "-s", "sample",
      "echo before; sh -c 'echo $$ > \(identifier); exec \"$@\"' - \(command); stty -a; echo after; exec cat")
  }

  deinit {
    // The server ends the programs in its terminals. Its socket must exist until then.
    Task { [directory, socket] in
      _ = try? await ProgramRun("tmux", ["-S", socket, "kill-server"])
      directory.remove()
    }
  }

  /// Runs a command of tmux, and returns its output.
  @discardableResult
  private func tmux(_ words: String...) async throws -> String {
    let run = try await ProgramRun("tmux", ["-S", socket] + words, environment: ["LC_ALL": "C.UTF-8", "TMUX": ""])
    try #require(run.exitCode == 0, "\(run.errors)")
    return run.output
  }

  /// Types text.
  func type(_ text: String) async throws {
    try await tmux("send-keys", "-t", "sample", "-l", text)
  }

  /// Presses a key by its name in tmux.
  func press(_ key: String) async throws {
    try await tmux("send-keys", "-t", "sample", key)
  }

  /// Sends a signal to the sample.
  func signal(_ number: Int32) throws {
    let identifier = try String(contentsOf: directory.file("identifier"), encoding: .utf8)
    let process = try #require(pid_t(identifier.trimmingCharacters(in: .whitespacesAndNewlines)))
    #expect(kill(process, number) == 0)
  }

  /// Changes the size of the terminal.
  func resize(columns: Int, rows: Int) async throws {
    try await tmux("resize-window", "-t", "sample", "-x", "\(columns)", "-y", "\(rows)")
  }

  /// Returns the rows of the terminal without blanks at their ends, with escape sequences for colours on request.
  func rows(withColours: Bool = false) async throws -> [String] {
    let text = try await tmux("capture-pane", "-p", withColours ? "-e" : "-J", "-t", "sample")
    return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map { row in
      String(row.reversed().drop { $0 == " " }.reversed())
    }
  }

  /// Waits until a row contains a text, and returns the rows.
  @discardableResult
  func wait(for text: String) async throws -> [String] {
    var shown: [String] = []
    func isShown() async throws -> Bool {
      shown = try await rows()
      return shown.contains { $0.contains(text) }
    }
    try await TestSupport.wait(for: text, details: { shown.joined(separator: "\n") }, until: isShown)
    return shown
  }
}
