// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A parser of a one-way stream, which rejects frames out of order.
///
/// The parser performs no input: the caller passes the bytes that have arrived.
///
///     (offer -> (data whole | (data | zeros) … -> end of representation) … -> end of item) … -> end of stream
///
/// The failure of a representation may replace its complete data frame or its end. An alias has no frames. A failure of
/// the stream may follow any frame, and ends the stream.
struct StreamParser: Sendable {
  enum Event {
    /// The offer of the next item, which is now ``StreamParser/offer``.
    case offer
    /// A piece of the next representation in the order of the offer; not verified yet.
    case bytes(UnsafeRawBufferPointer)
    /// A run of zeros of that representation.
    case zeros(UInt64)
    case endOfRepresentation(byteCount: UInt64)
    /// The complete, verified representation, in place of `bytes` and `endOfRepresentation`.
    case representation(UnsafeRawBufferPointer)
    /// The source could not load the representation. The receiver discards the pieces that have arrived.
    ///
    /// Stored indirectly, because the other events are small and frequent.
    indirect case failureOfRepresentation(SenderFailure)
    case endOfItem
    case endOfStream(StreamCounts)
  }

  enum Phase {
    case betweenItems
    case inItem
    case ended
  }

  private var frames = FrameDecoder()
  /// The header of the frame whose payload is next.
  private var openHeader: FrameHeader?
  let limits: DropStreamLimits
  var phase = Phase.betweenItems
  /// The offer of the current item.
  var offer = DropOffer(representations: [])
  /// The number of representations of the current item that have ended.
  var done = 0
  /// The number of content bytes of the current representation so far; `nil` before its first frame.
  var partial: UInt64?
  private var header: FrameHeader?
  var frameOffset: UInt64 = 0
  /// The payload so far of a frame other than a data frame.
  ///
  /// The limits bound its length.
  private var metadata: [UInt8] = []
  var counts = StreamCounts()
  private var ancillaryBytes: UInt64 = 0
  let offers = OfferMemory()
  /// The remaining allowance for frames of padding and index, in bytes.
  ///
  /// Each offer raises the allowance.
  ///
  /// Frames within the allowance are not added to ``ancillaryBytes``.
  var fileBytes = DropFileIndex.mostBytesOfNoItems
  var digest = StreamDigest(preambleCheck: Preamble.check)
  /// The numbers of items and content bytes of the drops before this one, which count against the limits.
  private var before: (items: UInt64, bytes: UInt64) = (0, 0)

  init(limits: DropStreamLimits) {
    self.limits = limits
  }

  /// Creates a parser of the drop that follows the end of another drop.
  init(after other: StreamParser) {
    self.init(limits: other.limits)
    // A drop without items counts as one item, so that the limit also ends a sequence of such drops.
    let (items, overflows) = other.before.items.addingReportingOverflow(max(other.counts.items, 1))
    before = (overflows ? .max : min(items, limits.items), other.before.bytes + other.counts.bytes)
    ancillaryBytes = other.ancillaryBytes
  }

  /// Whether the drops before this one have as many items as the limit allows.
  var isExhausted: Bool { before.items >= limits.items }

  var hasEnded: Bool { phase == .ended }

  /// The error of a corrupt chunk, whose reason the sender may still report.
  var chunkError: DropStreamError? { frames.chunkError }

  /// The position in the stream, for the message of a truncated stream.
  var positionDescription: String {
    switch phase {
    case .betweenItems: "after \(counts.items) complete \(counts.items == 1 ? "item" : "items")"
    case .inItem: "inside item \(counts.items + 1)"
    case .ended: "after its end"
    }
  }

  /// The number of bytes of the stream that have been decoded.
  var offset: UInt64 { frames.offset }

