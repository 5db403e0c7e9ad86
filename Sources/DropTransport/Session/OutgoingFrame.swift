// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// An outgoing frame.
///
/// The writer sets its sequence number and checksums when it writes the frame.
struct OutgoingFrame: Sendable {
  private let type: FrameType
  private let flags: FrameFlags
  private let number: UInt32
  /// Space for the header, the payload, and space for the checksum; empty if the frame is in ``pooled``.
  private(set) var bytes: [UInt8]
  /// The frame in pooled memory, in place of ``bytes``.
  private var pooled: ContentBuffer?
  /// Whether the payload ends with the digest of all preceding frames.
  var endsWithDigest = false
  /// The descriptor that is sent with the first byte, if any.
  private(set) var descriptor: SharedDescriptor?
  /// Whether the sender has reserved space for the frame in the output queue.
  var isContent = false

  init(
    _ type: FrameType, flags: FrameFlags = [], number: UInt32 = 0, capacity: Int = 64,
    payload: (inout [UInt8]) -> Void
  ) {
    self.type = type
    self.flags = flags
    self.number = number
    bytes = []
    bytes.reserveCapacity(FrameHeader.length + capacity + FrameHeader.checkLength)
    bytes.append(contentsOf: repeatElement(0, count: FrameHeader.length))
    payload(&bytes)
    bytes.append(contentsOf: repeatElement(0, count: FrameHeader.checkLength))
  }

  /// The preamble, which precedes all frames and is not sealed.
  static var preamble: OutgoingFrame {
    var frame = OutgoingFrame(.hello, capacity: 0) { _ in }
    frame.bytes = Preamble.bytes
    return frame
  }

  /// Returns a data frame with a copy of a chunk in pooled memory.
  ///
  /// Without the copy, the loader could change its memory between the checksum and the write.
  static func chunk(number: UInt32, _ chunk: UnsafeRawBufferPointer) -> OutgoingFrame {
    var frame = OutgoingFrame(.data, number: number, capacity: 0) { _ in }
    let buffer = ContentBuffer(capacity: FrameHeader.length + chunk.count + FrameHeader.checkLength)
    // The bytes so far are the spaces for the header and for the checksum.
    frame.bytes[..<FrameHeader.length].withUnsafeBytes { buffer.append($0) }
    buffer.append(chunk)
    frame.bytes[FrameHeader.length...].withUnsafeBytes { buffer.append($0) }
    frame.bytes = []
    frame.pooled = buffer
    return frame
  }

  /// The length in bytes, including header and checksum.
  var length: Int { pooled?.count ?? bytes.count }

  var payloadLength: Int { length - FrameHeader.length - FrameHeader.checkLength }

  /// Calls `body` with all bytes of the frame.
  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    guard let pooled else { return bytes.withUnsafeBytes(body) }
    return withExtendedLifetime(pooled) { body(pooled.bytes) }
  }

  /// Completes the frame with its header and checksum.
  ///
  /// - Parameters:
  ///   - sequence: The sequence number of the frame in this direction.
  ///   - digest: The digest of all preceding frames. The function adds this frame to it.
  mutating func seal(sequence: UInt32, digest: inout StreamDigest) {
    let payloadLength = payloadLength
    let header = FrameHeader(
      type: type, flags: flags, request: number, payloadLength: UInt64(payloadLength), sequence: sequence)
    if let pooled {
      let frame = UnsafeMutableRawBufferPointer(mutating: pooled.bytes)
      return digest.add(frameCheck: withExtendedLifetime(pooled) { header.seal(frame) })
    }
    let (soFar, endsWithDigest) = (digest.value, endsWithDigest)
    let check = bytes.withUnsafeMutableBytes { frame in
      if endsWithDigest {
        frame.storeBytes(
          of: soFar.littleEndian, toByteOffset: FrameHeader.length + payloadLength - 4, as: UInt32.self)
      }
      return header.seal(frame)
    }
    digest.add(frameCheck: check)
  }
}

// MARK: - Messages

extension OutgoingFrame {
  static func hello(_ hello: SessionHello) -> OutgoingFrame {
    OutgoingFrame(.hello) { payload in
      payload.appendField(SessionField.versions) {
        $0.append(contentsOf: [hello.versions.lowerBound, hello.versions.upperBound])
      }
      payload.appendField(SessionField.features) { $0.append(littleEndian: hello.features.rawValue) }
      payload.appendField(SessionField.requests) { $0.append(littleEndian: hello.requests) }
    }
  }

  static func offer(_ offer: DropOffer, generation: UInt32) -> OutgoingFrame {
    OutgoingFrame(.offer, number: generation) { offer.append(to: &$0) }
  }

  static func endOfOffers(generation: UInt32, itemCount: UInt32, actions: DropActions) -> OutgoingFrame {
    OutgoingFrame(.endOfOffers, number: generation) { payload in
      payload.append(littleEndian: itemCount)
      payload.appendField(SessionField.actions) { $0.append(actions.rawValue) }
    }
  }

  static func withdrawal(generation: UInt32, _ failure: SenderFailure) -> OutgoingFrame {
    OutgoingFrame(.withdrawal, number: generation) { failure.append(to: &$0) }
  }

