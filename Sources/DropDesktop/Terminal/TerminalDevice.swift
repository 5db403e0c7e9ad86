// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import Synchronization

/// A terminal in raw mode.
///
/// The modes of the terminal are restored by ``restore()``, and when the process ends by `exit`. The key Control-C still
/// sends the signal SIGINT, so a program that ends by signals must handle them.
final class TerminalDevice: Sendable {
  /// The path of the controlling terminal.
  static let controllingTerminal = "/dev/tty"

  private struct State {
    /// The modes before the raw mode; `nil` if the terminal has them.
    var modes: termios?
    /// The bytes that withdraw the registrations of this program.
    var withdrawal: [UInt8] = []
  }

  /// The maximum wait for a full terminal to accept the withdrawal, in milliseconds.
  private static let withdrawalTimeout: CInt = 200

  private static let active = Lock<TerminalDevice?>(nil)
  private static let restoresAtExit: Void = { _ = atexit { TerminalDevice.restoreActive() } }()

  private let descriptor: OwnedDescriptor
  private let state = Lock(State())

  /// Uses a descriptor that reads and writes, and which no other process shares.
  init(_ descriptor: consuming OwnedDescriptor) throws(SystemError) {
    try SystemCalls.setNonBlocking(descriptor.raw)
    self.descriptor = descriptor
  }

  /// Opens the controlling terminal of this process; blocks.
  static func openControllingTerminal() throws(SystemError) -> TerminalDevice {
    // This open file description belongs to this process alone, unlike that of the standard input.
    try TerminalDevice(OwnedDescriptor.open(controllingTerminal, O_RDWR | O_NOCTTY | O_NONBLOCK))
  }

  /// Whether this process may use the terminal without being stopped.
  var isInForeground: Bool { !SystemCalls.isInBackground(of: descriptor.raw) }

  /// The number of columns and rows; 80 and 24 if unknown.
  var size: (columns: Int, rows: Int) {
    var size = winsize()
    guard ioctl(descriptor.raw, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return (80, 24) }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Reads each byte at once and without an echo, until ``restore()``.
  func makeRaw() {
    _ = Self.restoresAtExit
    let isTerminal = state.withLock { state in
      var modes = termios()
      guard tcgetattr(descriptor.raw, &modes) == 0 else { return false }
      if state.modes == nil { state.modes = modes }
      // A signal must not discard a part of a sequence. The key Control-Z arrives as a byte, since the registrations must
      // be withdrawn before the process stops.
      modes.c_lflag &= ~tcflag_t(ICANON | ECHO | IEXTEN)
      modes.c_lflag |= tcflag_t(ISIG | NOFLSH)
      modes.c_iflag &= ~tcflag_t(IXON | ICRNL | INLCR | IGNCR | ISTRIP | INPCK | PARMRK)
      withUnsafeMutableBytes(of: &modes.c_cc) { characters in
        characters[Int(VSUSP)] = 0
        characters[Int(VMIN)] = 1
        characters[Int(VTIME)] = 0
      }
      return tcsetattr(descriptor.raw, TCSANOW, &modes) == 0
    }
    if isTerminal { Self.active.withLock { $0 = self } }
  }

  /// Sets the bytes that ``restore()`` writes.
  func setWithdrawal(_ bytes: [UInt8]) {
    state.withLock { $0.withdrawal = bytes }
  }

  /// Withdraws the registrations, and restores the modes of the terminal; waits only for a full terminal, not long.
  func restore() {
    state.withLock { state in
      withdraw(&state.withdrawal)
      guard var modes = state.modes.take() else { return }
      // A change by a background process would stop the process.
      var (signals, mask) = (sigset_t(), sigset_t())
      sigemptyset(&signals)
      sigaddset(&signals, SIGTTOU)
      pthread_sigmask(SIG_BLOCK, &signals, &mask)
      // A shell would run the rest of a message as a command.
      tcflush(descriptor.raw, TCIFLUSH)
      tcsetattr(descriptor.raw, TCSANOW, &modes)
      pthread_sigmask(SIG_SETMASK, &mask, nil)
    }
    Self.active.withLock { if $0 === self { $0 = nil } }
  }

  /// Writes the withdrawal, and keeps what the terminal has not accepted.
  private func withdraw(_ bytes: inout [UInt8]) {
    while !bytes.isEmpty {
      do throws(SystemError) {
        var result = Result<Int, SystemError>.success(0)
        bytes.withUnsafeBytes { bytes in
          result = Result { () throws(SystemError) in try SystemCalls.writeSilently(descriptor.raw, bytes) }
        }
        bytes.removeFirst(try result.get())
      } catch {
        var ready = [pollfd(fd: descriptor.raw, events: Int16(POLLOUT), revents: 0)]
        guard error.errorNumber == EAGAIN, let count = try? SystemCalls.poll(&ready, Self.withdrawalTimeout), count > 0
        else { return }
      }
    }
  }

  /// Restores the terminal that this process uses, if any.
  static func restoreActive() {
    active.withLock { $0 }?.restore()
  }

  /// Stops this process as the key Control-Z does, with the former modes of the terminal; blocks until it continues.
  func suspend() {
    restore()
    // The other processes of the pipeline stop too. This thread must stop before it changes the modes again, so the
    // signal for this process is sent to the thread.
    let former = signal(SIGTSTP, SIG_IGN)
    kill(0, SIGTSTP)
    signal(SIGTSTP, former)
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGTSTP)
    var mask = sigset_t()
    pthread_sigmask(SIG_UNBLOCK, &signals, &mask)
    pthread_kill(pthread_self(), SIGTSTP)
    pthread_sigmask(SIG_SETMASK, &mask, nil)
    makeRaw()
  }

