// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Gives frames their meaning and refuses those out of order: pure, fed by the frame decoder's events.
///
///     (offer -> (data whole | data … -> end of representation) … -> end of item) … -> end of stream
///
/// In place of a whole data frame or an end of representation there may be the failure of that representation. A
/// representation with the bytes of an earlier one has no frames. A failure may stand anywhere between two frames and
/// ends everything.
struct StreamParser: Sendable {
  enum Event {
    case offer(DropOffer)
    /// A piece of the representation that is next in the offer's order; not checked yet.
    case bytes(UnsafeRawBufferPointer)
    case endOfRepresentation(byteCount: UInt64)
    /// What has come of the representation, if anything, is of no use.
    case failureOfRepresentation(SenderFailure)
    case endOfItem
    case endOfStream(StreamCounts)
  }

  private enum Position {
    case betweenItems
    /// In an item: the representations that have come, and the bytes of the one that is under way.
    case item(DropOffer, done: Int, partial: UInt64?)
    case ended
  }

  private let limits: DropStreamLimits
  private var position = Position.betweenItems
  private var header: FrameHeader?
  private var frameOffset: UInt64 = 0
  /// The payload of a frame that is no content; the decoder's limit bounds it.
  private var metadata: [UInt8] = []
  private var counts = StreamCounts()
  private var ancillaryBytes: UInt64 = 0
  private let offers = OfferMemory()
  /// How many more bytes of padding and index the items account for that have been offered; they are not counted.
  private var fileBytes = DropFileIndex.mostBytesOfNoItems
  private var digest = StreamDigest(preambleCheck: Preamble.check)

  init(limits: DropStreamLimits) {
    self.limits = limits
  }

  var hasEnded: Bool {
    if case .ended = position { true } else { false }
  }

  /// What was under way, for the message when the bytes stop here.
  var whereabouts: String {
    switch position {
    case .betweenItems: "after \(counts.items) whole \(counts.items == 1 ? "item" : "items")"
    case .item: "inside item \(counts.items + 1)"
    case .ended: "after its end"
    }
  }

