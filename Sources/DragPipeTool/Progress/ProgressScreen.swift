// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import Glibc
internal import Synchronization

/// The output of progress on standard error.
///
/// Except for messages, each wait for the terminal ends after a timeout. Output that could not be written in that time
/// is written before any later output.
final class ProgressScreen: Sendable {
  private static let eraseToEnd = "\r\u{1B}[K"
  /// The maximum number of bytes of one write: a pipe that is ready for writing takes them without blocking.
  private static let writeLimit = 4096

  private struct State {
    /// The output that is still to be written, even if late: a partial line or escape sequence must be completed.
    var pending: [UInt8] = []
    /// The text of the drawn line, or `nil` if no line is drawn.
    var line: String?
    /// Whether drawing has ended because other output follows on the terminal.
    var isLeft = false
  }

  private let environment: ToolEnvironment
  /// The terminal, opened again.
  ///
  /// Non-blocking mode thus does not affect other programs that use the terminal.
  private let reopened: OwnedDescriptor?
  private let descriptor: CInt
  private let columnsVariable: String?
  private let state = Lock(State())

  /// Creates a screen.
  ///
  /// - Parameters:
  ///   - environment: The tool's environment, with the descriptor for messages.
  ///   - columnsVariable: The value of `COLUMNS`.
  init(_ environment: ToolEnvironment, columnsVariable: String?) {
    self.environment = environment
    self.columnsVariable = columnsVariable
    // A terminal of another user cannot be opened again. Writes to its descriptor work, but may block.
    let terminal =
      environment.errorsAreTerminal
      ? try? SystemCalls.open("/proc/self/fd/\(environment.errors)", O_WRONLY | O_NONBLOCK | O_NOCTTY) : nil
    if let terminal {
      reopened = OwnedDescriptor(terminal)
    } else {
      reopened = nil
    }
    descriptor = terminal ?? environment.errors
  }

  /// The current width of the terminal in columns.
  var columns: Int { TerminalWidth.columns(of: descriptor, columnsVariable: columnsVariable) }

  /// Whether another job is in the foreground of the terminal.
  var isOfAnotherJob: Bool { SystemCalls.isInBackground(of: descriptor) }

  /// Draws a new line over the previous line.
  ///
  /// The new line is skipped if earlier output is still pending after the timeout, and after ``leave()``.
  func draw(_ line: String, timeout: Duration = .milliseconds(100)) {
    state.withLock { state in
      guard !state.isLeft, flush(&state, timeout: timeout), line != state.line else { return }
      state.pending = Array("\r\(line)\u{1B}[K".utf8)
      state.line = line
      _ = flush(&state, timeout: timeout)
    }
  }

  /// Erases the line if one is drawn.
  func erase(timeout: Duration = .milliseconds(250)) {
    state.withLock { state in erase(&state, timeout: timeout) }
  }

  /// Erases the line and stops drawing.
  func leave() {
    state.withLock { state in
      state.isLeft = true
      erase(&state, timeout: .milliseconds(250))
    }
  }

  /// Writes complete lines.
  ///
  /// If earlier output is still pending after the timeout, the lines are dropped.
  func write(_ lines: String, timeout: Duration = .milliseconds(100)) {
    state.withLock { state in
      guard flush(&state, timeout: timeout) else { return }
      state.pending = Array(lines.utf8)
      _ = flush(&state, timeout: timeout)
    }
  }

  /// Erases the line and writes a message.
  ///
  /// The call waits while the terminal is stopped, so no message is lost.
  func note(_ line: String) {
    state.withLock { state in
      erase(&state, timeout: nil)
      environment.note(line)
    }
  }

  /// Whether a line is drawn.
  var hasLine: Bool { state.withLock { $0.line != nil } }

  private func erase(_ state: inout State, timeout: Duration?) {
    if state.line != nil { state.pending += KeyboardInterrupt.takeLine() ? "\n".utf8 : Self.eraseToEnd.utf8 }
    state.line = nil
    _ = flush(&state, timeout: timeout)
  }

  /// Writes the pending output until the timeout.
  ///
  /// - Parameters:
  ///   - state: The state with the pending output.
  ///   - timeout: The maximum time to wait until the descriptor is ready for writing, or `nil` for no limit.
  /// - Returns: Whether no output is pending any more. After a write error, pending output is dropped.
  private func flush(_ state: inout State, timeout: Duration?) -> Bool {
    let end = timeout.map { ContinuousClock.now + $0 }
    while !state.pending.isEmpty {
      let left = end.map { max(.zero, ContinuousClock.now.duration(to: $0)) }
      do throws(SystemError) {
        var ready = [pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)]
        let limit = left.map { CInt(($0 / .milliseconds(1)).rounded(.up)) } ?? -1
        guard try SystemCalls.poll(&ready, limit) > 0 else { return false }
        let written = state.pending.withUnsafeBytes { bytes in
          Result { () throws(SystemError) in
            try SystemCalls.write(descriptor, UnsafeRawBufferPointer(rebasing: bytes.prefix(Self.writeLimit)))
          }
        }
        state.pending.removeFirst(try written.get())
      } catch {
        switch error.errorNumber {
        case EINTR: continue
        case EAGAIN:
          // The terminal has some room, but not enough for the next character.
          if left == .zero { return false }
          usleep(1000)
        default: state.pending = []
        }
      }
    }
    return true
  }
}
