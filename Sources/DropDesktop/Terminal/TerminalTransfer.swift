// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropSystem
internal import Glibc
internal import Synchronization

/// A request for data of a drop.
///
/// The values are those of the keys `x`, `y` and `Y`.
struct TerminalDataRequest: Sendable, Hashable {
  /// The number of the type, or of the entry of a folder; from 1.
  var x: Int
  /// The number of the address in the list of addresses, from 1; 0 for the value of the type.
  var y = 0
  /// The handle of a folder; 0 for none.
  var handle = 0

  var message: TerminalMessage { TerminalMessage(.data, x: x, y: y, upperY: handle) }

  /// Whether a message is a response to the request.
  func isAnswered(by message: TerminalMessage) -> Bool {
    (message.x, message.y, message.upperY) == (x, y, handle)
  }
}

/// The data that the terminal sends for one request.
///
/// The terminal is read more slowly than it sends if the data is not taken.
final class TerminalDataStream: Sendable {
  /// The maximum number of parts that wait to be taken.
  private static let maximumParts = 256

  private enum Part: Sendable {
    case begin(kind: Int)
    case bytes([UInt8])
    case end
    case failure(DesktopError)
  }

  private struct State {
    var decoder = TerminalBase64.Decoder()
    var hasBegun = false
    var hasEnded = false
    var isDiscarded = false
    var count = 0
    /// Whether a message has arrived since the last call of ``hasAdvanced()``.
    var hasAdvanced = false
  }

  private let request: TerminalDataRequest
  private let display: TerminalDisplay
  private let parts = AsyncQueue<Part>()
  private let room = AsyncSemaphore(permits: maximumParts)
  private let state = Lock(State())
  private let isReleased = Lock(false)
  private let onFailure: @Sendable (DesktopError) -> Void

  /// Sends a request.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - display: The terminal.
  ///   - onFailure: Called when the data ends with an error.
  /// - Throws: `displayGone`, `timedOut`, `cancelled`.
  init(
    _ request: TerminalDataRequest, _ display: TerminalDisplay, onFailure: @escaping @Sendable (DesktopError) -> Void
  ) async throws(DesktopError) {
    (self.request, self.display, self.onFailure) = (request, display, onFailure)
    try await display.beginTransfer(self)
    do throws(DesktopError) {
      try await display.send(request.message)
    } catch {
      release()
      throw error
    }
  }

  /// Allows the next request.
  private func release() {
    let isFirst = isReleased.withLock { isReleased in
      defer { isReleased = true }
      return !isReleased
    }
    guard isFirst else { return }
    display.endTransfer()
  }

  /// Returns whether a message has arrived since the last call.
  func hasAdvanced() -> Bool {
    state.withLock { state in
      defer { state.hasAdvanced = false }
      return state.hasAdvanced
    }
  }

  // MARK: The side of the terminal

  /// Takes a message; waits while many parts are not taken, but not longer than the idle timeout.
  func receive(_ message: TerminalMessage) async {
    let isAwaited = state.withLock { state in
      guard request.isAnswered(by: message), !state.hasEnded else { return false }
      state.hasAdvanced = true
      return true
    }
    guard isAwaited else { return }
    if message.kind == .dataError {
      return fail(DesktopError(reporting: TerminalErrorReport(parsing: message.payload), of: .sourceFailed))
    }
    do throws(TerminalSyntaxError) {
      for part in try parts(of: message) {
        let timeout = display.options.idleTimeout
        guard await room.wait(within: timeout) else {
          return fail(DesktopError(.timedOut, "the data from the terminal was not taken within \(timeout)"))
        }
        if state.withLock({ $0.isDiscarded }) { room.signal() } else { parts.put(part) }
      }
    } catch {
      return fail(DesktopError(.malformed, "the terminal has sent invalid data: \(error.reason)"))
    }
    if state.withLock({ $0.hasEnded }) { release() }
  }

  private func parts(of message: TerminalMessage) throws(TerminalSyntaxError) -> [Part] {
    try state.withLock { (state) throws(TerminalSyntaxError) in
      var parts: [Part] = state.hasBegun ? [] : [.begin(kind: message.upperX)]
      state.hasBegun = true
      var bytes = try state.decoder.decode(message.payload)
      // A message whose chunks end is a complete text, and an empty message is the end of the data.
      if !message.hasMore { bytes += try state.decoder.finish() }
      if !bytes.isEmpty { parts.append(.bytes(bytes)) }
      if !message.hasMore, message.payload.isEmpty {
        state.hasEnded = true
        parts.append(.end)
      }
      return parts
    }
  }

  /// Ends the data with an error, unless it has ended before.
  func fail(_ error: DesktopError) {
    let isFirst = state.withLock { state in
      defer { state.hasEnded = true }
      return !state.hasEnded
    }
    guard isFirst else { return }
    parts.put(.failure(error))
    onFailure(error)
    release()
  }

  // MARK: The side of the receiver

  /// Returns the value of the key `X` in the response: the kind of a file, or whether the files are on another machine.
  func kind() async throws -> Int {
    guard case .begin(let kind) = try await next() else { throw Self.missing }
    return kind
  }

  /// Waits for the next bytes.
  ///
  /// - Parameter limit: The maximum length of the data in bytes.
  /// - Returns: The bytes; `nil` at the end.
  /// - Throws: `sourceFailed`, `notAllowed`, `timedOut`, `limitExceeded`, `malformed`, `displayGone`.
  func nextBytes(limit: Int) async throws -> ArraySlice<UInt8>? {
    while true {
      switch try await next() {
      case .begin: continue
      case .end: return nil
      case .failure: throw Self.missing
      case .bytes(let bytes):
        let count = state.withLock { state in
          state.count += bytes.count
          return state.count
        }
        guard count <= limit else {
          throw DesktopError(
            .limitExceeded, "the value of at least \(count) bytes exceeds the limit of \(limit) bytes",
            isByteLimit: limit == display.options.maximumBytes)
        }
        return bytes[...]
      }
    }
  }

  private func next() async throws -> Part {
    let next: Part?
    do {
      next = try await parts.next(within: display.options.idleTimeout, while: "the terminal sends a value")
    } catch let error as DesktopError where error.code == .timedOut {
      // Data that arrives later belongs to no request.
      fail(error)
      throw error
    }
    guard let part = next else { throw Self.missing }
    room.signal()
    if case .failure(let error) = part { throw error }
    return part
  }

  /// Ignores the rest of the data, which the terminal still sends.
  func discard() {
    state.withLock { $0.isDiscarded = true }
    room.signal()
  }

  /// Ends the data with an error, after the end of the drop.
  func abandon() {
    discard()
    fail(DesktopError(.notAllowed, "the drop has ended already"))
  }

  private static let missing = DesktopError(.malformed, "the terminal has sent no data")
}

extension DesktopError {
  /// Creates the error that a terminal has reported.
  init(reporting report: TerminalErrorReport, of code: Code) {
    let isDenied = report.errorNumber == EPERM || report.errorNumber == EACCES
    self.init(isDenied ? .notAllowed : code, "the terminal reports \(report.description)")
  }
}
