// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import ItemCoding

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Goes through the frames of one representation in a file, piece by piece.
///
/// What it has given out is checked by the time it says that there is no more. All methods block.
struct DropFileContent {
  /// The most that is read at once.
  static let pieceLength = 256 << 10
  private static let metadataLimit = UInt64(DropStreamLimits().metadataBytes)

  private let handle: DropFileHandle
  /// What the index says.
  private let representation: DropFileIndex.Representation
  private var byteCount: UInt64 { representation.byteCount }
  private var frameOffset: UInt64
  /// Of the frame that is being read.
  private var header: FrameHeader?
  private var crc = CRC32C()
  private var remaining: UInt64 = 0
  /// How many bytes have been given out.
  private var count: UInt64 = 0
  private var isOver = false

  init(_ handle: DropFileHandle, _ representation: DropFileIndex.Representation) {
    self.handle = handle
    self.representation = representation
    frameOffset = representation.offset
  }

  /// The next bytes; `nil` when there are no more, and all that came were what was written.
  ///
  /// - Throws: `damaged`, `truncated`, `systemCall`; the source's own failure where the representation is one.
  mutating func next() throws(DropStreamError) -> [UInt8]? {
    while !isOver {
      if remaining > 0 { return try piece() }
      if let header {
        try endFrame(header)
      } else {
        try beginFrame()
      }
    }
    return nil
  }

  private mutating func beginFrame() throws(DropStreamError) {
    let header = try handle.header(at: frameOffset)
    switch header.type {
    // Of a failure the index states no length that would bound what is read.
    case .data
    where !representation.isFailure && (header.flags.contains(.whole) ? count == 0 : header.payloadLength > 0):
      let bytes = try handle.bytes(at: frameOffset, count: FrameHeader.checkOffset)
      crc = CRC32C()
      bytes.withUnsafeBytes { crc.update($0) }
      guard header.payloadLength <= byteCount - count else { throw wrongLength }
      remaining = header.payloadLength
      self.header = header
    case .endOfRepresentation where count > 0:
      let payload = try handle.payload(of: .endOfRepresentation, at: frameOffset, limit: Self.metadataLimit)
      let fields = FieldReader(owner: "the end of a representation", frameOffset: frameOffset)
      guard try fields.leadingInteger(payload) == count else {
        throw DropStreamError(
          .damaged, "damaged: a representation ends after another number of bytes than came", at: frameOffset)
      }
      try finish()
    case .failureOfRepresentation where representation.isFailure:
      let payload = try handle.payload(of: .failureOfRepresentation, at: frameOffset, limit: Self.metadataLimit)
      throw try SenderFailure(payload, frameOffset: frameOffset).errorOfRepresentation
    case let type where type.isAncillary && count > 0:
      // Between two chunks; what is in it is nobody's content.
      frameOffset += UInt64(FrameHeader.length + FrameHeader.checkLength) + header.payloadLength
    default:
      throw DropStreamError(
        .damaged, "damaged: the index says that content is at a frame of type \(header.type.rawValue)", at: frameOffset)
    }
  }

  private mutating func piece() throws(DropStreamError) -> [UInt8] {
    guard let header else { return [] }
    let length = min(remaining, UInt64(Self.pieceLength))
    let offset = frameOffset + UInt64(FrameHeader.length) + header.payloadLength - remaining
    let bytes = try handle.bytes(at: offset, count: Int(length))
    bytes.withUnsafeBytes { crc.update($0) }
    remaining -= length
    count += length
    return bytes
  }

  private mutating func endFrame(_ header: FrameHeader) throws(DropStreamError) {
    let end = frameOffset + UInt64(FrameHeader.length) + header.payloadLength
    let check = try handle.bytes(at: end, count: FrameHeader.checkLength).withUnsafeBytes {
      $0.littleEndian(at: 0, as: UInt32.self)
    }
    try handle.expect(crc, check, frameAt: frameOffset)
    self.header = nil
    frameOffset = end + UInt64(FrameHeader.checkLength)
    if header.flags.contains(.whole) { try finish() }
  }

  private mutating func finish() throws(DropStreamError) {
    guard count == byteCount else { throw wrongLength }
    isOver = true
  }

  private var wrongLength: DropStreamError {
    DropStreamError(.damaged, "damaged: the index says that a representation has \(byteCount) bytes", at: frameOffset)
  }
}

/// The bytes of a representation in a file as they are asked for.
struct DropFileChunks: AsyncSequence, Sendable {
  let handle: DropFileHandle
  let representation: DropFileIndex.Representation

  func makeAsyncIterator() -> Iterator { Iterator(DropFileContent(handle, representation)) }

  struct Iterator: AsyncIteratorProtocol {
    private var content: DropFileContent

    init(_ content: DropFileContent) {
      self.content = content
    }

    mutating func next() async throws -> Data? {
      let (next, bytes) = try await runBlockingWork { [content] () throws(DropStreamError) in
        var content = content
        let bytes = try content.next()
        return (content, bytes)
      }
      content = next
      return bytes.map { Data($0) }
    }
  }
}