  static func request(number: UInt32, _ request: SessionRequest) -> OutgoingFrame {
    OutgoingFrame(.request, number: number) { payload in
      payload.append(littleEndian: request.generation)
      payload.append(littleEndian: request.item)
      payload.append(littleEndian: request.representation)
      payload.append(littleEndian: request.accepts.rawValue)
      payload.append(littleEndian: request.credit)
      guard let range = request.range else { return }
      payload.appendField(SessionField.range) {
        $0.append(littleEndian: range.lowerBound)
        $0.append(littleEndian: range.upperBound - range.lowerBound)
      }
      guard let digest = request.startDigest else { return }
      payload.appendField(SessionField.startDigest) { $0.append(contentsOf: digest) }
    }
  }

  static func credit(number: UInt32, _ bytes: UInt64) -> OutgoingFrame {
    OutgoingFrame(.credit, number: number) { $0.append(littleEndian: bytes) }
  }

  static func cancellation(number: UInt32, _ failure: SenderFailure) -> OutgoingFrame {
    OutgoingFrame(.cancellation, number: number) { failure.append(to: &$0) }
  }

  static func preparation(number: UInt32, completed: UInt64, total: UInt64?) -> OutgoingFrame {
    OutgoingFrame(.preparation, number: number) {
      $0.append(littleEndian: completed)
      $0.append(littleEndian: total ?? .max)
    }
  }

  static func data(number: UInt32, _ bytes: UnsafeRawBufferPointer, isWhole: Bool) -> OutgoingFrame {
    OutgoingFrame(.data, flags: isWhole ? .whole : [], number: number, capacity: bytes.count) {
      $0.append(contentsOf: bytes)
    }
  }

  static func zeros(number: UInt32, _ count: UInt64) -> OutgoingFrame {
    OutgoingFrame(.zeros, number: number) { $0.append(littleEndian: count) }
  }

  static func endOfRepresentation(number: UInt32, byteCount: UInt64) -> OutgoingFrame {
    var frame = OutgoingFrame(.endOfRepresentation, number: number) { payload in
      payload.append(littleEndian: byteCount)
      payload.appendField(SessionField.digest) { $0.append(littleEndian: UInt32(0)) }
    }
    frame.endsWithDigest = true
    return frame
  }

  static func failure(number: UInt32, _ failure: SenderFailure) -> OutgoingFrame {
    OutgoingFrame(.failureOfRepresentation, number: number) { failure.append(to: &$0) }
  }

  static func descriptor(
    number: UInt32, _ description: SessionDescriptor, _ descriptor: SharedDescriptor
  ) -> OutgoingFrame {
    var frame = OutgoingFrame(.descriptor, number: number) { payload in
      payload.append(description.kind.rawValue)
      payload.append(littleEndian: description.byteCount)
      guard let check = description.check else { return }
      payload.appendField(SessionField.check) { $0.append(littleEndian: check) }
    }
    frame.descriptor = descriptor
    return frame
  }

  static func finish(generation: UInt32, _ finish: SessionFinish) -> OutgoingFrame {
    OutgoingFrame(.finish, number: generation) { payload in
      payload.append(finish.action?.rawValue ?? 0)
      if !finish.kept.isEmpty {
        payload.appendField(SessionField.kept) { field in
          for run in finish.kept {
            field.append(littleEndian: run.lowerBound)
            field.append(littleEndian: run.upperBound - run.lowerBound)
          }
        }
      }
      if let refusal = finish.refusal { payload.appendField(SessionField.refusal) { refusal.append(to: &$0) } }
    }
  }

  static func acknowledgement(generation: UInt32, isKnown: Bool) -> OutgoingFrame {
    OutgoingFrame(.acknowledgement, number: generation) { $0.append(isKnown ? 1 : 0) }
  }

  static var bye: OutgoingFrame {
    var frame = OutgoingFrame(.bye) { payload in
      payload.appendField(SessionField.digest) { $0.append(littleEndian: UInt32(0)) }
    }
    frame.endsWithDigest = true
    return frame
  }

  static func keepAlive(isBusy: Bool) -> OutgoingFrame {
    OutgoingFrame(.keepAlive, flags: isBusy ? .busy : [], capacity: 0) { _ in }
  }

  /// Returns the final frame of a failed session.
  static func finalFailure(_ failure: SenderFailure) -> OutgoingFrame {
    OutgoingFrame(.failure) { failure.append(to: &$0) }
  }
}

/// The field tags of session frames.
enum SessionField {
  // Fields of a handshake.
  static let versions: UInt8 = 0x01
  static let features: UInt8 = 0x82
  static let requests: UInt8 = 0x83

  // Field of the end of offers.
  static let actions: UInt8 = 0x01

  // Fields of a request.
  static let range: UInt8 = 0x01
  static let startDigest: UInt8 = 0x02

  // Field of the end of a representation and of a close frame: the digest of all preceding frames in the same
  // direction.
  static let digest: UInt8 = 0x01

  // Field of a descriptor.
  static let check: UInt8 = 0x01

  // Fields of a finish.
  static let kept: UInt8 = 0x01
  static let refusal: UInt8 = 0x02
}
