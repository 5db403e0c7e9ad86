// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import DropTransport
import Glibc
import Synchronization
import TestSupport

@testable import DragPipeTool

/// A pseudo-terminal.
///
/// The test reads what a program writes to it.
final class PseudoTerminal: Sendable {
  private let master: OwnedDescriptor
  private let slave: OwnedDescriptor
  private let all = Lock<[UInt8]>([])

  /// An environment whose messages go to the terminal.
  var environment: ToolEnvironment { ToolEnvironment(errors: slave.raw) }

  init(columns: UInt16) throws {
    var ends: (master: CInt, slave: CInt) = (-1, -1)
    _ = try Self.valid(openpty(&ends.master, &ends.slave, nil, nil, nil))
    for end in [ends.master, ends.slave] { _ = try Self.valid(fcntl(end, F_SETFD, FD_CLOEXEC)) }
    master = OwnedDescriptor(ends.master)
    slave = OwnedDescriptor(ends.slave)
    try setColumns(columns)
  }

  func setColumns(_ columns: UInt16) throws {
    var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    _ = try Self.valid(ioctl(slave.raw, UInt(TIOCSWINSZ), &size))
  }

  /// Returns all bytes that have arrived at the test's side so far.
  func received() throws -> [UInt8] {
    try all.withLock { all in
      while true {
        var ready = pollfd(fd: master.raw, events: Int16(POLLIN), revents: 0)
        guard poll(&ready, 1, 0) == 1, ready.revents & Int16(POLLIN) != 0 else { return all }
        all += try readSome(master.raw, 4096)
      }
    }
  }

  /// Waits for everything that has been written to the terminal, and returns it.
  func receivedAll() async throws -> [UInt8] {
    let mark = UInt8(ascii: "\u{1}")
    guard write(slave.raw, [mark], 1) == 1 else { throw SystemError(errno, in: "write") }
    try await wait(for: "the end of the output") { try received().last == mark }
    return try received().filter { $0 != mark }
  }

  /// Fills the terminal, so that it accepts no further byte.
  func fill() throws {
    let unhurried = try SystemCalls.open("/proc/self/fd/\(slave.raw)", O_WRONLY | O_NONBLOCK | O_NOCTTY)
    defer { try? SystemCalls.close(unhurried) }
    while write(unhurried, "x", 1) == 1 {}
  }

  private static func valid(_ value: CInt) throws(SystemError) -> CInt {
    guard value != -1 else { throw SystemError(errno, in: "a terminal's") }
    return value
  }
}

/// The screen of a terminal that supports only the escape sequences of progress output.
struct TerminalModel {
  let columns: Int
  /// The rows; the last row contains the cursor.
  private(set) var rows: [[Character]] = [[]]
  /// The successive complete texts of the last row.
  private(set) var drawn: [String] = []
  private(set) var hasWrapped = false
  private(set) var isUnderstood = true
  private var cursor = 0

  init(columns: Int, _ bytes: [UInt8]) {
    self.columns = columns
    var rest = Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)[...]
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\r": cursor = 0
      case "\n": rows.append([])
      case "\u{1B}":
        isUnderstood = isUnderstood && rest.prefix(2) == ["[", "K"]
        rest = rest.dropFirst(2)
        rows[rows.count - 1].removeSubrange(min(cursor, rows[rows.count - 1].count)...)
        drawn.append(String(rows[rows.count - 1]))
      default: put(Character(scalar))
      }
    }
  }

  /// Puts a character into the next cell.
  ///
  /// A wide character also gets a second cell, which contains a null.
  private mutating func put(_ character: Character) {
    let last = rows.count - 1
    for part in [character] + Array(repeating: "\0", count: String(character).columnCount - 1) {
      if cursor >= columns { hasWrapped = true }
      if cursor < rows[last].count { rows[last][cursor] = part } else { rows[last].append(part) }
      cursor += 1
    }
  }

  var text: [String] { rows.map { String($0.filter { $0 != "\0" }) } }
}
