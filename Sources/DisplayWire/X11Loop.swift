// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc

/// The loop of a connection's thread, which reads and writes the socket until the connection ends.
struct X11Loop: ~Copyable {
  private let channel: X11Channel
  private let socket: OwnedDescriptor
  private var decoder = X11PacketDecoder()
  /// The buffers that were taken from the queue.
  ///
  /// The buffers before `sentIndex`, and the first `sentCount` bytes of that buffer, have been written.
  private var sending: [[UInt8]] = []
  private var sentIndex = 0
  private var sentCount = 0
  /// Whether the server still reads requests.
  private var isWritable = true

  init(_ channel: X11Channel, socket: consuming OwnedDescriptor) {
    self.channel = channel
    self.socket = socket
  }

  /// Sends the setup request, and waits for the response.
  ///
  /// - Throws: The reason why the connection cannot be opened.
  mutating func handshake(_ request: X11SetupRequest) throws(DisplayError) -> X11Setup {
    channel.change { state, _ in state.queue(setup: request.encoded) }
    while true {
      if let header = decoder.peek(X11SetupResponse.headerSize),
        let bytes = decoder.take(X11SetupResponse.byteCount(header: header))
      {
        return try Self.setup(bytes)
      }
      guard try step() else { throw .closed }
    }
  }

  private static func setup(_ bytes: [UInt8]) throws(DisplayError) -> X11Setup {
    let response: X11SetupResponse
    do throws(X11SyntaxError) {
      response = try X11SetupResponse(bytes)
    } catch {
      throw .violation("byte \(error.offset) of the setup: \(error.reason)")
    }
    switch response {
    case .success(let setup): return setup
    case .failed(let reason), .authenticate(let reason):
      let words = reason.escapedForDisplay().split(separator: "\n").joined(separator: " ")
      throw DisplayError(.refused, "the display refused the connection: \(words) (check XAUTHORITY)")
    }
  }

  /// Reads and writes until the connection ends.
  ///
  /// - Throws: The error that ends the connection.
  mutating func run() throws(DisplayError) {
    while true {
      channel.change { state, delivery in state.receive(from: &decoder, into: &delivery) }
      guard try step() else { return }
    }
  }

  /// Writes the output, waits for events of the socket or a wake-up, and reads the input.
  ///
  /// - Returns: Whether the connection continues.
  private mutating func step() throws(DisplayError) -> Bool {
    var (isEnding, deadline) = takeOutput()
    try write()
    // Requests may have been queued during a long write, and their wake-up may already have been reset.
    while sentIndex > 0, isSent {
      (isEnding, deadline) = takeOutput()
      try write()
    }
    if isEnding { return false }
    var descriptors = [
      pollfd(fd: socket.raw, events: Int16(POLLIN | (isSent ? 0 : POLLOUT)), revents: 0),
      pollfd(fd: channel.wakeUpDescriptor, events: Int16(POLLIN), revents: 0),
    ]
    do throws(SystemError) {
      _ = try SystemCalls.poll(&descriptors, Self.milliseconds(until: deadline))
    } catch {
      guard error.errorNumber == EINTR else { throw DisplayError(.systemCall, "cannot wait for the display", error) }
      return true
    }
    // The connection may have been opened meanwhile, which removes the deadline.
    if deadline != nil, let deadline = channel.change({ state, _ in state.deadline }), deadline <= .now {
      throw DisplayError(.timedOut, "the display did not respond in time")
    }
    if descriptors[1].revents != 0 { channel.resetWakeUp() }
    if descriptors[0].revents & Int16(POLLIN | POLLHUP | POLLERR) != 0 { try read() }
    return true
  }

  /// Takes queued bytes after all previously taken bytes have been written.
  private mutating func takeOutput() -> (isEnding: Bool, deadline: ContinuousClock.Instant?) {
    channel.change { state, _ in
      if isSent {
        state.recordWritten(sending.reduce(0) { $0 + $1.count })
        sending = []
        sentIndex = 0
        swap(&sending, &state.output)
      }
      return (state.ending != nil, state.deadline)
    }
  }

  /// Whether all bytes that were taken from the queue have been written.
  private var isSent: Bool { sentIndex == sending.count }

  private static func milliseconds(until deadline: ContinuousClock.Instant?) -> CInt {
    guard let deadline else { return -1 }
    let (seconds, attoseconds) = (deadline - .now).components
    return CInt(clamping: max(0, seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1))
  }

  /// Writes as many bytes as the socket accepts.
  private mutating func write() throws(DisplayError) {
    while isWritable, !isSent {
      do throws(SystemError) {
        sentCount += try Self.send(socket.raw, sending[sentIndex], from: sentCount)
        if sentCount == sending[sentIndex].count {
          sentIndex += 1
          sentCount = 0
        }
      } catch {
        if error.errorNumber == EAGAIN { return }
        guard error.errorNumber == EPIPE || error.errorNumber == ECONNRESET else {
          throw DisplayError(.systemCall, "cannot write to the display", error)
        }
        // The last messages of the server, such as the reason of a refusal, may still be unread.
        isWritable = false
      }
    }
    if !isWritable { sentIndex = sending.count }
  }

  private static func send(_ socket: CInt, _ bytes: [UInt8], from offset: Int) throws(SystemError) -> Int {
    // `withUnsafeBytes` does not preserve the type of a thrown error.
    let result = bytes.withUnsafeBytes { buffer in
      Result { () throws(SystemError) in
        try SystemCalls.send(
          socket, UnsafeRawBufferPointer(rebasing: buffer[offset...]), CInt(MSG_DONTWAIT) | CInt(MSG_NOSIGNAL))
      }
    }
    return try result.get()
  }

  /// Reads the bytes that have arrived.
  ///
  /// Descriptors that the server passes are not received.
  private mutating func read() throws(DisplayError) {
    let raw = socket.raw
    let count: Int
    do throws(SystemError) {
      count = try decoder.receive { (buffer) throws(SystemError) in
        try SystemCalls.receive(raw, buffer, CInt(MSG_DONTWAIT))
      }
    } catch {
      switch error.errorNumber {
      case EAGAIN where isWritable: return
      case EAGAIN, ECONNRESET: throw Self.gone
      default: throw DisplayError(.systemCall, "cannot read from the display", error)
      }
    }
    guard count > 0 else { throw Self.gone }
  }

  private static let gone = DisplayError(.serverGone, "the display has closed the connection")
}
