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
  /// Space for the header, the payload unless it is attached, and space for the checksum.
  private(set) var bytes: [UInt8]
  /// Whether the payload ends with the digest of all preceding frames.
  var endsWithDigest = false
  /// Whether the sender has reserved space for the frame in the output queue.
  var isContent = false
  /// The descriptor or the payload that is stored outside ``bytes``, if any.
  ///
  /// One field for both keeps frames small: tasks and queues reserve its size even for a frame without an attachment.
  private var attachment: Attachment?

  private enum Attachment: Sendable {
    /// A descriptor that is sent with the first byte.
    case descriptor(SharedDescriptor)
    /// A payload that is sent directly from its buffer.
    case content(ContentBuffer)
  }

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

  /// Returns a data frame with a copy of a chunk in pooled memory.
  static func chunk(number: UInt32, _ bytes: UnsafeRawBufferPointer) -> OutgoingFrame {
    var frame = OutgoingFrame(.data, number: number, capacity: 0) { _ in }
    let buffer = ContentBuffer(capacity: bytes.count)
    buffer.append(bytes)
    frame.attachment = .content(buffer)
    return frame
  }

  /// The descriptor that is sent with the first byte, if any.
  var descriptor: SharedDescriptor? {
    get { if case .descriptor(let descriptor) = attachment { descriptor } else { nil } }
    set { attachment = newValue.map { .descriptor($0) } }
  }

  private var content: ContentBuffer? {
    if case .content(let content) = attachment { content } else { nil }
  }

  /// The length in bytes, including header and checksum.
  var length: Int { bytes.count + (content?.count ?? 0) }

  var payloadLength: Int { length - FrameHeader.length - FrameHeader.checkLength }

  /// Completes the frame with its header and checksum.
  ///
  /// - Parameters:
  ///   - sequence: The sequence number of the frame in this direction.
  ///   - digest: The digest of all preceding frames. The function adds this frame to it.
  mutating func seal(sequence: UInt32, digest: inout StreamDigest) {
    let payloadLength = payloadLength
    let header = FrameHeader(
      type: type, flags: flags, request: number, payloadLength: UInt64(payloadLength), sequence: sequence)
    let (soFar, content) = (digest.value, content)
    let check = bytes.withUnsafeMutableBytes { frame in
      if let content { return withExtendedLifetime(content) { header.seal(frame, around: content.bytes) } }
      if endsWithDigest {
        frame.storeBytes(
          of: soFar.littleEndian, toByteOffset: FrameHeader.length + payloadLength - 4, as: UInt32.self)
      }
      return header.seal(frame)
    }
    digest.add(frameCheck: check)
  }

  /// Calls `body` with the bytes of a frame in three parts: header, payload and checksum.
  ///
  /// - Parameters:
  ///   - start: The number of bytes to omit at the start of the frame.
  ///   - body: Takes the three parts.
  /// - Returns: The result of `body`; `nil` for a frame that is completely in ``bytes``.
  func withParts<Result>(
    from start: Int, _ body: (_ head: UnsafeRawBufferPointer, UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Result
  ) -> Result? {
    guard let content else { return nil }
    let end = FrameHeader.length + content.count
    return bytes.withUnsafeBytes { bytes in
      withExtendedLifetime(content) {
        body(
          UnsafeRawBufferPointer(rebasing: bytes[min(start, FrameHeader.length)..<FrameHeader.length]),
          UnsafeRawBufferPointer(rebasing: content.bytes[min(max(0, start - FrameHeader.length), content.count)...]),
          UnsafeRawBufferPointer(rebasing: bytes[(FrameHeader.length + max(0, start - end))...]))
      }
    }
  }
}

/// A shared descriptor that is closed with its last reference.
final class SharedDescriptor: Sendable {
  private let owned: OwnedDescriptor

  init(_ owned: consuming OwnedDescriptor) {
    self.owned = owned
  }

  var raw: CInt { owned.raw }
}