  /// - Returns: What the frame event means, if anything yet.
  mutating func take(_ event: FrameDecoder.Event, at offset: UInt64) throws(DropStreamError) -> Event? {
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
      try countBytes(piece.count)
      return .bytes(piece)
    case .endOfFrame(let check):
      guard let header else { return nil }
      let meaning = try end(header)
      digest.add(frameCheck: check)
      counts.frames += 1
      self.header = nil
      metadata.removeAll(keepingCapacity: true)
      return meaning
    }
  }

  // MARK: The start of a frame: is it known, allowed, and its turn?

  private mutating func begin(_ header: FrameHeader, at offset: UInt64) throws(DropStreamError) {
    self.header = header
    frameOffset = offset
    if header.type.isAncillary { return try countAncillary(header) }
    try header.checkFlags(at: offset)
    guard header.request == 0 else {
      throw error(.damaged, "damaged: a frame answers a request, and a one-way stream has none")
    }
    switch (header.type, position) {
    case (.offer, .betweenItems):
      guard counts.items < limits.items else { throw error(.limitExceeded, "more than \(limits.items) items") }
    case (.data, .item(let offer, let done, let partial)):
      guard done < offer.representations.count else {
        throw error(.damaged, "damaged: more representations than were offered")
      }
      if header.payloadLength == 0, !header.flags.contains(.whole) {
        throw error(.damaged, "damaged: a chunk of no bytes")
      }
      if header.flags.contains(.whole), partial != nil {
        throw error(.damaged, "damaged: a whole representation inside another")
      }
      try checkPromise(offer.representations[done], adding: header.payloadLength, to: partial ?? 0)
      guard header.payloadLength <= limits.bytes - min(counts.bytes, limits.bytes) else {
        throw error(.limitExceeded, "more than \(limits.bytes) bytes")
      }
      position = .item(offer, done: done, partial: partial ?? 0)
    case (.failureOfRepresentation, .item(let offer, let done, _)) where done < offer.representations.count: break
    case (.endOfRepresentation, .item(_, _, .some)), (.endOfItem, .item(_, _, nil)), (.endOfStream, .betweenItems),
      (.failure, .betweenItems), (.failure, .item):
      break
    case (.offer, _), (.data, _), (.endOfRepresentation, _), (.endOfItem, _), (.endOfStream, _), (.failure, _),
      (.failureOfRepresentation, _):
      throw error(.damaged, "damaged: a frame of type \(header.type.rawValue) out of its turn")
    default:
      throw error(
        .unsupported, "a frame of type \(header.type.rawValue), which this reader does not know and must not skip")
    }
    if header.type != .data, header.payloadLength > UInt64(limits.metadataBytes) {
      throw error(
        .limitExceeded, "\(header.payloadLength) bytes of description, more than \(limits.metadataBytes)")
    }
  }

  private mutating func countAncillary(_ header: FrameHeader) throws(DropStreamError) {
    let frameLength = header.payloadLength + UInt64(FrameHeader.length + FrameHeader.checkLength)
    if DropFileIndex.frameTypes.contains(header.type), frameLength <= fileBytes {
      fileBytes -= frameLength
      return
    }
    guard frameLength <= limits.ancillaryBytes - min(ancillaryBytes, limits.ancillaryBytes) else {
      throw error(.limitExceeded, "more than \(limits.ancillaryBytes) bytes to skip")
    }
    ancillaryBytes += frameLength
  }

  private func checkPromise(
    _ representation: DropOffer.Representation, adding length: UInt64, to count: UInt64
  ) throws(DropStreamError) {
    guard let promised = representation.byteCount, length > promised - min(count, promised) else { return }
    throw error(.damaged, "damaged: a representation is longer than the \(promised) bytes that were promised")
  }

  private mutating func countBytes(_ count: Int) throws(DropStreamError) {
    guard case .item(let offer, let done, let partial) = position else { return }
    counts.bytes += UInt64(count)
    position = .item(offer, done: done, partial: (partial ?? 0) + UInt64(count))
  }

  // MARK: The end of a frame: its payload is whole and checked

  private mutating func end(_ header: FrameHeader) throws(DropStreamError) -> Event? {
    switch (header.type, position) {
    case (.offer, _):
      let offer = try OfferParser(limits: limits, frameOffset: frameOffset, memory: offers).parse(metadata)
      fileBytes += DropFileIndex.mostBytes(forItemOf: offer.representations.count)
      position = .item(offer, done: 0, partial: nil)
      return .offer(offer)
    case (.data, .item) where !header.flags.contains(.whole):
      return nil
    case (.data, .item(let offer, let done, let partial)):
      return try endRepresentation(of: offer, done: done, byteCount: partial ?? 0)
    case (.endOfRepresentation, .item(let offer, let done, let partial)):
      guard try leadingInteger(of: "the end of a representation", as: UInt64.self) == partial else {
        throw error(.damaged, "damaged: a representation ends after another number of bytes than came")
      }
      return try endRepresentation(of: offer, done: done, byteCount: partial ?? 0)
    case (.failureOfRepresentation, .item(let offer, let done, _)):
      let failure = try SenderFailure(metadata, frameOffset: frameOffset)
      closeRepresentation(done, of: offer)
      return .failureOfRepresentation(failure)
    case (.endOfItem, .item(let offer, let done, _)):
      guard try leadingInteger(of: "the end of an item", as: UInt32.self) == UInt32(done),
        done == offer.representations.count
      else {
        throw error(
          .damaged,
          "damaged: an item of \(offer.representations.count) representations ends after \(done), "
            + "or says another number")
      }
      counts.items += 1
      position = .betweenItems
      return .endOfItem
    case (.endOfStream, _):
      return try endStream()
    case (.failure, _):
      throw try SenderFailure(metadata, frameOffset: frameOffset).error
    default:
      return nil
    }
  }

  private mutating func endRepresentation(
    of offer: DropOffer, done: Int, byteCount: UInt64
  ) throws(DropStreamError) -> Event {
    if let promised = offer.representations[done].byteCount, promised != byteCount {
      throw error(.damaged, "damaged: a representation of \(byteCount) bytes where \(promised) were promised")
    }
    closeRepresentation(done, of: offer)
    return .endOfRepresentation(byteCount: byteCount)
  }

  private mutating func closeRepresentation(_ index: Int, of offer: DropOffer) {
    let done = index + 1 + offer.originals(ofAliasesAt: index + 1).count
    counts.representations += UInt64(done - index)
    position = .item(offer, done: done, partial: nil)
  }

  private mutating func endStream() throws(DropStreamError) -> Event {
    guard metadata.count == 36 else { throw error(.damaged, "damaged: the end of the stream has a wrong length") }
    let stated = metadata.withUnsafeBytes { bytes in
      StreamCounts(
        items: bytes.littleEndian(at: 0), representations: bytes.littleEndian(at: 8),
        frames: bytes.littleEndian(at: 16), bytes: bytes.littleEndian(at: 24))
    }
    guard stated == counts else {
      throw error(
        .damaged,
        "damaged: the sender counts \(stated.items) items in \(stated.frames) frames, here are "
          + "\(counts.items) in \(counts.frames)")
    }
    guard metadata.withUnsafeBytes({ $0.littleEndian(at: 32, as: UInt32.self) }) == digest.value(with: counts) else {
      throw error(.damaged, "damaged: the digest of the stream does not fit")
    }
    position = .ended
    return .endOfStream(counts)
  }

  /// The integer a payload starts with; behind it may be fields that a later version knows.
  private func leadingInteger<Value: FixedWidthInteger>(
    of frame: String, as type: Value.Type = Value.self
  ) throws(DropStreamError) -> Value {
    try FieldReader(owner: frame, frameOffset: frameOffset).leadingInteger(metadata)
  }

  private func error(_ code: DropStreamError.Code, _ reason: String) -> DropStreamError {
    DropStreamError(code, reason, at: frameOffset)
  }
}