  // MARK: Input and output

  /// A result of ``read(within:_:)``.
  enum Reading: Sendable {
    case bytes([UInt8])
    case pause
    case end
  }

  /// Reads bytes; blocks.
  ///
  /// - Parameters:
  ///   - milliseconds: The maximum wait; -1 for none.
  ///   - interrupt: Ends the wait.
  /// - Returns: The bytes, or `end` if the terminal is closed or the interrupt was raised.
  func read(within milliseconds: CInt, _ interrupt: Interrupt) -> Reading {
    var ready = [
      pollfd(fd: descriptor.raw, events: Int16(POLLIN), revents: 0),
      pollfd(fd: interrupt.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    do throws(SystemError) {
      guard try SystemCalls.poll(&ready, milliseconds) > 0 else { return .pause }
      guard ready[1].revents == 0 else { return .end }
      let bytes = try readAvailable()
      return bytes.isEmpty ? .end : .bytes(bytes)
    } catch {
      return [EAGAIN, EINTR].contains(error.errorNumber) ? .bytes([]) : .end
    }
  }

  private func readAvailable() throws(SystemError) -> [UInt8] {
    var failure: SystemError?
    let bytes = [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
      do throws(SystemError) {
        count = try SystemCalls.read(descriptor.raw, UnsafeMutableRawBufferPointer(buffer))
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Writes all bytes; blocks.
  ///
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - limit: The maximum wait in milliseconds for the terminal to accept a byte.
  ///   - interrupt: Ends the wait.
  /// - Throws: `ETIMEDOUT`, `ECANCELED` after the interrupt, and the errors of `write`.
  func write(_ bytes: [UInt8], within limit: CInt, _ interrupt: Interrupt) throws(SystemError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      do throws(SystemError) {
        var failure: SystemError?
        let count = rest.withUnsafeBytes { bytes in
          do throws(SystemError) {
            return try SystemCalls.writeSilently(descriptor.raw, bytes)
          } catch {
            failure = error
            return 0
          }
        }
        if let failure { throw failure }
        rest = rest.dropFirst(count)
      } catch {
        guard error.errorNumber == EAGAIN else { throw error }
        try awaitRoom(limit, interrupt)
      }
    }
  }

  private func awaitRoom(_ limit: CInt, _ interrupt: Interrupt) throws(SystemError) {
    var ready = [
      pollfd(fd: descriptor.raw, events: Int16(POLLOUT), revents: 0),
      pollfd(fd: interrupt.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    do throws(SystemError) {
      guard try SystemCalls.poll(&ready, limit) > 0 else { throw SystemError(ETIMEDOUT, in: "write") }
    } catch {
      guard error.errorNumber == EINTR else { throw error }
    }
    if ready[1].revents != 0 { throw SystemError(ECANCELED, in: "write") }
  }
}