  /// Decodes the next event.
  ///
  /// A frame that has arrived completely is decoded at once. Otherwise, its payload is decoded in pieces.
  ///
  /// - Parameter bytes: The bytes that have arrived, from the first unused byte on.
  /// - Returns: The event, if any, and how many bytes were used; `nil` if more bytes are needed first.
  /// - Throws: `notADropStream`, `damaged`, `unsupported`, `limitExceeded`, and the error of the sender.
  mutating func next(
    in bytes: UnsafeRawBufferPointer
  ) throws(DropStreamError) -> (event: Event?, used: Int)? {
    if let header = openHeader, let (payload, check, used) = try frames.restOfFrame(header, in: bytes) {
      openHeader = nil
      return (try take(restOfFrame: payload, check: check), used)
    }
    guard let (event, used) = try frames.next(in: bytes) else { return nil }
    guard case .header(let header) = event else {
      openHeader = nil
      return (try take(event, at: frames.frameOffset), used)
    }
    try begin(header, at: frames.frameOffset)
    let rest = UnsafeRawBufferPointer(rebasing: bytes[used...])
    guard let (payload, check, length) = try frames.restOfFrame(header, in: rest) else {
      openHeader = header
      return (nil, used)
    }
    return (try take(restOfFrame: payload, check: check), used + length)
  }

  /// The number of bytes of the current data frame that are not decoded yet.
  var missingContent: UInt64 { header?.type == .data ? frames.missingPayload : 0 }

  /// Takes the next bytes of a data frame, which were not read, by their checksum.
  ///
  /// - Parameters:
  ///   - count: The number of bytes, at most ``missingContent``.
  ///   - crc: Their checksum.
  mutating func skipContent(_ count: UInt64, _ crc: CRC32C) {
    openHeader = nil
    frames.skip(count, crc)
    countBytes(count)
  }

  /// Handles an event of the frame decoder.
  ///
  /// - Returns: The event that the frame event completes, if any.
  private mutating func take(_ event: FrameDecoder.Event, at offset: UInt64) throws(DropStreamError) -> Event? {
    switch event {
    case .preamble(let check):
      digest = StreamDigest(preambleCheck: check)
      return nil
    case .header(let header):
      try begin(header, at: offset)
      return nil
    case .payload(let piece):
      guard let header, !header.type.isAncillary else { return nil }
      guard header.type == .data else {
        metadata.append(contentsOf: piece)
        return nil
      }
      countBytes(piece.count)
      return frames.chunkError == nil ? .bytes(piece) : nil
    case .endOfFrame(let check):
      guard let header else { return nil }
      let meaning = try metadata.withUnsafeBytes { bytes in
        Result { () throws(DropStreamError) in try end(header, bytes) }
      }.get()
      countFrame(check)
      metadata.removeAll(keepingCapacity: true)
      return meaning
    }
  }

  /// Handles the verified payload of a frame that has arrived completely.
  ///
  /// - Returns: The event that the frame completes, if any.
  private mutating func take(restOfFrame payload: UnsafeRawBufferPointer, check: UInt32) throws(DropStreamError)
    -> Event?
  {
    guard let header else { return nil }
    var meaning: Event?
    if header.type == .data {
      countBytes(payload.count)
      let end = try end(header, payload)
      meaning = frames.chunkError != nil ? nil : end == nil ? .bytes(payload) : .representation(payload)
    } else {
      meaning = try end(header, payload)
    }
    countFrame(check)
    return meaning
  }

  private mutating func countFrame(_ check: UInt32) {
    digest.add(frameCheck: check)
    counts.frames += 1
    header = nil
  }

  // MARK: The start of a frame: known, allowed and in order?

  private mutating func begin(_ header: FrameHeader, at offset: UInt64) throws(DropStreamError) {
    self.header = header
    frameOffset = offset
    frames.awaitsReason = header.type == .data && !header.flags.contains(.whole)
    let mayGiveReason = [.data, .zeros, .failureOfRepresentation, .failure].contains(header.type)
    if let chunkError, !mayGiveReason || header.flags.contains(.whole) { throw chunkError }
    try header.checkFlags(at: offset)
    if header.type.isAncillary { return try countAncillary(header) }
    guard header.request == 0 else {
      throw error(.damaged, "corrupt: a frame has a request number in a one-way stream")
    }
    guard try isInTurn(header.type) else {
      throw error(.damaged, "corrupt: a frame of type \(header.type.rawValue) out of order")
    }
    switch header.type {
    case .offer:
      guard counts.items < limits.items - before.items else { throw .excess(ofItems: limits.items, at: frameOffset) }
    case .data: try beginData(header)
    default: break
    }
    if header.type != .data, header.payloadLength > UInt64(limits.metadataBytes) {
      throw error(
        .limitExceeded, "description of \(header.payloadLength) bytes exceeds the limit of \(limits.metadataBytes)")
    }
  }

