// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc

/// Pulls the messages of one direction of a session out of a descriptor, on the thread that waits for them.
struct SessionInput: ~Copyable {
  private static let bufferLength = 128 << 10
  /// For less it is not worth a call of its own.
  private static let worthwhile = 16 << 10
  /// Descriptors that have come, and whose frames have not yet been seen.
  private static let maximumDescriptors = 16

  private let descriptor: StreamDescriptor
  private let buffer: UnsafeMutableRawBufferPointer
  private var start = 0
  private var end = 0
  private var decoder = FrameDecoder()
  private var parser: SessionParser
  private var descriptors: [CInt] = []
  private var isDrained = true
  /// Whether a call may wait for the first byte: where whoever ends the session reaches it.
  private let mayWait: Bool
  /// When the peer has last sent anything, and anything but keep-alives of a peer that has nothing to do.
  private(set) var signs = SessionSigns()
  /// How long the socket waits for its first byte, where that has been set.
  private var receiveTimeout: Duration?
  /// Whether there may be more to take in without waiting.
  var mayHaveMore: Bool { start < end || !isDrained }

  init(_ descriptor: consuming StreamDescriptor, limits: DropStreamLimits, mayWait: Bool = false) {
    self.descriptor = descriptor
    self.mayWait = mayWait
    parser = SessionParser(limits: limits)
    buffer = .allocate(byteCount: Self.bufferLength, alignment: 16)
  }

  deinit {
    buffer.deallocate()
    for descriptor in descriptors { Self.close(descriptor) }
  }

  enum Event {
    case message(SessionMessage)
    /// Nothing has come for as long as was to be waited.
    case nothing
    /// The peer has said its last, as it should.
    case end
  }

  /// Waits for the next message.
  ///
  /// - Parameter limit: How long.
  /// - Returns: The message, or that there is none.
  /// - Throws: What is wrong with what came; `peerGone` where there is no more and the peer has not said so.
  mutating func next(atMost limit: Duration) throws(DropStreamError) -> Event {
    // A short wait is for a clock that must be looked at; a call that waits by itself is for messages that must be quick.
    let mayWait = mayWait && limit > DropSession.tick
    if mayWait { setReceiveTimeout(limit) }
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
      // The rest of a long chunk is read to where it will stay.
      let chunkRoom = start == end ? parser.chunkRoom.flatMap { $0.count >= Self.worthwhile ? $0 : nil } : nil
      let room = chunkRoom ?? UnsafeMutableRawBufferPointer(rebasing: buffer[end...])
      // After a read that did not fill the buffer there is nothing more as a rule: one call less to find that out.
      let mayWait = mayWait && !descriptor.interrupt.hasBeenRaised
      if mayWait || !isDrained, let count = try read(into: room, mayWait: mayWait) {
        guard count > 0 else { return try ended() }
        isDrained = count < room.count
        signs.byte = .now
        if chunkRoom == nil { end += count } else { try takePart(UnsafeRawBufferPointer(rebasing: room[..<count])) }
      } else {
        if hasWaited || mayWait { return .nothing }
        if try !descriptor.waits(for: POLLIN, atMost: limit) { return .nothing }
        hasWaited = true
        isDrained = false
      }
    }
  }

  /// Takes a part of a chunk that was read to its place.
  private mutating func takePart(_ part: UnsafeRawBufferPointer) throws(DropStreamError) {
    guard let (event, _) = try decoder.next(in: part) else { return }
    _ = try parser.take(event, at: decoder.frameOffset)
    signs.word = signs.byte
  }

  /// Has a call that waits end after `limit`; where that is refused it waits for a byte, or the end of the session.
  private mutating func setReceiveTimeout(_ limit: Duration) {
    guard receiveTimeout != limit else { return }
    receiveTimeout = limit
    descriptor.setReceiveTimeout(limit)
  }

  /// The descriptor that came with the frame that was just understood.
  ///
  /// - Returns: The descriptor; `nil` where it has come, and this process has as many as it may have.
  /// - Throws: `damaged` where none has come.
  mutating func takeDescriptor() throws(DropStreamError) -> SharedDescriptor? {
    guard !descriptors.isEmpty else {
      throw DropStreamError(.damaged, "corrupt: a frame speaks of a descriptor that has not come")
    }
    let descriptor = descriptors.removeFirst()
    return descriptor < 0 ? nil : SharedDescriptor(OwnedDescriptor(descriptor))
  }

  private static func close(_ descriptor: CInt) {
    if descriptor >= 0 { try? SystemCalls.close(descriptor) }
  }

  private mutating func read(
    into room: UnsafeMutableRawBufferPointer, mayWait: Bool
  ) throws(DropStreamError) -> Int? {
    do throws(DropStreamError) {
      let count = try descriptor.readAvailable(into: room, descriptors: &descriptors, mayWait: mayWait)
      while descriptors.count > Self.maximumDescriptors { Self.close(descriptors.removeLast()) }
      return count
    } catch {
      // A peer that closes before it has read everything resets the connection behind its bye.
      if parser.hasEnded, error.code == .peerGone { return 0 }
      throw error
    }
  }

  private func ended() throws(DropStreamError) -> Event {
    if parser.hasEnded { return .end }
    if descriptor.interrupt.hasBeenRaised { throw .cancelled }
    let total = decoder.offset + UInt64(end - start)
    throw DropStreamError(
      .peerGone, total == 0 ? "the other side has left without a word" : "the other side has died", at: total)
  }

  /// Descriptors that no frame speaks of: nobody asked for them.
  private mutating func closeUnasked() {
    guard start == end, decoder.isBetweenFrames, !descriptors.isEmpty else { return }
    for descriptor in descriptors { Self.close(descriptor) }
    descriptors.removeAll()
  }

  /// What is left is never more than an incomplete header or check: a payload is used in whatever pieces it comes.
  private mutating func makeRoom() {
    guard start > 0 else { return }
    buffer[..<(end - start)].copyBytes(from: buffer[start..<end])
    end -= start
    start = 0
  }
}
