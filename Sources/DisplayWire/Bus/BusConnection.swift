// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import DropSystem
internal import Glibc
internal import Synchronization

/// A connection to a D-Bus message bus, opened at the first call.
///
/// After an error of the connection, the next call opens a new connection with another name on the bus.
package final class BusConnection: Sendable {
  /// The maximum number of signals that wait to be taken; older signals are dropped.
  static let maximumSignals = 64

  private let connect: @Sendable (Duration) throws(DisplayError) -> OwnedDescriptor
  private let timeout: Duration
  private let turn = AsyncSemaphore()
  /// The open session, which a call takes for its duration.
  private let session = Lock<BusSession?>(nil)
  private let signals = Lock<[BusMessage]>([])

  /// Creates a connection.
  ///
  /// - Parameters:
  ///   - timeout: The maximum duration of a call, with the opening of the connection.
  ///   - connect: Returns a socket that is connected to the bus, within a timeout; may block.
  package init(
    timeout: Duration = .seconds(10), connect: @escaping @Sendable (Duration) throws(DisplayError) -> OwnedDescriptor
  ) {
    (self.timeout, self.connect) = (timeout, connect)
  }

  /// Calls a method.
  ///
  /// Calls are sent one after the other. Cancellation ends the wait at once; the connection stays open if the call has
  /// been sent completely.
  ///
  /// - Returns: The response.
  /// - Throws: `requestFailed` if the service or the bus reports an error; `unreachable`, `refused`, `timedOut`,
  ///   `serverGone`, `protocolViolation`, `limitExceeded`, `cancelled`, `systemCall`.
  package func call(_ call: BusCall) async throws(DisplayError) -> BusMessage {
    guard await turn.wait() else { throw .cancelled }
    defer { turn.signal() }
    let interrupt = try mapError(try Interrupt()) { DisplayError(.systemCall, "no descriptor for a call", $0) }
    return try await interrupt.raisedOnCancellation { () async throws(DisplayError) in
      try await runBlocking { () throws(DisplayError) in try perform(call, interrupt) }
    }
  }

  private func perform(_ call: BusCall, _ interrupt: Interrupt) throws(DisplayError) -> BusMessage {
    let wait = BusWait(deadline: .now + timeout, interrupt: interrupt)
    var open: BusSession?
    session.withLock { swap(&$0, &open) }
    if open == nil {
      var new = BusSession(try connect(timeout))
      try new.handshake(wait)
      open = consume new
    }
    // An error that is thrown here closes the session.
    let result = try open?.call(call, wait)
    let arrived = open?.takeSignals() ?? []
    signals.withLock { $0 = Array(($0 + arrived).suffix(Self.maximumSignals)) }
    session.withLock { swap(&$0, &open) }
    guard let result else { throw DisplayError(.serverGone, "the session bus has closed the connection") }
    return try result.get()
  }

  /// Returns the signals that arrived during calls, oldest first, and forgets them.
  package func takeSignals() -> [BusMessage] {
    signals.withLock { signals in
      defer { signals = [] }
      return signals
    }
  }
}

/// The limits of a wait for a bus.
private struct BusWait: Sendable {
  let deadline: ContinuousClock.Instant
  let interrupt: Interrupt

