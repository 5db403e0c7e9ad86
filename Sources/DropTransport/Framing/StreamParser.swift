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
    /// All of the representation at once.
    case representation(UnsafeRawBufferPointer)
    /// What has come of the representation, if anything, is of no use.
    case failureOfRepresentation(SenderFailure)
    case endOfItem
    case endOfStream(StreamCounts)
  }

  private enum Phase {
    case betweenItems
    case inItem
    case ended
  }

  private let limits: DropStreamLimits
  private var phase = Phase.betweenItems
  /// In an item: what was offered, the representations that have come, and the bytes of the one that is under way.
  private var offer = DropOffer(representations: [])
  private var done = 0
  private var partial: UInt64?
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

  var hasEnded: Bool { phase == .ended }

  /// What was under way, for the message when the bytes stop here.
  var whereabouts: String {
    switch phase {
    case .betweenItems: "after \(counts.items) whole \(counts.items == 1 ? "item" : "items")"
    case .inItem: "inside item \(counts.items + 1)"
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
      countBytes(piece.count)
      return .bytes(piece)
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

  /// Takes all the rest of a frame, which has been checked, at once.
  ///
  /// - Returns: What the frame means, if anything.
  mutating func take(restOfFrame payload: UnsafeRawBufferPointer, check: UInt32) throws(DropStreamError) -> Event? {
    guard let header else { return nil }
    var meaning: Event?
    if header.type == .data {
      countBytes(payload.count)
      let end = try end(header, payload)
      meaning = end == nil ? .bytes(payload) : .representation(payload)
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

  // MARK: The start of a frame: is it known, allowed, and its turn?

  private mutating func begin(_ header: FrameHeader, at offset: UInt64) throws(DropStreamError) {
    self.header = header
    frameOffset = offset
    if header.type.isAncillary { return try countAncillary(header) }
    try header.checkFlags(at: offset)
    guard header.request == 0 else {
      throw error(.damaged, "damaged: a frame answers a request, and a one-way stream has none")
    }
    guard try isInTurn(header.type) else {
      throw error(.damaged, "damaged: a frame of type \(header.type.rawValue) out of its turn")
    }
    switch header.type {
    case .offer:
      guard counts.items < limits.items else { throw error(.limitExceeded, "more than \(limits.items) items") }
    case .data: try beginData(header)
    default: break
    }
    if header.type != .data, header.payloadLength > UInt64(limits.metadataBytes) {
      throw error(
        .limitExceeded, "\(header.payloadLength) bytes of description, more than \(limits.metadataBytes)")
    }
  }

  private func isInTurn(_ type: FrameType) throws(DropStreamError) -> Bool {
    switch type {
    case .offer, .endOfStream: return phase == .betweenItems
    case .data: return phase == .inItem
    case .endOfRepresentation: return phase == .inItem && partial != nil
    case .failureOfRepresentation: return phase == .inItem && done < offer.representations.count
    case .endOfItem: return phase == .inItem && partial == nil
    case .failure: return phase != .ended
    default:
      throw error(.unsupported, "a frame of type \(type.rawValue), which this reader does not know and must not skip")
    }
  }

  private mutating func beginData(_ header: FrameHeader) throws(DropStreamError) {
    guard done < offer.representations.count else {
      throw error(.damaged, "damaged: more representations than were offered")
    }
    if header.payloadLength == 0, !header.flags.contains(.whole) {
      throw error(.damaged, "damaged: a chunk of no bytes")
    }
    if header.flags.contains(.whole), partial != nil {
      throw error(.damaged, "damaged: a whole representation inside another")
    }
    let count = partial ?? 0
    if let promised = offer.representations[done].byteCount, header.payloadLength > promised - min(count, promised) {
      throw error(.damaged, "damaged: a representation is longer than the \(promised) bytes that were promised")
    }
    guard header.payloadLength <= limits.bytes - min(counts.bytes, limits.bytes) else {
      throw error(.limitExceeded, "more than \(limits.bytes) bytes")
    }
    partial = count
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

  private mutating func countBytes(_ count: Int) {
    counts.bytes += UInt64(count)
    partial = (partial ?? 0) + UInt64(count)
  }

  // MARK: The end of a frame: its payload is whole and checked

  /// - Parameters:
  ///   - header: Of the frame.
  ///   - payload: All of it, unless it is content.
  /// - Returns: What the frame means, if anything yet.
  /// - Throws: What is wrong with it.
  private mutating func end(
    _ header: FrameHeader, _ payload: UnsafeRawBufferPointer
  ) throws(DropStreamError) -> Event? {
    switch header.type {
    case .offer:
      offer = try OfferParser(limits: limits, frameOffset: frameOffset, memory: offers).parse(repeated: payload)
      fileBytes += DropFileIndex.mostBytes(forItemOf: offer.representations.count)
      (phase, done, partial) = (.inItem, 0, nil)
      return .offer(offer)
    case .data:
      return header.flags.contains(.whole) ? try endRepresentation() : nil
    case .endOfRepresentation:
      guard try leadingInteger(of: "the end of a representation", payload, as: UInt64.self) == partial else {
        throw error(.damaged, "damaged: a representation ends after another number of bytes than came")
      }
      return try endRepresentation()
    case .failureOfRepresentation:
      let failure = try SenderFailure(Array(payload), frameOffset: frameOffset)
      closeRepresentation()
      return .failureOfRepresentation(failure)
    case .endOfItem:
      guard try leadingInteger(of: "the end of an item", payload, as: UInt32.self) == UInt32(done),
        done == offer.representations.count
      else {
        throw error(
          .damaged,
          "damaged: an item of \(offer.representations.count) representations ends after \(done), "
            + "or says another number")
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

  private mutating func endRepresentation() throws(DropStreamError) -> Event {
    let byteCount = partial ?? 0
    if let promised = offer.representations[done].byteCount, promised != byteCount {
      throw error(.damaged, "damaged: a representation of \(byteCount) bytes where \(promised) were promised")
    }
    closeRepresentation()
    return .endOfRepresentation(byteCount: byteCount)
  }

  private mutating func closeRepresentation() {
    let former = done
    repeat { done += 1 } while done < offer.representations.count && offer.representations[done].alias != nil
    counts.representations += UInt64(done - former)
    partial = nil
  }

  private mutating func endStream(_ payload: UnsafeRawBufferPointer) throws(DropStreamError) -> Event {
    guard payload.count == 36 else { throw error(.damaged, "damaged: the end of the stream has a wrong length") }
    let stated = StreamCounts(
      items: payload.littleEndian(at: 0), representations: payload.littleEndian(at: 8),
      frames: payload.littleEndian(at: 16), bytes: payload.littleEndian(at: 24))
    guard stated == counts else {
      throw error(
        .damaged,
        "damaged: the sender counts \(stated.items) items in \(stated.frames) frames, here are "
          + "\(counts.items) in \(counts.frames)")
    }
    guard payload.littleEndian(at: 32, as: UInt32.self) == digest.value(with: counts) else {
      throw error(.damaged, "damaged: the digest of the stream does not fit")
    }
    phase = .ended
    return .endOfStream(counts)
  }

  /// The integer a payload starts with; behind it may be fields that a later version knows.
  private func leadingInteger<Value: FixedWidthInteger>(
    of frame: String, _ payload: UnsafeRawBufferPointer, as type: Value.Type = Value.self
  ) throws(DropStreamError) -> Value {
    if payload.count == MemoryLayout<Value>.size { return payload.littleEndian(at: 0) }
    return try FieldReader(owner: frame, frameOffset: frameOffset).leadingInteger(Array(payload))
  }

  private func error(_ code: DropStreamError.Code, _ reason: String) -> DropStreamError {
    DropStreamError(code, reason, at: frameOffset)
  }
}
