// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A parser that turns the frames of one direction into messages and rejects protocol violations.
///
/// It performs no I/O.
///
///     hello -> (offer … -> end of offers | request | data | …) … -> bye
///
/// The session makes the checks that need both directions, such as whether this side has requested the data.
struct SessionParser: Sendable {
  private let limits: DropStreamLimits
  private var header: FrameHeader?
  private var frameOffset: UInt64 = 0
  /// The payload so far of a frame other than a data frame.
  ///
  /// The length in the header is compared with a limit first.
  private var payload: [UInt8] = []
  private var chunk: ContentBuffer?
  private var digest = StreamDigest(preambleCheck: Preamble.check)
  private var ancillaryBytes: UInt64 = 0
  private var hasGreeted = false
  private(set) var hasEnded = false
  /// Whether the latest frame is a keep-alive frame of an idle peer.
  private(set) var isIdleKeepAlive = false
  /// The offer whose end has not arrived.
  private var pending: SessionOffer?
  private var lastGeneration: UInt32 = 0
  private var lastRequest: UInt32 = 0

  init(limits: DropStreamLimits) {
    self.limits = limits
  }

  /// The unfilled memory of the current chunk; `nil` without a current chunk.
  var chunkRoom: UnsafeMutableRawBufferPointer? { chunk?.room }

  /// Handles an event of the frame decoder.
  ///
  /// - Returns: The message that the event completes, if any.
  /// - Throws: `DropStreamError` for a violation of the protocol or of a limit; the failure that the peer reports.
  mutating func take(_ event: FrameDecoder.Event, at offset: UInt64) throws(DropStreamError) -> SessionMessage? {
    switch event {
    case .preamble(let check):
      digest = StreamDigest(preambleCheck: check)
      return nil
    case .header(let header):
      try begin(header, at: offset)
      return nil
    case .payload(let piece):
      guard let header, !header.type.isAncillary else { return nil }
      if let chunk { chunk.append(piece) } else { payload.append(contentsOf: piece) }
      return nil
    case .endOfFrame(let check):
      guard let header else { return nil }
      let message = header.type.isAncillary ? nil : try end(header)
      digest.add(frameCheck: check)
      self.header = nil
      payload.removeAll(keepingCapacity: true)
      return message
    }
  }

  // MARK: The start of a frame

  private mutating func begin(_ header: FrameHeader, at offset: UInt64) throws(DropStreamError) {
    self.header = header
    frameOffset = offset
    isIdleKeepAlive = header.type == .keepAlive && !header.flags.contains(.busy)
    if hasEnded { throw error(.damaged, "corrupt: a frame follows the end of the session") }
    try header.checkFlags(at: offset)
    if header.type.isAncillary { return try countAncillary(header) }
    guard hasGreeted != (header.type == .hello) || header.type == .failure else {
      // A one-way stream begins with an offer frame, so the error names that cause.
      throw hasGreeted || header.type != .offer
        ? error(.damaged, "corrupt: a frame of type \(header.type.rawValue) out of order")
        : .oneWayStreamFound(at: frameOffset)
    }
    try checkNumber(header)
    if header.type == .data {
      guard header.payloadLength <= UInt64(SessionRequest.maximumChunkLength) else {
        throw error(
          .limitExceeded,
          "a chunk of \(header.payloadLength) bytes exceeds the limit of \(SessionRequest.maximumChunkLength)")
      }
      guard header.payloadLength > 0 || header.flags.contains(.whole) else {
        throw error(.damaged, "corrupt: a chunk of 0 bytes")
      }
      chunk = ContentBuffer(capacity: Int(header.payloadLength))
    } else {
      let limit = header.type == .finish ? SessionFinish.maximumLength : limits.metadataBytes
      guard header.payloadLength <= UInt64(limit) else {
        throw error(.limitExceeded, "description of \(header.payloadLength) bytes exceeds the limit of \(limit)")
      }
    }
  }

  private mutating func checkNumber(_ header: FrameHeader) throws(DropStreamError) {
    switch header.type {
    case .hello, .bye, .failure:
      guard header.request == 0 else { throw error(.damaged, "corrupt: a frame of the session has a request number") }
    case .offer:
      let isNext = pending.map { $0.generation == header.request } ?? (header.request > lastGeneration)
      guard isNext else { throw error(.damaged, "corrupt: an offer of generation \(header.request) out of order") }
      lastGeneration = header.request
    case .endOfOffers:
      // An offer without items consists of this frame alone.
      let isNext = pending.map { $0.generation == header.request } ?? (header.request > lastGeneration)
      guard isNext else { throw error(.damaged, "corrupt: the end of offers that have not begun") }
      lastGeneration = header.request
    case .request:
      guard header.request > lastRequest else {
        throw error(.damaged, "corrupt: request \(header.request) after request \(lastRequest)")
      }
      lastRequest = header.request
    case .withdrawal, .credit, .preparation, .cancellation, .data, .zeros, .endOfRepresentation,
      .failureOfRepresentation, .descriptor, .finish, .acknowledgement:
      guard header.request != 0 else {
        throw error(.damaged, "corrupt: a frame of type \(header.type.rawValue) has no request number")
      }
    default:
      throw error(
        .unsupported, "a frame of type \(header.type.rawValue), which is unknown and must not be skipped")
    }
  }

