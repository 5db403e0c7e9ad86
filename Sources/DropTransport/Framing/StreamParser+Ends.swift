// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

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
      return .zeros(try takeZeros(payload))
    case .endOfRepresentation:
      guard try leadingInteger(of: "the end of a representation", payload, as: UInt64.self) == partial else {
        throw error(.damaged, "corrupt: the byte count at the end of a representation differs from its bytes")
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