  private func isInTurn(_ type: FrameType) throws(DropStreamError) -> Bool {
    switch type {
    case .offer, .endOfStream: return phase == .betweenItems
    case .data, .zeros: return phase == .inItem
    case .endOfRepresentation: return phase == .inItem && partial != nil
    case .failureOfRepresentation: return phase == .inItem && done < offer.representations.count
    case .endOfItem: return phase == .inItem && partial == nil
    case .failure: return phase != .ended
    case .hello: throw .sessionFound(at: frameOffset)
    default:
      throw error(.unsupported, "a frame of type \(type.rawValue), which is unknown and must not be skipped")
    }
  }

  private mutating func beginData(_ header: FrameHeader) throws(DropStreamError) {
    try expectRepresentation()
    if header.payloadLength == 0, !header.flags.contains(.whole) {
      throw error(.damaged, "corrupt: a chunk of 0 bytes")
    }
    if header.flags.contains(.whole), partial != nil {
      throw error(.damaged, "corrupt: a complete representation within another")
    }
    try checkContent(header.payloadLength)
    partial = partial ?? 0
  }

  func expectRepresentation() throws(DropStreamError) {
    guard done < offer.representations.count else {
      throw error(.damaged, "corrupt: more representations than were offered")
    }
  }

  /// Rejects content beyond the promised size of the representation or the byte limit of the stream.
  func checkContent(_ byteCount: UInt64) throws(DropStreamError) {
    if let promised = offer.representations[done].byteCount, byteCount > promised - min(partial ?? 0, promised) {
      throw error(.damaged, "corrupt: a representation is longer than the promised \(promised) bytes")
    }
    let most = limits.bytes - before.bytes
    guard byteCount <= most - min(counts.bytes, most) else {
      throw .excess(ofBytes: limits.bytes, at: frameOffset)
    }
  }

  private mutating func countAncillary(_ header: FrameHeader) throws(DropStreamError) {
    let frameLength = header.payloadLength + UInt64(FrameHeader.length + FrameHeader.checkLength)
    if DropFileIndex.frameTypes.contains(header.type), frameLength <= fileBytes {
      fileBytes -= frameLength
      return
    }
    guard frameLength <= limits.ancillaryBytes - min(ancillaryBytes, limits.ancillaryBytes) else {
      throw error(.limitExceeded, "the stream has more than \(limits.ancillaryBytes) bytes of skipped frames")
    }
    ancillaryBytes += frameLength
  }

  private mutating func countBytes(_ count: Int) { countBytes(UInt64(count)) }

  mutating func countBytes(_ count: UInt64) {
    counts.bytes += count
    partial = (partial ?? 0) + count
  }

  func error(_ code: DropStreamError.Code, _ reason: String) -> DropStreamError {
    DropStreamError(code, reason, at: frameOffset)
  }
}

