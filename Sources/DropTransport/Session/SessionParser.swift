// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

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
    case .offer, .endOfOffers:
      // An offer without items consists of its end alone.
      let isNext = pending.map { $0.generation == header.request } ?? (header.request > lastGeneration)
      guard isNext else { throw error(.damaged, "corrupt: a frame of offer \(header.request) out of order") }
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
      throw error(.limitExceeded, "the session has more than \(limits.ancillaryBytes) bytes of skipped frames")
    }
    ancillaryBytes += frameLength
  }

  // MARK: The end of a frame, after its payload is verified

  private mutating func end(_ header: FrameHeader) throws(DropStreamError) -> SessionMessage? {
    let number = header.request
    switch header.type {
    case .hello:
      hasGreeted = true
      return .hello(try hello())
    case .offer:
      try addOffer(number)
      return nil
    case .endOfOffers: return .offer(try endOffer(number))
    case .withdrawal:
      // The withdrawal also ends an incomplete offer: no more of its frames follow.
      if pending?.generation == number { pending = nil }
      return .withdrawal(generation: number, try senderFailure())
    case .request: return .request(number: number, try request())
    case .credit:
      _ = try fields(of: "a credit", after: 8)
      return .credit(number: number, payload.littleEndian(at: 0))
    case .cancellation: return .cancellation(number: number, try senderFailure())
    case .preparation:
      _ = try fields(of: "a progress", after: 16)
      let total: UInt64 = payload.littleEndian(at: 8)
      return .preparation(
        number: number, completed: payload.littleEndian(at: 0), total: total == .max ? nil : total)
    case .data:
      guard let data = chunk.take()?.take() else { return nil }
      return .data(number: number, data, isWhole: header.flags.contains(.whole))
    case .zeros:
      _ = try fields(of: "a run of zeros", after: 8)
      let count: UInt64 = payload.littleEndian(at: 0)
      if count == 0 { throw error(.damaged, "corrupt: a run of 0 zeros") }
      return .zeros(number: number, count)
    case .endOfRepresentation:
      try checkDigest(in: "the end of a representation", after: 8)
      return .endOfRepresentation(number: number, byteCount: payload.littleEndian(at: 0))
    case .failureOfRepresentation: return .failure(number: number, try senderFailure())
    case .descriptor: return .descriptor(number: number, try descriptor())
    case .finish: return .finish(generation: number, try finish())
    case .acknowledgement:
      _ = try fields(of: "an acknowledgement", after: 1)
      return .acknowledgement(generation: number, isKnown: payload[0] == 1)
    case .bye:
      try checkDigest(in: "a close frame")
      hasEnded = true
      return .bye
    case .failure: throw try senderFailure().errorOfSession
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

  private mutating func endOffer(_ generation: UInt32) throws(DropStreamError) -> SessionOffer {
    var offer = pending ?? SessionOffer(generation: generation, items: [], actions: [])
    pending = nil
    let fields = try fields(of: "the end of an offer", after: 4, [(SessionField.actions, 1)])
    guard let actions = fields[SessionField.actions]?.first else {
      throw error(.damaged, "corrupt: the end of an offer has no actions")
    }
    let itemCount: UInt32 = payload.littleEndian(at: 0)
    guard UInt64(itemCount) == UInt64(offer.items.count) else {
      throw error(.damaged, "corrupt: an offer of \(offer.items.count) items states \(itemCount)")
    }
    offer.actions = DropActions(rawValue: actions)
    return offer
  }

  // MARK: Payloads, which a hostile peer may have written

  private func hello() throws(DropStreamError) -> SessionHello {
    let fields = try fields(
      of: "a handshake", [(SessionField.versions, 2), (SessionField.features, 8), (SessionField.requests, 4)])
    guard let versions = fields[SessionField.versions], let lowest = versions.first, let highest = versions.last,
      lowest <= highest
    else { throw error(.damaged, "corrupt: a handshake has no readable versions") }
    return SessionHello(
      versions: lowest...highest,
      features: SessionHello.Features(rawValue: fields[SessionField.features]?.littleEndian(at: 0) ?? 0),
      requests: max(1, fields[SessionField.requests]?.littleEndian(at: 0) ?? SessionHello().requests))
  }

  private func request() throws(DropStreamError) -> SessionRequest {
    let fields = try fields(
      of: "a request", after: SessionRequest.length,
      [(SessionField.range, 16), (SessionField.startDigest, SHA256.length)])
    var request = SessionRequest(
      generation: payload.littleEndian(at: 0), item: payload.littleEndian(at: 4),
      representation: payload.littleEndian(at: 8),
      accepts: SessionRequest.Acceptance(rawValue: payload.littleEndian(at: 12)),
      credit: payload.littleEndian(at: 16), startDigest: fields[SessionField.startDigest])
    if let range = fields[SessionField.range] {
      let first: UInt64 = range.littleEndian(at: 0)
      let (end, overflow) = first.addingReportingOverflow(range.littleEndian(at: 8))
      guard !overflow, end <= UInt64(Int64.max) else {
        throw error(.damaged, "corrupt: a request has a range beyond 2^63-1 bytes")
      }
      request.range = first..<end
    }
    guard request.startDigest == nil || request.range != nil else {
      throw error(.damaged, "corrupt: a request has a digest without a range")
    }
    return request
  }

  private func descriptor() throws(DropStreamError) -> SessionDescriptor {
    let fields = try fields(of: "a descriptor", after: 9, [(SessionField.check, 4)])
    let check: UInt32? = fields[SessionField.check]?.littleEndian(at: 0)
    guard let kind = SessionDescriptor.Kind(rawValue: payload[0]), kind != .sealedMemory || check != nil else {
      throw error(.damaged, "corrupt: a descriptor has no readable kind")
    }
    return SessionDescriptor(kind: kind, byteCount: payload.littleEndian(at: 1), check: check)
  }

  private func finish() throws(DropStreamError) -> SessionFinish {
    let fields = try fields(of: "a finish", after: 1, [(SessionField.kept, nil), (SessionField.refusal, nil)])
    var finish = SessionFinish()
    if let kept = fields[SessionField.kept] { finish.kept = try runs(kept) }
    if let refusal = fields[SessionField.refusal] {
      finish.refusal = try SenderFailure(refusal, frameOffset: frameOffset)
    }
    if payload[0] != 0 {
      guard let action = DropAction(rawValue: payload[0]) else {
        throw error(.damaged, "corrupt: a finish has unknown action \(payload[0])")
      }
      finish.action = action
    }
    return finish
  }

  /// Decodes the runs of kept items.
  ///
  /// A run is encoded as its first index and its length.
  private func runs(_ value: [UInt8]) throws(DropStreamError) -> [Range<UInt32>] {
    guard value.count % 8 == 0 else { throw error(.damaged, "corrupt: a finish has an invalid list of kept items") }
    var kept: [Range<UInt32>] = []
    for offset in stride(from: 0, to: value.count, by: 8) {
      let (first, count): (UInt32, UInt32) = (value.littleEndian(at: offset), value.littleEndian(at: offset + 4))
      let (end, overflow) = first.addingReportingOverflow(count)
      guard !overflow, count > 0, kept.last.map({ $0.upperBound <= first }) ?? true else {
        throw error(.damaged, "corrupt: a finish has kept items that are not in order")
      }
      kept.append(first..<end)
    }
    return kept
  }

  private func senderFailure() throws(DropStreamError) -> SenderFailure {
    try SenderFailure(payload, frameOffset: frameOffset)
  }

  private func checkDigest(in owner: String, after count: Int = 0) throws(DropStreamError) {
    let found = try fields(of: owner, after: count, [(SessionField.digest, 4)])[SessionField.digest]
    guard let found else { throw error(.damaged, "corrupt: \(owner) has no digest") }
    guard found.littleEndian(at: 0) == digest.value else { throw error(.damaged, "corrupt: digest mismatch") }
  }

  /// Decodes the fields of the payload.
  ///
  /// - Parameters:
  ///   - owner: The owner of the fields for error messages, with its article.
  ///   - count: The number of bytes before the fields.
  ///   - known: The tags of the known fields, and the lengths of their values; `nil` for any length.
  /// - Returns: The values of the known fields by their tags.
  /// - Throws: `damaged` for a wrong length and a repeated field; `unsupported` for an unknown field that must not be
  ///   ignored.
  private func fields(
    of owner: String, after count: Int = 0, _ known: [(tag: UInt8, length: Int?)] = []
  ) throws(DropStreamError) -> [UInt8: [UInt8]] {
    let reader = FieldReader(owner: owner, frameOffset: frameOffset)
    guard payload.count >= count else { throw reader.malformed("a wrong length") }
    var found: [UInt8: [UInt8]] = [:]
    try reader.forEachField(in: payload[count...]) { (tag, value) throws(DropStreamError) in
      guard let field = known.first(where: { $0.tag == tag }) else { return false }
      guard found[tag] == nil, value.count == field.length ?? value.count else {
        throw reader.malformed("a repeated field \(tag), or a field of a wrong length")
      }
      found[tag] = Array(value)
      return true
    }
    return found
  }

  private func error(_ code: DropStreamError.Code, _ reason: String) -> DropStreamError {
    DropStreamError(code, reason, at: frameOffset)
  }
}

extension [UInt8] {
  /// Returns the integer at `offset`.
  ///
  /// - Precondition: All of its bytes lie inside the array.
  func littleEndian<Value: FixedWidthInteger>(at offset: Int, as type: Value.Type = Value.self) -> Value {
    withUnsafeBytes { $0.littleEndian(at: offset) }
  }
}
