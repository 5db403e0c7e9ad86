// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Gives frames their meaning and refuses those out of order: pure, fed by the frame decoder's events.
///
///     (offer -> (data whole | (data | zeros) … -> end of representation) … -> end of item) … -> end of stream
///
/// In place of a whole data frame or an end of representation there may be the failure of that representation. A
/// representation with the bytes of an earlier one has no frames. A failure may stand anywhere between two frames and
/// ends everything.
struct StreamParser: Sendable {
  enum Event {
    case offer(DropOffer)
    /// A piece of the representation that is next in the offer's order; not checked yet.
    case bytes(UnsafeRawBufferPointer)
    /// A run of zeros of that representation.
    case zeros(UInt64)
    case endOfRepresentation(byteCount: UInt64)
    /// All of the representation at once.
    case representation(UnsafeRawBufferPointer)
    /// What has come of the representation, if anything, is of no use.
    case failureOfRepresentation(SenderFailure)
    case endOfItem
    case endOfStream(StreamCounts)
  }

  enum Phase {
    case betweenItems
    case inItem
    case ended
  }

  let limits: DropStreamLimits
  var phase = Phase.betweenItems
  /// In an item: what was offered, the representations that have come, and the bytes of the one that is under way.
  var offer = DropOffer(representations: [])
  var done = 0
  var partial: UInt64?
  private var header: FrameHeader?
  var frameOffset: UInt64 = 0
  /// The payload of a frame that is no content; the decoder's limit bounds it.
  private var metadata: [UInt8] = []
  var counts = StreamCounts()
  private var ancillaryBytes: UInt64 = 0
  let offers = OfferMemory()
  /// How many more bytes of padding and index the items account for that have been offered; they are not counted.
  var fileBytes = DropFileIndex.mostBytesOfNoItems
  var digest = StreamDigest(preambleCheck: Preamble.check)

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
    try header.checkFlags(at: offset)
    if header.type.isAncillary { return try countAncillary(header) }
    guard header.request == 0 else {
      throw error(.damaged, "damaged: a frame answers a request, and a one-way stream has none")
    }
    guard try isInTurn(header.type) else {
      throw error(.damaged, "damaged: a frame of type \(header.type.rawValue) out of its turn")
    }
    switch header.type {
    case .offer:
      guard counts.items < limits.items else { throw error(.limitExceeded, limits.excessOfItems) }
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
    case .data, .zeros: return phase == .inItem
    case .endOfRepresentation: return phase == .inItem && partial != nil
    case .failureOfRepresentation: return phase == .inItem && done < offer.representations.count
    case .endOfItem: return phase == .inItem && partial == nil
    case .failure: return phase != .ended
    case .hello: throw error(.unsupported, DropStreamError.sessionFound)
    default:
      throw error(.unsupported, "a frame of type \(type.rawValue), which this reader does not know and must not skip")
    }
  }

  private mutating func beginData(_ header: FrameHeader) throws(DropStreamError) {
    try expectRepresentation()
    if header.payloadLength == 0, !header.flags.contains(.whole) {
      throw error(.damaged, "damaged: a chunk of no bytes")
    }
    if header.flags.contains(.whole), partial != nil {
      throw error(.damaged, "damaged: a whole representation inside another")
    }
    try checkContent(header.payloadLength)
    partial = partial ?? 0
  }

  func expectRepresentation() throws(DropStreamError) {
    guard done < offer.representations.count else {
      throw error(.damaged, "damaged: more representations than were offered")
    }
  }

  /// Holds content against the size that was promised, and against the limit.
  func checkContent(_ byteCount: UInt64) throws(DropStreamError) {
    if let promised = offer.representations[done].byteCount, byteCount > promised - min(partial ?? 0, promised) {
      throw error(.damaged, "damaged: a representation is longer than the \(promised) bytes that were promised")
    }
    guard byteCount <= limits.bytes - min(counts.bytes, limits.bytes) else {
      throw error(.limitExceeded, "more than \(limits.bytes) bytes")
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

  private mutating func countBytes(_ count: Int) { countBytes(UInt64(count)) }

  mutating func countBytes(_ count: UInt64) {
    counts.bytes += count
    partial = (partial ?? 0) + count
  }

  func error(_ code: DropStreamError.Code, _ reason: String) -> DropStreamError {
    DropStreamError(code, reason, at: frameOffset)
  }
}
