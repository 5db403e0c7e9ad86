// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
package import DropSystem
internal import Glibc
internal import Synchronization

/// The terminal of this process as a place for drags, without a display.
///
/// Locations of drags are cells in place of pixels. Drags that start in the terminal cannot be dropped on it.
package struct DesktopTerminal: Sendable {
  /// The terminal as a display without windows: for ``DesktopDrag`` and ``DesktopDrop``, whose window is 0.
  package let display: DesktopDisplay
  private let terminal: TerminalDisplay

  /// The variables of the environment that describe a terminal.
  private static let variables = ["TMUX", "TERM", "SSH_CONNECTION", "SSH_TTY"]

  /// Whether this process has a terminal that understands control sequences, and is in its foreground.
  package static var exists: Bool {
    let name = ProcessVariables.value(of: "TERM") ?? ""
    return !name.isEmpty && name != "dumb" && (try? TerminalDevice.openControllingTerminal().isInForeground) ?? false
  }

  /// Returns whether the terminal of this process supports drags.
  package static func supportsDrags(_ options: DesktopOptions) async -> Bool {
    guard exists else { return false }
    return (try? await withTerminal(options) { _ in true }) ?? false
  }

  init(_ terminal: TerminalDisplay) {
    self.terminal = terminal
    display = DesktopDisplay(terminal)
  }

  /// Uses the controlling terminal of this process in raw mode.
  ///
  /// At the end, the registrations are withdrawn, and the modes of the terminal are restored.
  ///
  /// - Parameters:
  ///   - options: Timeouts and limits.
  ///   - needsDrags: Whether the terminal must support drags; false for ``Clipboard`` alone, which is text (OSC 52).
  ///   - actor: The caller's isolation; omit it.
  ///   - body: Uses the terminal.
  /// - Returns: The result of `body`.
  /// - Throws: `noDisplay` if there is no terminal, if it does not support drags, or if this process is not in its
  ///   foreground; `displayGone`; the errors of `body`.
  package static func withTerminal<Result>(
    _ options: DesktopOptions = .init(), needsDrags: Bool = true,
    isolation actor: isolated (any Actor)? = #isolation, _ body: (DesktopTerminal) async throws -> Result
  ) async throws -> Result {
    let terminal: TerminalDisplay
    do throws(SystemError) {
      let (device, machine) = try await runBlocking { () throws(SystemError) in
        (try TerminalDevice.openControllingTerminal(), MachineIdentity.load())
      }
      // A background process would be stopped when it changes the modes.
      guard device.isInForeground else { throw SystemError(EIO, in: "tcgetpgrp") }
      terminal = try TerminalDisplay(
        device, options, environment: ProcessVariables.values(of: variables), machine: machine, needsDrags: needsDrags)
    } catch {
      throw DesktopError(.noDisplay, "cannot use the terminal \(TerminalDevice.controllingTerminal): \(error)")
    }
    return try await DesktopTerminal(terminal).whileRouting(body)
  }

  /// Routes the input until the body returns, then restores the terminal.
  ///
  /// - Throws: `noDisplay` if the terminal does not support drags; `displayGone`; the errors of `body`.
  func whileRouting<Result>(
    isolation actor: isolated (any Actor)? = #isolation, _ body: (DesktopTerminal) async throws -> Result
  ) async throws -> Result {
    // The response to the query must not be shown.
    terminal.begin()
    return try await display.whileRouting { _ in try await body(self) }
  }

  /// Waits for bytes of keys.
  ///
  /// The Escape key is a lone Escape byte.
  ///
  /// - Returns: The bytes; `nil` once the terminal is closed, or if the task is cancelled.
  package func nextKeys() async -> [UInt8]? { await terminal.keys.next() }

  /// Waits until the program must draw again: at another size, and after a stop of the process.
  ///
  /// - Returns: False once the terminal is closed, or if the task is cancelled.
  package func awaitRedraw() async -> Bool { await terminal.redraws.next() != nil }

  /// Restores the terminal that this process uses, before a signal ends the process.
  package static func restore() { TerminalDevice.restoreActive() }

  /// Reports the signal SIGCONT, after which a shell may have changed the terminal, or SIGWINCH.
  package static func receive(_ signal: CInt) { TerminalDisplay.active.withLock { $0 }?.receive(signal) }

  /// Writes a text that is escaped already, between the sequences of drags.
  ///
  /// - Throws: `displayGone`, `timedOut`.
  package func write(_ text: String) async throws {
    try await terminal.write(Array(text.utf8))
  }

  /// The number of columns and rows of the terminal.
  package var size: (columns: Int, rows: Int) { terminal.size }

  /// Shows an alternate screen until the body returns.
  ///
  /// - Parameters:
  ///   - actor: The caller's isolation; omit it.
  ///   - body: Draws the screen with ``write(_:)``.
  /// - Returns: The result of `body`.
  /// - Throws: `displayGone`, `timedOut`, and the errors of `body`.
  package func withScreen<Result>(
    isolation actor: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
  ) async throws -> Result {
    try await terminal.startScreen()
    do {
      let result = try await body()
      await terminal.endScreen()
      return result
    } catch {
      await terminal.endScreen()
      throw error
    }
  }

  /// Registers the terminal as a source of drags until the body returns.
  ///
  /// The body waits for a gesture, and then runs a ``DesktopDrag``.
  ///
  /// - Parameters:
  ///   - actor: The caller's isolation; omit it.
  ///   - body: Reads the gestures. The queue ends with the terminal.
  /// - Returns: The result of `body`.
  /// - Throws: `displayGone`, `timedOut`, and the errors of `body`.
  package func withGestures<Result>(
    isolation actor: isolated (any Actor)? = #isolation, _ body: (AsyncQueue<TerminalGesture>) async throws -> Result
  ) async throws -> Result {
    try await terminal.startOffering()
    do {
      let result = try await body(terminal.gestures)
      await terminal.stopOffering()
      return result
    } catch {
      await terminal.stopOffering()
      throw error
    }
  }
}
