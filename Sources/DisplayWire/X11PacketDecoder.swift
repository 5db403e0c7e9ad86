// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A message of the server.
enum X11Packet: Sendable, Hashable {
  /// A request has failed.
  case error(sequence: UInt16, [UInt8])
  /// A request has succeeded. The bytes include the header.
  case response(sequence: UInt16, [UInt8])
  /// An event. The sequence number is `nil` for `KeymapNotify`, the only event without one.
  case event(sequence: UInt16?, [UInt8])
}

/// A decoder that splits the server's bytes into messages.
struct X11PacketDecoder: Sendable {
  private var buffer: [UInt8] = []
  private var head = 0
  /// The number of bytes of a long event that must still be skipped when they arrive.
  private var skipped = 0
  /// The number of bytes that are missing from a long response; 0 for other messages.
  private var missing = 0
  /// The offset of the next message in the bytes from the server.
  private(set) var offset: UInt64 = 0

  /// The number of bytes that have arrived and have not been removed yet.
  var bufferedBytes: Int { buffer.count - head }

  /// The length in bytes from which a response is long.
  private static let longLength = 1 << 16

  /// Receives bytes from the server.
  ///
  /// A long response ends the buffer, which then becomes the message without a copy.
  ///
  /// - Parameter body: A closure that receives bytes into a buffer, and returns their number.
  /// - Returns: The number of bytes.
  /// - Throws: The error of `body`.
  mutating func receive<Failure: Error>(
    _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
  ) throws(Failure) -> Int {
    let start = buffer.count
    let limit = missing > 0 ? missing : Self.longLength
    try buffer.append(addingCapacity: limit) { (output) throws(Failure) in
      try output.withUnsafeMutableBufferPointer { (bytes, count) throws(Failure) in
        count = try body(UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(bytes)[..<limit]))
      }
    }
    let count = buffer.count - start
    let unwanted = min(skipped, count)
    skipped -= unwanted
    buffer.removeSubrange(start..<start + unwanted)
    missing -= min(missing, count)
    return count
  }

  /// Removes `count` bytes that are not a message, such as the response to the setup request.
  ///
  /// - Returns: The bytes, or `nil` until all of them have arrived.
  mutating func take(_ count: Int) -> [UInt8]? {
    guard bufferedBytes >= count else { return nil }
    if count >= Self.longLength, count == buffer.count {
      defer { buffer = [] }
      offset += UInt64(count)
      return buffer
    }
    let bytes = Array(buffer[head..<head + count])
    advance(count)
    return bytes
  }

  /// Returns the bytes that `take(_:)` would remove, without removing them.
  func peek(_ count: Int) -> ArraySlice<UInt8>? {
    bufferedBytes >= count ? buffer[head..<head + count] : nil
  }

  /// Removes the next message.
  ///
  /// - Parameter limit: A closure that returns the maximum length of a response after its first 32 bytes.
  /// - Returns: The message, or `nil` until all its bytes have arrived.
  /// - Throws: The error of `limit`; `X11SyntaxError` for a message that exceeds its limit.
  mutating func next(
    limit: (_ sequence: UInt16) throws(X11SyntaxError) -> Int
  ) throws(X11SyntaxError) -> X11Packet? {
    guard bufferedBytes >= 32 else { return nil }
    let code = buffer[head]
    let sequence = UInt16(buffer[head + 2]) | UInt16(buffer[head + 3]) << 8
    switch code & 0x7F {
    case 0 where code == 0:
      return take(32).map { .error(sequence: sequence, $0) }
    case 1 where code == 1:
      let extra = 4 * extraWords
      let maximum = try limit(sequence)
      guard extra <= maximum else {
        throw X11SyntaxError(4, "response of \(32 + extra) bytes exceeds the limit of \(32 + maximum)")
      }
      let count = 32 + extra
      if count >= Self.longLength, bufferedBytes < count {
        buffer.removeFirst(head)
        head = 0
        buffer.reserveCapacity(count)
        missing = count - buffer.count
      }
      return take(count).map { .response(sequence: sequence, $0) }
    case 35:
      // A generic event. This program never selects such events of an extension, so the rest of the event is skipped.
      let extra = 4 * extraWords
      guard extra <= Self.maximumEventBytes else {
        throw X11SyntaxError(4, "event of \(32 + extra) bytes exceeds the limit of \(32 + Self.maximumEventBytes)")
      }
      let packet = take(32)
      let present = min(extra, bufferedBytes)
      advance(present)
      skipped = extra - present
      offset += UInt64(skipped)
      return packet.map { .event(sequence: sequence, $0) }
    case 11:
      return take(32).map { .event(sequence: nil, $0) }
    default:
      return take(32).map { .event(sequence: sequence, $0) }
    }
  }

  /// The maximum length of an event after its first 32 bytes.
  private static let maximumEventBytes = 1 << 20

  /// The number of units of four bytes that follow the first 32 bytes, as the header declares it.
  private var extraWords: Int {
    (0..<4).reduce(0) { $0 | Int(buffer[head + 4 + $1]) << (8 * $1) }
  }

  private mutating func advance(_ count: Int) {
    head += count
    offset += UInt64(count)
    if head == buffer.count {
      // Releases the large buffer that a long response needed.
      buffer.removeAll(keepingCapacity: buffer.capacity <= 1 << 18)
      head = 0
    } else if head > 1 << 16 {
      buffer.removeFirst(head)
      head = 0
    }
  }
}
