// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Foundation
internal import Synchronization

/// The terminal of this process, in raw mode and with an alternate screen.
enum RawTerminal {
  /// The former modes of the terminal; `nil` if the terminal has them.
  private static let saved = Mutex<termios?>(nil)
  /// The registration of `leave()` for an end by `exit`, which runs once.
  private static let restoresAtExit: Void = { _ = atexit { RawTerminal.leave() } }()

  /// Whether a screen can be drawn: input and output are a terminal that understands escape sequences.
  static var isUsable: Bool {
    isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 && !["", "dumb"].contains(variable("TERM"))
  }

  /// Whether colours are wanted, as defined at no-color.org.
  static var hasColours: Bool { variable("NO_COLOR").isEmpty }

  private static func variable(_ name: String) -> String {
    ProcessInfo.processInfo.environment[name] ?? ""
  }

  /// Clears the screen, and reads each key at once and without an echo.
  static func enter() {
    _ = restoresAtExit
    saved.withLock { saved in
      var modes = termios()
      guard tcgetattr(STDIN_FILENO, &modes) == 0 else { return }
      if saved == nil { saved = modes }
      // Interrupts arrive as keys. The output modes stay, since windows may write to standard error.
      modes.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
      modes.c_iflag &= ~tcflag_t(IXON | ICRNL)
      tcsetattr(STDIN_FILENO, TCSADRAIN, &modes)
    }
    // Without automatic margins, a line that is too long is truncated.
    try? write("\u{1B}[?1049h\u{1B}[?7l\u{1B}[2J")
  }

  /// Restores the modes and the content of the terminal; a second call has no effect.
  static func leave() {
    saved.withLock { saved in
      guard var modes = saved.take() else { return }
      // The terminal may be closed.
      try? write("\u{1B}[0m\u{1B}[?25h\u{1B}[?7h\u{1B}[?1049l")
      tcsetattr(STDIN_FILENO, TCSADRAIN, &modes)
    }
  }

  /// The size of the terminal in cells.
  static var size: (columns: Int, rows: Int) {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return (80, 24) }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Writes a text.
  static func write(_ text: String) throws(SystemError) {
    try SystemCalls.writeAll(STDOUT_FILENO, Array(text.utf8))
  }

  /// Waits for bytes from the terminal.
  ///
  /// - Parameter timeout: The time limit in milliseconds; -1 for none.
  /// - Returns: The bytes; none if the time has passed, and `nil` if the terminal is closed.
  static func read(timeout: Int32 = -1) -> [UInt8]? {
    var ready = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    let result = poll(&ready, 1, timeout)
    guard result != 0, !(result < 0 && errno == EINTR) else { return [] }
    var bytes = [UInt8](repeating: 0, count: 1024)
    let count = Foundation.read(STDIN_FILENO, &bytes, bytes.count)
    if count < 0, errno == EINTR { return [] }
    return count > 0 ? Array(bytes.prefix(count)) : nil
  }
}
