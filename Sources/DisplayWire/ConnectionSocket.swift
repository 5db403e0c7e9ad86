// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc

/// Bytes of requests, and the descriptors that are sent with the first byte.
struct OutputBatch: Sendable {
  var bytes: [UInt8] = []
  var descriptors: [WaylandDescriptor] = []
}

/// The requests of a connection that are not yet written.
struct OutputQueue: Sendable {
  /// The maximum length in bytes of a batch that several requests share.
  private static let sharedBytes = 1 << 16

  /// The requests that the thread has not taken yet.
  private var batches: [OutputBatch] = []
  /// The number of bytes that are queued, or that the thread has taken and not yet written completely.
  private(set) var byteCount = 0
  /// The number of descriptors, counted as in ``byteCount``.
  private(set) var descriptorCount = 0

  /// Appends a request.
  ///
  /// A long request has its own batch, so that it is not copied.
  mutating func append(_ bytes: [UInt8], _ descriptors: [WaylandDescriptor] = []) {
    byteCount += bytes.count
    descriptorCount += descriptors.count
    if let last = batches.indices.last, batches[last].bytes.count + bytes.count <= Self.sharedBytes,
      batches[last].descriptors.count + descriptors.count <= SystemCalls.descriptorsPerCall
    {
      batches[last].bytes += bytes
      batches[last].descriptors += descriptors
    } else {
      batches.append(OutputBatch(bytes: bytes, descriptors: descriptors))
    }
  }

  /// Removes the queued requests, and records that the batches that were taken before are written.
  mutating func take(after written: [OutputBatch]) -> [OutputBatch] {
    for batch in written {
      byteCount -= batch.bytes.count
      descriptorCount -= batch.descriptors.count
    }
    defer { batches = [] }
    return batches
  }
}

/// A decoder that receives the server's bytes.
protocol ConnectionDecoder {
  /// Receives the bytes that have arrived, without waiting.
  ///
  /// - Returns: The number of bytes, which is 0 at the end; `nil` if this process could not accept a descriptor.
  mutating func receive(from socket: CInt) throws(SystemError) -> Int?
}

/// The socket of a connection's thread, and the requests that the thread has taken to write.
struct ConnectionSocket: ~Copyable {
  private let socket: OwnedDescriptor
  /// The name of the server in errors.
  private let peer: String
  /// The batches that were taken from the queue.
  ///
  /// The batches before `sentIndex`, and the first `sentCount` bytes of that batch, have been written.
  private var sending: [OutputBatch] = []
  private var sentIndex = 0
  private var sentCount = 0
  /// Whether the server still reads requests.
  private var isWritable = true

  init(_ socket: consuming OwnedDescriptor, to peer: String) {
    self.socket = socket
    self.peer = peer
  }

  /// Writes the output, waits for events of the socket or a wake-up, and reads the input.
  ///
  /// - Returns: Whether the connection continues.
  mutating func step<State>(
    _ channel: ConnectionChannel<State>, _ decoder: inout some ConnectionDecoder
  ) throws(DisplayError) -> Bool {
    var (isEnding, deadline) = takeOutput(channel)
    try write()
    // Requests may have been queued during a long write, and their wake-up may already have been reset.
    while sentIndex > 0, isSent {
      (isEnding, deadline) = takeOutput(channel)
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
      guard error.errorNumber == EINTR else { throw DisplayError(.systemCall, "cannot wait for the \(peer)", error) }
      return true
    }
    // The connection may have been opened meanwhile, which removes the deadline.
    if deadline != nil, let deadline = channel.change({ state, _ in state.deadline }), deadline <= .now {
      throw DisplayError(.timedOut, "the \(peer) did not respond in time")
    }
    if descriptors[1].revents != 0 { channel.wakeUp.reset() }
    if descriptors[0].revents & Int16(POLLIN | POLLHUP | POLLERR) != 0 { try read(&decoder) }
    return true
  }

  /// Takes queued requests after all previously taken requests have been written.
  private mutating func takeOutput<State>(
    _ channel: ConnectionChannel<State>
  ) -> (isEnding: Bool, deadline: ContinuousClock.Instant?) {
    channel.change { state, delivery in
      if isSent {
        // Closes the descriptors that were sent.
        delivery.release(sending)
        sending = state.output.take(after: sending)
        sentIndex = 0
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
        if sentCount == sending[sentIndex].bytes.count {
          sentIndex += 1
          sentCount = 0
        }
      } catch {
        if error.errorNumber == EAGAIN { return }
        guard error.errorNumber == EPIPE || error.errorNumber == ECONNRESET else {
          throw DisplayError(.systemCall, "cannot write to the \(peer)", error)
        }
        // The last messages of the server, such as the reason of a refusal, may still be unread.
        isWritable = false
      }
    }
    if !isWritable { sentIndex = sending.count }
  }

  private static func send(_ socket: CInt, _ batch: OutputBatch, from offset: Int) throws(SystemError) -> Int {
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

  /// Reads the bytes that have arrived.
  private mutating func read(_ decoder: inout some ConnectionDecoder) throws(DisplayError) {
    let gone = DisplayError(.serverGone, "the \(peer) has closed the connection")
    let count: Int?
    do throws(SystemError) {
      count = try decoder.receive(from: socket.raw)
    } catch {
      switch error.errorNumber {
      case EAGAIN where isWritable: return
      case EAGAIN, ECONNRESET: throw gone
      default: throw DisplayError(.systemCall, "cannot read from the \(peer)", error)
      }
    }
    guard let count else {
      throw DisplayError(.limitExceeded, "the \(peer) sent more descriptors than this process can accept")
    }
    guard count > 0 else { throw gone }
  }
}
