// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import ItemTransfer

/// Makes the bytes of a stream, frame after frame: pure, knows no descriptor.
struct FrameEncoder: Sendable {
  private(set) var counts = StreamCounts()
  /// Where the next frame will start.
  private(set) var offset: UInt64 = 0
  /// The check of a frame that is written piece by piece.
  private var openFrame = CRC32C()
  private var digest = StreamDigest(preambleCheck: Preamble.check)

  mutating func appendPreamble(to buffer: inout [UInt8]) {
    buffer.append(contentsOf: Preamble.bytes)
    offset += UInt64(Preamble.length)
  }

  mutating func appendOffer(_ offer: DropOffer, to buffer: inout [UInt8]) {
    appendFrame(.offer, to: &buffer) { offer.append(to: &$0) }
  }

  mutating func appendOffer(
    _ template: OfferTemplate, suggestedName: String?, attributes: ItemFileAttributes, to buffer: inout [UInt8]
  ) {
    appendFrame(.offer, to: &buffer) { payload in
      DropOffer.append(suggestedName: suggestedName, to: &payload)
      DropOffer.append(attributes, to: &payload)
      payload.append(contentsOf: template.fields)
    }
  }

  /// Appends a chunk of a representation, or with `whole` all of it.
  mutating func appendData(_ bytes: UnsafeRawBufferPointer, whole: Bool, to buffer: inout [UInt8]) {
    appendFrame(.data, flags: whole ? .whole : [], to: &buffer) { $0.append(contentsOf: bytes) }
    counts.bytes += UInt64(bytes.count)
    if whole { counts.representations += 1 }
  }

  /// Appends a run of zeros of a representation, which counts as content.
  mutating func appendZeros(_ count: UInt64, to buffer: inout [UInt8]) {
    appendFrame(.zeros, to: &buffer) { $0.append(littleEndian: count) }
    counts.bytes += count
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

  /// Closes the representation whose turn it is, of which there is no more.
  mutating func appendFailureOfRepresentation(_ failure: SenderFailure, to buffer: inout [UInt8]) {
    appendFrame(.failureOfRepresentation, to: &buffer) { failure.append(to: &$0) }
    counts.representations += 1
  }

  /// Counts a representation whose bytes have gone already.
  mutating func countAlias() {
    counts.representations += 1
  }

  mutating func appendFailure(_ failure: SenderFailure, to buffer: inout [UInt8]) {
    appendFrame(.failure, to: &buffer) { failure.append(to: &$0) }
  }

  private mutating func appendFrame(
    _ type: FrameType, flags: FrameFlags = [], to buffer: inout [UInt8], payload: (inout [UInt8]) -> Void
  ) {
    let start = buffer.count
    buffer.append(contentsOf: FrameHeader.room)
    payload(&buffer)
    let length = buffer.count - start - FrameHeader.length
    buffer.append(littleEndian: UInt32(0))
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
    close(payloadLength: UInt64(payloadLength), check: header.seal(frame))
  }

  private mutating func close(payloadLength: UInt64, check: UInt32) {
    digest.add(frameCheck: check)
    counts.frames += 1
    offset += UInt64(FrameHeader.length + FrameHeader.checkLength) + payloadLength
  }

  // MARK: Files

  /// What the payload of a long frame in a file starts at a multiple of, in bytes: a page of memory.
  static let alignment: UInt64 = 4096

  /// Begins a representation that is one frame of `byteCount` bytes, which starts at a multiple of ``alignment``.
  mutating func beginWhole(byteCount: UInt64, to buffer: inout [UInt8]) {
    let header = UInt64(FrameHeader.length)
    if (offset + header) % Self.alignment != 0 {
      let least = offset + header + UInt64(FrameHeader.checkLength) + header
      let length = Int((Self.alignment - least % Self.alignment) % Self.alignment)
      appendFrame(.padding, to: &buffer) { $0.append(contentsOf: repeatElement(0, count: length)) }
    }
    let start = buffer.count
    buffer.append(contentsOf: FrameHeader.room)
    let frame = FrameHeader(
      type: .data, flags: .whole, payloadLength: byteCount, sequence: UInt32(truncatingIfNeeded: counts.frames))
    openFrame = buffer.withUnsafeMutableBytes { bytes in
      frame.write(to: UnsafeMutableRawBufferPointer(rebasing: bytes[start...]))
    }
  }

  /// Takes note of a piece of it, which the caller writes.
  mutating func extendWhole(_ piece: UnsafeRawBufferPointer) {
    openFrame.update(piece)
    counts.bytes += UInt64(piece.count)
  }

  /// Takes note of zeros in it, over which the caller goes.
  mutating func extendWhole(zeros count: UInt64) {
    openFrame.update(zeros: count)
    counts.bytes += count
  }

  /// Ends it.
  mutating func endWhole(byteCount: UInt64, to buffer: inout [UInt8]) {
    let check = openFrame.value
    buffer.append(littleEndian: check)
    counts.representations += 1
    close(payloadLength: byteCount, check: check)
  }

  mutating func appendIndexPage(_ page: DropFileIndex.Page, to buffer: inout [UInt8]) {
    appendFrame(.indexPage, to: &buffer) { page.append(to: &$0) }
  }

  mutating func appendIndexFooter(_ footer: DropFileIndex.Footer, to buffer: inout [UInt8]) {
    let offset = offset
    appendFrame(.indexFooter, to: &buffer) { footer.append(to: &$0, at: offset) }
  }
}
