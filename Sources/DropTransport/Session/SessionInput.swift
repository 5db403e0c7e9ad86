// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc

/// A reader of the messages of one direction, on the thread that waits for them.
struct SessionInput: ~Copyable {
  private static let bufferLength = 128 << 10
  /// The maximum number of received descriptors whose frames have not been read.
  private static let maximumDescriptors = 16

  private let descriptor: StreamDescriptor
  private let buffer: UnsafeMutableRawBufferPointer
  private var start = 0
  private var end = 0
  private var decoder = FrameDecoder()
  private var parser: SessionParser
  private var descriptors: [CInt] = []
  private var isDrained = true
  /// The times when the peer last sent any byte, and last sent more than an idle keep-alive frame.
  private(set) var signs = SessionSigns()

  init(_ descriptor: consuming StreamDescriptor, limits: DropStreamLimits) {
    self.descriptor = descriptor
    parser = SessionParser(limits: limits)
    buffer = .allocate(byteCount: Self.bufferLength, alignment: 16)
  }

  deinit {
    buffer.deallocate()
    for descriptor in descriptors { Self.close(descriptor) }
  }

  enum Event {
    case message(SessionMessage)
    /// No complete message has arrived yet. The wait may have ended before its limit.
    case nothing
    /// The peer has ended the session with a close frame.
    case end
  }

  /// Waits for the next message.
  ///
  /// - Parameter limit: The longest wait.
  /// - Returns: The message, the end of the session, or `nothing` after the limit at the latest.
  /// - Throws: `DropStreamError` for a violation of the protocol, and for the failure that the peer reports; `peerGone`
  ///   if the input ends without a close frame; `cancelled` when interrupted.
  mutating func next(atMost limit: Duration) throws(DropStreamError) -> Event {
    var hasWaited = false
    while true {
      let window = UnsafeRawBufferPointer(rebasing: buffer[start..<end])
      if let (event, used) = try decoder.next(in: window) {
        start += used
        let message = try parser.take(event, at: decoder.frameOffset)
        if !parser.isIdleKeepAlive { signs.word = signs.byte }
        if let message { return .message(message) }
        continue
      }
      closeUnasked()
      makeRoom()
      let room = UnsafeMutableRawBufferPointer(rebasing: buffer[end...])
      if !isDrained, let count = try read(into: room) {
        guard count > 0 else { return try ended() }
        // A read that does not fill the buffer has usually drained the descriptor.
        isDrained = count < room.count
        signs.byte = .now
        end += count
      } else {
        if hasWaited { return .nothing }
        if try !descriptor.waits(for: POLLIN, atMost: limit) { return .nothing }
        hasWaited = true
        isDrained = false
      }
    }
  }

  /// Removes and returns the earliest received descriptor, which belongs to the latest frame.
  ///
  /// - Returns: The descriptor; `nil` if it arrived while this process was at its descriptor limit.
  /// - Throws: `damaged` if no descriptor has arrived.
  mutating func takeDescriptor() throws(DropStreamError) -> SharedDescriptor? {
    guard !descriptors.isEmpty else {
      throw DropStreamError(.damaged, "corrupt: a frame announces a descriptor that did not arrive")
    }
    let descriptor = descriptors.removeFirst()
    return descriptor < 0 ? nil : SharedDescriptor(OwnedDescriptor(descriptor))
  }

  private static func close(_ descriptor: CInt) {
    if descriptor >= 0 { try? SystemCalls.close(descriptor) }
  }

  private mutating func read(into room: UnsafeMutableRawBufferPointer) throws(DropStreamError) -> Int? {
    do throws(DropStreamError) {
      let count = try descriptor.readAvailable(into: room, descriptors: &descriptors)
      while descriptors.count > Self.maximumDescriptors { Self.close(descriptors.removeLast()) }
      return count
    } catch {
      // A peer that closes with unread input resets the connection after its close frame.
      if parser.hasEnded, error.code == .peerGone { return 0 }
      throw error
    }
  }

  private func ended() throws(DropStreamError) -> Event {
    if parser.hasEnded { return .end }
    if descriptor.interrupt.hasBeenRaised { throw .cancelled }
    let total = decoder.offset + UInt64(end - start)
    throw DropStreamError(
      .peerGone, "the peer closed the connection \(total == 0 ? "without sending a byte" : "too early")", at: total)
  }

  /// Closes received descriptors without a frame: this side did not request them.
  private mutating func closeUnasked() {
    guard start == end, decoder.isBetweenFrames, !descriptors.isEmpty else { return }
    for descriptor in descriptors { Self.close(descriptor) }
    descriptors.removeAll()
  }

  /// Moves the unread bytes to the start of the buffer.
  ///
  /// The unread bytes are at most an incomplete header or checksum, because a payload is consumed in pieces of any
  /// size.
  private mutating func makeRoom() {
    guard start > 0 else { return }
    buffer[..<(end - start)].copyBytes(from: buffer[start..<end])
    end -= start
    start = 0
  }
}

/// The times when the peer last sent something.
struct SessionSigns: Sendable {
  /// The time of the last byte.
  var byte = ContinuousClock.now
  /// The time of the last input other than keep-alive frames of an idle peer.
  var word = ContinuousClock.now
}

extension DropStreamError {
  /// Whether the peer has violated the protocol or a limit.
  ///
  /// The session then reports the error to the peer.
  var isOfPeer: Bool {
    switch code {
    case .damaged, .unsupported, .limitExceeded, .notADropStream, .unsafeName: true
    default: false
    }
  }
}