  /// Waits until the socket is ready.
  func wait(for events: Int32, _ socket: CInt) throws(DisplayError) {
    var descriptors = [
      pollfd(fd: socket, events: Int16(events), revents: 0),
      pollfd(fd: interrupt.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    while true {
      let rest = deadline - .now
      guard rest > .zero else { throw DisplayError(.timedOut, "the session bus did not respond in time") }
      do throws(SystemError) {
        _ = try SystemCalls.poll(&descriptors, CInt(clamping: Int(rest / .milliseconds(1)) + 1))
      } catch {
        guard error.errorNumber == EINTR else { throw DisplayError(.systemCall, "cannot wait for the bus", error) }
      }
      if interrupt.hasBeenRaised { throw .cancelled }
      if descriptors[0].revents != 0 { return }
    }
  }
}

/// A connected socket, with the bytes and descriptors that have arrived.
private struct BusSession: ~Copyable {
  private let socket: OwnedDescriptor
  private var input: [UInt8] = []
  private var descriptors: [CInt] = []
  private var lastSerial: UInt32 = 0
  private var signals: [BusMessage] = []

  init(_ socket: consuming OwnedDescriptor) {
    self.socket = socket
  }

  deinit {
    for descriptor in descriptors { try? SystemCalls.close(descriptor) }
  }

  mutating func takeSignals() -> [BusMessage] {
    defer { signals = [] }
    return signals
  }

  // MARK: Calls

  /// Authenticates as this user, and gets a name on the bus.
  mutating func handshake(_ wait: BusWait) throws(DisplayError) {
    let user = "\(geteuid())".utf8.map { String($0, radix: 16) }.joined()
    try write(Array("\0AUTH EXTERNAL \(user)\r\nNEGOTIATE_UNIX_FD\r\nBEGIN\r\n".utf8), [], wait)
    let responses = [try readLine(wait), try readLine(wait)]
    guard responses[0].hasPrefix("OK "), responses[1] == "AGREE_UNIX_FD" else {
      let shown = responses.joined(separator: ", ").escapedForDisplay(limit: 200)
      throw DisplayError(.refused, "the session bus refused the connection: \(shown)")
    }
    let bus = "org.freedesktop.DBus"
    _ = try call(BusCall("Hello", of: bus, at: "/org/freedesktop/DBus", in: bus), wait).get().string()
  }

  private mutating func readLine(_ wait: BusWait) throws(DisplayError) -> String {
    while true {
      if let end = input.firstIndex(of: 0x0A) {
        let line = input[..<end]
        guard line.last == 0x0D else { throw .violation("the authentication of the session bus") }
        input.removeFirst(end + 1)
        return String(decoding: line.dropLast(), as: UTF8.self)
      }
      guard input.count <= 1024 else { throw .violation("the authentication of the session bus: a line without end") }
      try receive(wait)
    }
  }

  /// Calls a method.
  ///
  /// - Returns: The response, or an error after which the session can still be used.
  /// - Throws: An error that ends the session.
  mutating func call(_ call: BusCall, _ wait: BusWait) throws(DisplayError) -> Result<BusMessage, DisplayError> {
    guard lastSerial < .max else { throw DisplayError(.limitExceeded, "the serial numbers of calls are exhausted") }
    lastSerial += 1
    try write(call.encoded(serial: lastSerial), call.descriptors, wait)
    while true {
      let message: BusMessage
      do throws(DisplayError) {
        message = try nextMessage(wait)
      } catch {
        // A later call ignores the response.
        guard error.code == .cancelled else { throw error }
        return .failure(error)
      }
      guard message.responseSerial <= lastSerial else {
        throw .violation("a response of the session bus to call \(message.responseSerial); the last is \(lastSerial)")
      }
      switch message.kind {
      case .response where message.responseSerial == lastSerial: return .success(message)
      case .failure where message.responseSerial == lastSerial: return .failure(message.error)
      case .signal:
        if signals.count == BusConnection.maximumSignals { signals.removeFirst() }
        signals.append(message)
      case .response, .failure, .call, nil: break
      }
    }
  }

  // MARK: Messages

  /// Returns the next message, and closes its descriptors.
  private mutating func nextMessage(_ wait: BusWait) throws(DisplayError) -> BusMessage {
    while true {
      let prefix = input.prefix(BusMessage.prefixByteCount)
      if prefix.count == BusMessage.prefixByteCount {
        let count = try BusMessage.byteCount(prefix: Array(prefix))
        if input.count >= count {
          let message = try BusMessage(Array(input.prefix(count)))
          input.removeFirst(count)
          let passed = message.descriptorCount
          // Further descriptors belong to the next message, of which at least one byte arrives with them.
          guard passed <= descriptors.count, !input.isEmpty || passed == descriptors.count else {
            throw .violation("a message from the session bus: \(descriptors.count) descriptors instead of \(passed)")
          }
          for descriptor in descriptors.prefix(passed) { try? SystemCalls.close(descriptor) }
          descriptors.removeFirst(passed)
          return message
        }
      }
      try receive(wait)
    }
  }

  private mutating func write(_ bytes: [UInt8], _ passed: [CInt], _ wait: BusWait) throws(DisplayError) {
    var sent = 0
    while sent < bytes.count {
      let (raw, start) = (socket.raw, sent)
      do throws(SystemError) {
        sent += try bytes[start...].withUnsafeBufferPointer { (rest) throws(SystemError) in
          try SystemCalls.send(raw, UnsafeRawBufferPointer(rest), with: start == 0 ? passed : [])
        }
      } catch {
        guard error.errorNumber == EAGAIN else { throw Self.failure(error, "write to") }
        try wait.wait(for: POLLOUT, raw)
      }
    }
  }

  /// Waits for bytes, and appends them to the input.
  private mutating func receive(_ wait: BusWait) throws(DisplayError) {
    let raw = socket.raw
    try wait.wait(for: POLLIN, raw)
    var buffer = [UInt8](repeating: 0, count: 16_384)
    let count: Int
    do throws(SystemError) {
      count = try buffer.withUnsafeMutableBufferPointer { (buffer) throws(SystemError) in
        try SystemCalls.receive(
          raw, UnsafeMutableRawBufferPointer(buffer), descriptors: &descriptors, CInt(MSG_DONTWAIT))
      }
    } catch {
      throw Self.failure(error, "read from")
    }
    guard count > 0 else { throw DisplayError(.serverGone, "the session bus has closed the connection") }
    guard !descriptors.contains(-1), descriptors.count <= BusCall.maximumDescriptors else {
      descriptors.removeAll { $0 == -1 }
      throw DisplayError(.limitExceeded, "the session bus passes too many descriptors")
    }
    input += buffer[..<count]
  }

  private static func failure(_ error: SystemError, _ action: String) -> DisplayError {
    if error.errorNumber == EPIPE || error.errorNumber == ECONNRESET {
      return DisplayError(.serverGone, "the session bus has closed the connection")
    }
    return DisplayError(.systemCall, "cannot \(action) the session bus", error)
  }
}
