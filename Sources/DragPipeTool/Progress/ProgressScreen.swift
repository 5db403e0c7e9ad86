// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import Glibc
internal import Synchronization

/// Where progress is written to, and what of it is there to be seen.
///
/// Nothing here waits for long, whoever does not read: what has no room is written later, before anything else.
final class ProgressScreen: Sendable {
  private static let eraseToEnd = "\r\u{1B}[K"
  /// A pipe that has room at all has room for so much.
  private static let writeLimit = 4096

  private struct State {
    /// What has been begun and is to be gone on with: half an escape sequence or a half line is worse than a late one.
    var pending: [UInt8] = []
    /// What the line on the screen says; `nil` where there is none.
    var line: String?
    /// Set when others write here, whose output is not to be drawn over.
    var isLeft = false
  }

  private let environment: ToolEnvironment
  /// The terminal, opened a second time: it can be written to without waiting, and nobody else who uses it notices.
  private let reopened: OwnedDescriptor?
  private let descriptor: CInt
  private let columnsVariable: String?
  private let state = Lock(State())

  /// - Parameters:
  ///   - environment: Has the descriptor for everything that is meant for people.
  ///   - columnsVariable: The value of `COLUMNS`.
  init(_ environment: ToolEnvironment, columnsVariable: String?) {
    self.environment = environment
    self.columnsVariable = columnsVariable
    // Another user's terminal may be written to without being opened; it is waited for.
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

  /// How wide it is now.
  var columns: Int { TerminalWidth.columns(of: descriptor, columnsVariable: columnsVariable) }

  /// Whether another job has the terminal, whose lines are not ours to draw over.
  var isOfAnotherJob: Bool {
    let group = tcgetpgrp(descriptor)
    return group > 0 && group != getpgrp()
  }

  /// Draws the line anew, unless the former one still waits for room.
  func draw(_ line: String, patience: Duration = .milliseconds(100)) {
    state.withLock { state in
      guard !state.isLeft, flush(&state, patience: patience), line != state.line else { return }
      state.pending = Array("\r\(line)\u{1B}[K".utf8)
      state.line = line
      _ = flush(&state, patience: patience)
    }
  }

  /// Takes the line away, if there is one.
  func erase(patience: Duration = .milliseconds(250)) {
    state.withLock { state in erase(&state, patience: patience) }
  }

  /// Takes the line away, and draws no more.
  func leave() {
    state.withLock { state in
      state.isLeft = true
      erase(&state, patience: .milliseconds(250))
    }
  }

  /// Writes whole lines below everything else; where they have no room in time, they are left out.
  func write(_ lines: String, patience: Duration = .milliseconds(100)) {
    state.withLock { state in
      guard flush(&state, patience: patience) else { return }
      state.pending = Array(lines.utf8)
      _ = flush(&state, patience: patience)
    }
  }

  /// Writes a line for people; like every such line, it waits for whoever has stopped the terminal.
  func note(_ line: String) {
    state.withLock { state in
      erase(&state, patience: nil)
      environment.note(line)
    }
  }

  /// Whether there is anything to take away.
  var hasLine: Bool { state.withLock { $0.line != nil } }

  private func erase(_ state: inout State, patience: Duration?) {
    if state.line != nil { state.pending += Self.eraseToEnd.utf8 }
    state.line = nil
    _ = flush(&state, patience: patience)
  }

  /// Writes what is pending, as far as there is room.
  ///
  /// - Parameters:
  ///   - state: Has what is pending.
  ///   - patience: How long to wait for room; `nil` waits for ever.
  /// - Returns: Whether nothing is pending any more; what cannot be written at all is forgotten.
  private func flush(_ state: inout State, patience: Duration?) -> Bool {
    let end = patience.map { ContinuousClock.now + $0 }
    while !state.pending.isEmpty {
      let left = end.map { max(.zero, ContinuousClock.now.duration(to: $0)) }
      var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      let count = poll(&ready, 1, left.map { CInt(($0 / .milliseconds(1)).rounded(.up)) } ?? -1)
      if count == -1, errno == EINTR { continue }
      guard count > 0 else { return false }
      let written = state.pending.withUnsafeBytes { bytes in
        Glibc.write(descriptor, bytes.baseAddress, min(bytes.count, Self.writeLimit))
      }
      if written >= 0 {
        state.pending.removeFirst(written)
      } else if errno == EAGAIN {
        // There is room, and less than the next character takes.
        if left == .zero { return false }
        usleep(1000)
      } else if errno != EINTR {
        state.pending = []
      }
    }
    return true
  }
}
