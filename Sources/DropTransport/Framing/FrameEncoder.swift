// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import ItemTransfer

/// An encoder of the frames of a stream.
///
/// The encoder performs no output: it appends the frames to the caller's buffer.
struct FrameEncoder: Sendable {
  private(set) var counts = StreamCounts()
  /// The offset of the next frame.
  private(set) var offset: UInt64 = 0
  /// The checksum of a frame that is written piece by piece.
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

  /// Appends a chunk of a representation, or all of it if `whole` is set.
  mutating func appendData(_ bytes: UnsafeRawBufferPointer, whole: Bool, to buffer: inout [UInt8]) {
    appendFrame(.data, flags: whole ? .whole : [], to: &buffer) { $0.append(contentsOf: bytes) }
    counts.bytes += UInt64(bytes.count)
    if whole { counts.representations += 1 }
  }

  /// Appends a run of zeros of a representation.
  ///
  /// The zeros are included in the number of content bytes.
  mutating func appendZeros(_ count: UInt64, to buffer: inout [UInt8]) {
    appendFrame(.zeros, to: &buffer) { $0.append(littleEndian: count) }
    counts.bytes += count
  }

  /// Appends space for the header of a data frame.
  ///
  /// The caller then appends the payload.
  func beginChunk(in buffer: inout [UInt8]) {
    buffer.append(contentsOf: FrameHeader.room)
  }

  /// Completes the data frame whose payload is at the end of the buffer.
  ///
  /// - Parameters:
  ///   - start: The index of the space for the header that ``beginChunk(in:)`` has appended.
  ///   - whole: Whether the payload is all of the representation.
  ///   - buffer: The buffer, which ends with the payload.
  mutating func endChunk(from start: Int, whole: Bool, in buffer: inout [UInt8]) {
    let length = endFrame(.data, whole ? .whole : [], from: start, in: &buffer)
    counts.bytes += UInt64(length)
    if whole { counts.representations += 1 }
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

  /// Appends the failure of a representation.
  ///
  /// The failure closes the representation.
  mutating func appendFailureOfRepresentation(_ failure: SenderFailure, to buffer: inout [UInt8]) {
    appendFrame(.failureOfRepresentation, to: &buffer) { failure.append(to: &$0) }
    counts.representations += 1
  }

  /// Adds an alias, which has no frames, to the number of representations.
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
    endFrame(type, flags, from: start, in: &buffer)
  }

  /// Writes the header at `start`, and appends the checksum.
  ///
  /// - Returns: The length of the payload.
  @discardableResult
  private mutating func endFrame(
    _ type: FrameType, _ flags: FrameFlags, from start: Int, in buffer: inout [UInt8]
  ) -> Int {
    let length = buffer.count - start - FrameHeader.length
    buffer.append(littleEndian: UInt32(0))
    buffer.withUnsafeMutableBytes { bytes in
      seal(type, flags, payloadLength: length, in: UnsafeMutableRawBufferPointer(rebasing: bytes[start...]))
    }
    return length
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

  /// The maximum alignment of a payload in a file, in bytes.
  static let maximumAlignment: UInt64 = 64 << 10

  /// Returns the alignment of a payload in a file, in bytes.
  ///
  /// With more than a page, ext4 keeps a very long file in larger folios. A copy of 1 GiB takes 0.75 of the time.
  private static func alignment(of byteCount: UInt64) -> UInt64 {
    byteCount < 16 << 20 ? 4096 : maximumAlignment
  }

  /// Begins a representation that is a single data frame with an aligned payload of `byteCount` bytes.
  mutating func beginWhole(byteCount: UInt64, to buffer: inout [UInt8]) {
    let header = UInt64(FrameHeader.length)
    let alignment = Self.alignment(of: byteCount)
    if (offset + header) % alignment != 0 {
      let least = offset + header + UInt64(FrameHeader.checkLength) + header
      let length = Int((alignment - least % alignment) % alignment)
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

  /// Adds a piece of the payload to the checksum.
  ///
  /// The caller writes the piece.
  mutating func extendWhole(_ piece: UnsafeRawBufferPointer) {
    openFrame.update(piece)
    counts.bytes += UInt64(piece.count)
  }

  /// Adds bytes of the payload that the caller writes itself: a copy, or a hole.
  mutating func extendWhole(_ crc: CRC32C, byteCount: UInt64) {
    openFrame.update(crc, byteCount: byteCount)
    counts.bytes += byteCount
  }

  /// Ends the data frame that `beginWhole` has begun.
  mutating func endWhole(byteCount: UInt64, to buffer: inout [UInt8]) {
    let check = openFrame.value
    buffer.append(littleEndian: check)
    counts.representations += 1
    close(payloadLength: byteCount, check: check)
  }

  mutating func appendIndexPage(_ page: DropFileIndex.Page, to buffer: inout [UInt8]) {
    appendFrame(.indexPage, to: &buffer) { page.append(to: &$0) }
  }

  mutating func appendIndexNames(_ names: DropFileIndex.Names, to buffer: inout [UInt8]) {
    let offset = offset
    appendFrame(.indexNames, to: &buffer) { names.append(to: &$0, at: offset) }
  }

  mutating func appendIndexFooter(_ footer: DropFileIndex.Footer, to buffer: inout [UInt8]) {
    let offset = offset
    appendFrame(.indexFooter, to: &buffer) { footer.append(to: &$0, at: offset) }
  }
}

/// The numbers of items, representations, frames and content bytes of a stream.
///
/// The end frame states the numbers of the sender. The receiver compares them with its own numbers.
struct StreamCounts: Hashable, Sendable {
  var items: UInt64 = 0
  var representations: UInt64 = 0
  var frames: UInt64 = 0
  /// The number of content bytes.
  var bytes: UInt64 = 0

  /// The numbers as the first 32 bytes of an end frame's payload.
  var encoded: [UInt8] {
    var payload: [UInt8] = []
    payload.reserveCapacity(40)
    for count in [items, representations, frames, bytes] { payload.append(littleEndian: count) }
    return payload
  }
}

/// The running digest of a stream: the CRC32C of the preamble's checksum and each frame's checksum.
///
/// The end of a one-way stream also adds the counts.
struct StreamDigest: Sendable {
  private var crc = CRC32C()

  /// Creates a digest.
  ///
  /// - Parameter preambleCheck: The checksum of the stream's preamble, which depends on the minor version.
  init(preambleCheck: UInt32) {
    add(frameCheck: preambleCheck)
  }

  mutating func add(frameCheck: UInt32) {
    withUnsafeBytes(of: frameCheck.littleEndian) { crc.update($0) }
  }

  /// The digest of the preamble and the frames so far.
  var value: UInt32 { crc.value }

  /// Returns the digest of a stream that ends after these frames.
  func value(with counts: StreamCounts) -> UInt32 {
    var crc = crc
    counts.encoded.withUnsafeBytes { crc.update($0) }
    return crc.value
  }
}
