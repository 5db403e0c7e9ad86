// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// A frame on its way out, whose place in the sequence, and so its checks, are known when it is its turn.
struct OutgoingFrame: Sendable {
  private let type: FrameType
  private let flags: FrameFlags
  private let number: UInt32
  /// Room for the header, the payload unless that is attached, room for the check.
  private(set) var bytes: [UInt8]
  /// Whether the last bytes of the payload are the digest of what has gone before.
  var endsWithDigest = false
  /// Whether it waited for room.
  var isContent = false
  /// In one place, and elsewhere: most frames have none, and tasks and queues have room for each of a frame's.
  private var attachment: Attachment?

  private enum Attachment: Sendable {
    /// Travels with the first byte.
    case descriptor(SharedDescriptor)
    /// A payload that is sent from where it lies.
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

  /// A chunk of a representation, copied to memory that is used again.
  static func chunk(number: UInt32, _ bytes: UnsafeRawBufferPointer) -> OutgoingFrame {
    var frame = OutgoingFrame(.data, number: number, capacity: 0) { _ in }
    let buffer = ContentBuffer(capacity: bytes.count)
    buffer.append(bytes)
    frame.attachment = .content(buffer)
    return frame
  }

  /// Travels with the first byte.
  var descriptor: SharedDescriptor? {
    get { if case .descriptor(let descriptor) = attachment { descriptor } else { nil } }
    set { attachment = newValue.map { .descriptor($0) } }
  }

  private var content: ContentBuffer? {
    if case .content(let content) = attachment { content } else { nil }
  }

  /// In bytes, with header and check.
  var length: Int { bytes.count + (content?.count ?? 0) }

  var payloadLength: Int { length - FrameHeader.length - FrameHeader.checkLength }

  /// Completes the frame.
  ///
  /// - Parameters:
  ///   - sequence: Its number in this direction.
  ///   - digest: Of all frames before it; takes this one in.
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

  /// What there is from `start` on of a frame that lies in three parts; `nil` of one that is all in ``bytes``.
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

/// A descriptor that several hold, closed with the last of them.
final class SharedDescriptor: Sendable {
  private let owned: OwnedDescriptor

  init(_ owned: consuming OwnedDescriptor) {
    self.owned = owned
  }

  var raw: CInt { owned.raw }
}