/// The interpretation of frames whose payload is complete and verified.
extension StreamParser {
  /// Interprets a frame.
  ///
  /// - Parameters:
  ///   - header: The header of the frame.
  ///   - payload: The complete payload. It is not used for a data frame.
  /// - Returns: The event that the frame completes, if any.
  /// - Throws: `damaged`, `limitExceeded`, and the error of the sender.
  mutating func end(
    _ header: FrameHeader, _ payload: UnsafeRawBufferPointer
  ) throws(DropStreamError) -> Event? {
    switch header.type {
    case .offer:
      offer = try OfferParser(limits: limits, frameOffset: frameOffset, memory: offers).parse(repeated: payload)
      fileBytes += DropFileIndex.mostBytes(forItemOf: offer.representations.count)
      (phase, done, partial) = (.inItem, 0, nil)
      return .offer
    case .data:
      return header.flags.contains(.whole) ? try endRepresentation() : nil
    case .zeros:
      let count = try takeZeros(payload)
      return chunkError == nil ? .zeros(count) : nil
    case .endOfRepresentation:
      guard try leadingInteger(of: "the end of a representation", payload, as: UInt64.self) == partial else {
        throw error(.damaged, "corrupt: the byte count at the end of a representation differs from its bytes")
      }
      return try endRepresentation()
    case .failureOfRepresentation:
      let failure = try SenderFailure(Array(payload), frameOffset: frameOffset)
      frames.chunkError = nil
      closeRepresentation()
      return .failureOfRepresentation(failure)
    case .endOfItem:
      guard try leadingInteger(of: "the end of an item", payload, as: UInt32.self) == UInt32(done),
        done == offer.representations.count
      else {
        throw error(
          .damaged,
          "corrupt: an item of \(offer.representations.count) representations ends after \(done), "
            + "or states another number")
      }
      counts.items += 1
      phase = .betweenItems
      return .endOfItem
    case .endOfStream:
      return try endStream(payload)
    case .failure:
      throw try SenderFailure(Array(payload), frameOffset: frameOffset).error
    default:
      return nil
    }
  }

  /// Decodes a run of zeros.
  ///
  /// The limits of content apply to zeros as they do to sent bytes.
  private mutating func takeZeros(_ payload: UnsafeRawBufferPointer) throws(DropStreamError) -> UInt64 {
    try expectRepresentation()
    let count = try leadingInteger(of: "a run of zeros", payload, as: UInt64.self)
    if count == 0 { throw error(.damaged, "corrupt: a run of 0 zeros") }
    try checkContent(count)
    // Zeros are not sent as bytes, so their number could exceed the size of any file.
    guard count <= UInt64(Int64.max) - min(counts.bytes, UInt64(Int64.max)) else {
      throw error(.limitExceeded, "a run of \(count) zeros exceeds the maximum length of a file")
    }
    countBytes(count)
    return count
  }

  private mutating func endRepresentation() throws(DropStreamError) -> Event {
    let byteCount = partial ?? 0
    if let promised = offer.representations[done].byteCount, promised != byteCount {
      throw .wrongLength(byteCount, isWhole: true, promised: promised, at: frameOffset)
    }
    closeRepresentation()
    return .endOfRepresentation(byteCount: byteCount)
  }

  private mutating func closeRepresentation() {
    let closed = 1 + offer.originals(ofAliasesAt: done + 1).count
    done += closed
    counts.representations += UInt64(closed)
    partial = nil
  }

  private mutating func endStream(_ payload: UnsafeRawBufferPointer) throws(DropStreamError) -> Event {
    guard payload.count == 36 else { throw error(.damaged, "corrupt: the end of the stream has a wrong length") }
    let stated = StreamCounts(
      items: payload.littleEndian(at: 0), representations: payload.littleEndian(at: 8),
      frames: payload.littleEndian(at: 16), bytes: payload.littleEndian(at: 24))
    for (what, theirs, ours) in [
      ("items", stated.items, counts.items), ("representations", stated.representations, counts.representations),
      ("frames", stated.frames, counts.frames), ("bytes of content", stated.bytes, counts.bytes),
    ] where theirs != ours {
      throw error(.damaged, "corrupt: the sender counts \(theirs) \(what), the receiver \(ours)")
    }
    guard payload.littleEndian(at: 32, as: UInt32.self) == digest.value(with: counts) else {
      throw error(.damaged, "corrupt: stream digest mismatch")
    }
    phase = .ended
    return .endOfStream(counts)
  }

  /// Returns the integer at the start of a payload.
  ///
  /// Fields of later versions may follow it.
  private func leadingInteger<Value: FixedWidthInteger>(
    of frame: String, _ payload: UnsafeRawBufferPointer, as type: Value.Type = Value.self
  ) throws(DropStreamError) -> Value {
    if payload.count == MemoryLayout<Value>.size { return payload.littleEndian(at: 0) }
    return try FieldReader(owner: frame, frameOffset: frameOffset).leadingInteger(Array(payload))
  }
}
