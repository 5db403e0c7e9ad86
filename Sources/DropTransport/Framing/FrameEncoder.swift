// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Makes the bytes of a stream, frame after frame: pure, knows no descriptor.
struct FrameEncoder: Sendable {
  private(set) var counts = StreamCounts()
  private var digest = StreamDigest(preambleCheck: Preamble.check)

  mutating func appendPreamble(to buffer: inout [UInt8]) {
    buffer.append(contentsOf: Preamble.bytes)
  }

  mutating func appendOffer(_ offer: DropOffer, to buffer: inout [UInt8]) {
    appendFrame(.offer, to: &buffer) { offer.append(to: &$0) }
  }

  /// Appends a chunk of a representation, or with `whole` all of it.
  mutating func appendData(_ bytes: UnsafeRawBufferPointer, whole: Bool, to buffer: inout [UInt8]) {
    appendFrame(.data, flags: whole ? .whole : [], to: &buffer) { $0.append(contentsOf: bytes) }
    counts.bytes += UInt64(bytes.count)
    if whole { counts.representations += 1 }
  }

  /// Makes a data frame in place: `frame` is room for a header, a chunk of `length` bytes which is there already, and
  /// a check.
  mutating func sealChunk(of length: Int, in frame: UnsafeMutableRawBufferPointer) {
    seal(.data, [], payloadLength: length, in: frame)
    counts.bytes += UInt64(length)
  }

  mutating func appendEndOfRepresentation(byteCount: UInt64, to buffer: inout [UInt8]) {
    appendFrame(.endOfRepresentation, to: &buffer) { $0.append(littleEndian: byteCount) }
    counts.representations += 1
  }

  mutating func appendEndOfItem(representationCount: UInt32, to buffer: inout [UInt8]) {
    appendFrame(.endOfItem, to: &buffer) { $0.append(littleEndian: representationCount) }
    counts.items += 1
  }

  mutating func appendEndOfStream(to buffer: inout [UInt8]) {
    let counts = counts
    let digest = digest.value(with: counts)
    appendFrame(.endOfStream, to: &buffer) {
      $0.append(contentsOf: counts.encoded)
      $0.append(littleEndian: digest)
    }
  }

  mutating func appendFailure(_ failure: SenderFailure, to buffer: inout [UInt8]) {
    appendFrame(.failure, to: &buffer) { failure.append(to: &$0) }
  }

  private mutating func appendFrame(
    _ type: FrameType, flags: FrameFlags = [], to buffer: inout [UInt8], payload: (inout [UInt8]) -> Void
  ) {
    let start = buffer.count
    buffer.append(contentsOf: repeatElement(0, count: FrameHeader.length))
    payload(&buffer)
    let length = buffer.count - start - FrameHeader.length
    buffer.append(contentsOf: repeatElement(0, count: FrameHeader.checkLength))
    buffer.withUnsafeMutableBytes { bytes in
      seal(type, flags, payloadLength: length, in: UnsafeMutableRawBufferPointer(rebasing: bytes[start...]))
    }
  }

  private mutating func seal(
    _ type: FrameType, _ flags: FrameFlags, payloadLength: Int, in frame: UnsafeMutableRawBufferPointer
  ) {
    let header = FrameHeader(
      type: type, flags: flags, payloadLength: UInt64(payloadLength),
      sequence: UInt32(truncatingIfNeeded: counts.frames))
    header.write(to: frame)
    let end = FrameHeader.length + payloadLength
    var crc = CRC32C()
    crc.update(UnsafeRawBufferPointer(rebasing: frame[..<FrameHeader.checkOffset]))
    crc.update(UnsafeRawBufferPointer(rebasing: frame[FrameHeader.length..<end]))
    let check = crc.value
    frame.storeBytes(of: check.littleEndian, toByteOffset: end, as: UInt32.self)
    digest.add(frameCheck: check)
    counts.frames += 1
  }
}