  private mutating func countAncillary(_ header: FrameHeader) throws(DropStreamError) {
    let frameLength = header.payloadLength + UInt64(FrameHeader.length + FrameHeader.checkLength)
    guard frameLength <= limits.ancillaryBytes - min(ancillaryBytes, limits.ancillaryBytes) else {
      throw error(.limitExceeded, "more than \(limits.ancillaryBytes) bytes of skipped frames")
    }
    ancillaryBytes += frameLength
  }

  // MARK: The end of a frame, after its payload is verified

  private mutating func end(_ header: FrameHeader) throws(DropStreamError) -> SessionMessage? {
    let number = header.request
    let reader = SessionPayload(payload, frameOffset: frameOffset)
    switch header.type {
    case .hello:
      hasGreeted = true
      return .hello(try reader.hello())
    case .offer:
      try addOffer(number)
      return nil
    case .endOfOffers: return .offer(try endOffer(number, reader))
    case .withdrawal:
      // The withdrawal also ends an incomplete offer: no more of its frames follow.
      if pending?.generation == number { pending = nil }
      return .withdrawal(generation: number, try reader.senderFailure())
    case .request: return .request(number: number, try reader.request())
    case .credit: return .credit(number: number, try reader.leadingInteger(of: "a credit"))
    case .cancellation: return .cancellation(number: number, try reader.senderFailure())
    case .preparation:
      let (completed, total) = try reader.preparation()
      return .preparation(number: number, completed: completed, total: total)
    case .data:
      guard let data = chunk.take()?.take() else { return nil }
      return .data(number: number, data, isWhole: header.flags.contains(.whole))
    case .zeros:
      let count = try reader.leadingInteger(of: "a run of zeros")
      if count == 0 { throw error(.damaged, "corrupt: a run of 0 zeros") }
      return .zeros(number: number, count)
    case .endOfRepresentation:
      let (byteCount, stated) = try reader.endOfRepresentation()
      try checkDigest(stated)
      return .endOfRepresentation(number: number, byteCount: byteCount)
    case .failureOfRepresentation: return .failure(number: number, try reader.senderFailure())
    case .descriptor: return .descriptor(number: number, try reader.descriptor())
    case .finish: return .finish(generation: number, try reader.finish())
    case .acknowledgement: return .acknowledgement(generation: number, isKnown: try reader.acknowledgement())
    case .bye:
      try checkDigest(try reader.bye())
      hasEnded = true
      return .bye
    case .failure: throw try reader.senderFailure().errorOfSession
    default: return nil
    }
  }

  private mutating func addOffer(_ generation: UInt32) throws(DropStreamError) {
    let item = try OfferParser(limits: limits, frameOffset: frameOffset).parse(payload)
    var offer = pending ?? SessionOffer(generation: generation, items: [], actions: [])
    guard UInt64(offer.items.count) < limits.items else {
      throw .excess(ofItems: limits.items, at: frameOffset)
    }
    offer.size += OfferSize(of: item, bytes: payload.count)
    if let excess = offer.size.excess(over: limits) { throw error(.limitExceeded, "the items of an offer \(excess)") }
    // A second reference would copy the items on every append.
    pending = nil
    offer.items.append(item)
    pending = offer
  }

  private mutating func endOffer(_ generation: UInt32, _ reader: SessionPayload) throws(DropStreamError) -> SessionOffer
  {
    var offer = pending ?? SessionOffer(generation: generation, items: [], actions: [])
    pending = nil
    let (itemCount, actions) = try reader.endOfOffers()
    guard UInt64(itemCount) == UInt64(offer.items.count) else {
      throw error(.damaged, "corrupt: an offer of \(offer.items.count) items states \(itemCount)")
    }
    offer.actions = actions
    return offer
  }

  private func checkDigest(_ stated: UInt32) throws(DropStreamError) {
    guard stated == digest.value else {
      throw error(.damaged, "corrupt: digest mismatch")
    }
  }

  private func error(_ code: DropStreamError.Code, _ reason: String) -> DropStreamError {
    DropStreamError(code, reason, at: frameOffset)
  }
}
