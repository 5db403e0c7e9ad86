// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc

/// The loop of a connection's thread, which reads and writes the socket until the connection ends.
struct WaylandLoop: ~Copyable {
  private let channel: WaylandChannel
  private let socket: OwnedDescriptor
  private var decoder = WaylandDecoder()
  /// The batches that were taken from the queue.
  ///
  /// The batches before `sentIndex`, and the first `sentCount` bytes of that batch, have been written.
  private var sending: [WaylandState.Batch] = []
  private var sentIndex = 0
  private var sentCount = 0
  /// Whether the compositor still reads requests.
  private var isWritable = true

  init(_ channel: WaylandChannel, socket: consuming OwnedDescriptor) {
    self.channel = channel
    self.socket = socket
  }

  /// Reads and writes until the connection ends.
  ///
  /// - Throws: The error that ends the connection.
  mutating func run() throws(DisplayError) {
    while try step() {
      channel.change { state, delivery in state.receive(from: &decoder, into: &delivery) }
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
      pollfd(fd: channel.wakeUp.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    do throws(SystemError) {
      _ = try SystemCalls.poll(&descriptors, Self.milliseconds(until: deadline))
    } catch {
      guard error.errorNumber == EINTR else { throw DisplayError(.systemCall, "cannot wait for the compositor", error) }
      return true
    }
    // The connection may have been opened meanwhile, which removes the deadline.
    if deadline != nil, let deadline = channel.change({ state, _ in state.deadline }), deadline <= .now {
      throw DisplayError(.timedOut, "the compositor did not respond in time")
    }
    if descriptors[1].revents != 0 { channel.wakeUp.reset() }
    if descriptors[0].revents & Int16(POLLIN | POLLHUP | POLLERR) != 0 { try read() }
    return true
  }

  /// Takes queued batches after all previously taken batches have been written.
  private mutating func takeOutput() -> (isEnding: Bool, deadline: ContinuousClock.Instant?) {
    channel.change { state, delivery in
      if isSent {
        state.recordWritten(sending)
        // Closes the descriptors that were sent.
        delivery.release(sending)
        sending = []
        sentIndex = 0
        swap(&sending, &state.output)
      }
      return (state.ending != nil, state.deadline)
    }
  }

  /// Whether all batches that were taken from the queue have been written.
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
        if sentCount == sending[sentIndex].bytes.count {
          sentIndex += 1
          sentCount = 0
        }
      } catch {
        if error.errorNumber == EAGAIN { return }
        guard error.errorNumber == EPIPE || error.errorNumber == ECONNRESET else {
          throw DisplayError(.systemCall, "cannot write to the compositor", error)
        }
        // The last messages of the compositor, such as the reason of the end, may still be unread.
        isWritable = false
      }
    }
    if !isWritable { sentIndex = sending.count }
  }

  private static func send(
    _ socket: CInt, _ batch: WaylandState.Batch, from offset: Int
  ) throws(SystemError) -> Int {
    // The kernel passes the descriptors with the first byte.
    let descriptors = offset == 0 ? batch.descriptors.compactMap(\.raw) : []
    // `withUnsafeBytes` does not preserve the type of a thrown error.
    let result = batch.bytes.withUnsafeBytes { buffer in
      Result { () throws(SystemError) in
        try SystemCalls.send(socket, UnsafeRawBufferPointer(rebasing: buffer[offset...]), with: descriptors)
      }
    }
    return try result.get()
  }

  /// Reads the bytes and the descriptors that have arrived.
  private mutating func read() throws(DisplayError) {
    let raw = socket.raw
    let count: Int?
    do throws(SystemError) {
      count = try decoder.receive { (buffer, descriptors) throws(SystemError) in
        try SystemCalls.receive(raw, buffer, descriptors: &descriptors, CInt(MSG_DONTWAIT))
      }
    } catch {
      switch error.errorNumber {
      case EAGAIN where isWritable: return
      case EAGAIN, ECONNRESET: throw Self.gone
      default: throw DisplayError(.systemCall, "cannot read from the compositor", error)
      }
    }
    guard let count else {
      throw DisplayError(.limitExceeded, "the compositor sent more descriptors than this process can accept")
    }
    guard count > 0 else { throw Self.gone }
  }

  private static let gone = DisplayError(.serverGone, "the compositor has closed the connection")
}
