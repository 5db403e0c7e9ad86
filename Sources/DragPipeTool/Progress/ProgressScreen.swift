// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import Glibc
internal import Synchronization

/// The output of progress on standard error.
///
/// Each call waits only for a limited time. Output without room is written later, before any other output.
final class ProgressScreen: Sendable {
  private static let eraseToEnd = "\r\u{1B}[K"
  /// A pipe that is ready for writing takes at least this many bytes.
  private static let writeLimit = 4096

  private struct State {
    /// Output to continue: a partial line or escape sequence is worse than a late one.
    var pending: [UInt8] = []
    /// The text of the drawn line; `nil` without one.
    var line: String?
    /// Whether drawing has ended, since other output follows on the terminal.
    var isLeft = false
  }

  private let environment: ToolEnvironment
  /// The terminal, opened again for non-blocking writes, which leaves its other users unaffected.
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
    // Another user's terminal can be written to but not opened; writes to it may block.
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

  /// The current columns of the terminal.
  var columns: Int { TerminalWidth.columns(of: descriptor, columnsVariable: columnsVariable) }

  /// Whether another job is in the foreground of the terminal.
  var isOfAnotherJob: Bool { SystemCalls.isInBackground(of: descriptor) }

  /// Draws the line again, unless the previous one is still pending.
  func draw(_ line: String, timeout: Duration = .milliseconds(100)) {
    state.withLock { state in
      guard !state.isLeft, flush(&state, timeout: timeout), line != state.line else { return }
      state.pending = Array("\r\(line)\u{1B}[K".utf8)
      state.line = line
      _ = flush(&state, timeout: timeout)
    }
  }

  /// Erases the line, if there is one.
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

  /// Writes complete lines, or drops them if there is no room in time.
  func write(_ lines: String, timeout: Duration = .milliseconds(100)) {
    state.withLock { state in
      guard flush(&state, timeout: timeout) else { return }
      state.pending = Array(lines.utf8)
      _ = flush(&state, timeout: timeout)
    }
  }

  /// Writes a message; like every message, it waits while the terminal is stopped.
  func note(_ line: String) {
    state.withLock { state in
      erase(&state, timeout: nil)
      environment.note(line)
    }
  }

  /// Whether a line is drawn.
  var hasLine: Bool { state.withLock { $0.line != nil } }

  private func erase(_ state: inout State, timeout: Duration?) {
    if state.line != nil { state.pending += Self.eraseToEnd.utf8 }
    state.line = nil
    _ = flush(&state, timeout: timeout)
  }

  /// Writes pending output, as far as there is room.
  ///
  /// - Parameters:
  ///   - state: The state with the pending output.
  ///   - timeout: The longest wait for room; `nil` waits without limit.
  /// - Returns: Whether no output is pending. Output that cannot be written at all is dropped.
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
          // There is room, but less than the next character needs.
          if left == .zero { return false }
          usleep(1000)
        default: state.pending = []
        }
      }
    }
    return true
  }
}
