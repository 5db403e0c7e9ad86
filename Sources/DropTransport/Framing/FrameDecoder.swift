// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Takes a stream apart into checked frames: pure, is shown the bytes that have come so far and says how many it used.
///
///     preamble -> header -> payload … -> check -> header …
///
/// A payload is passed on in whatever pieces it arrives; it is checked only once `endOfFrame` has come.
struct FrameDecoder: Sendable {
  enum Event {
    /// The stream starts as it should; its check goes into the digest.
    case preamble(check: UInt32)
    case header(FrameHeader)
    case payload(UnsafeRawBufferPointer)
    /// The frame is whole; `check` is what the digest takes in.
    case endOfFrame(check: UInt32)
  }

  private enum State {
    case preamble
    case header
    case payload(remaining: UInt64)
    case check
  }

  private var state = State.preamble
  private var crc = CRC32C()
  private var nextSequence: UInt32 = 0
  /// How many bytes of the stream have been used.
  private(set) var offset: UInt64 = 0
  /// Where the current frame starts.
  private(set) var frameOffset: UInt64 = 0

  /// Whether the stream may end here as far as framing goes.
  var isBetweenFrames: Bool {
    if case .header = state { true } else { false }
  }

  /// Takes the next event off the front of `bytes`.
  ///
  /// - Returns: The event and the bytes it used; `nil` when more bytes are needed first.
  mutating func next(in bytes: UnsafeRawBufferPointer) throws(DropStreamError) -> (event: Event, used: Int)? {
    switch state {
    case .preamble:
      try checkMagic(bytes)
      guard bytes.count >= Preamble.length else { return nil }
      try checkPreamble(bytes)
      state = .header
      return (.preamble(check: bytes.littleEndian(at: 12)), use(Preamble.length))

    case .header:
      guard bytes.count >= FrameHeader.length else { return nil }
      frameOffset = offset
      let header = try decodeHeader(UnsafeRawBufferPointer(rebasing: bytes[..<FrameHeader.length]))
      state = header.payloadLength == 0 ? .check : .payload(remaining: header.payloadLength)
      return (.header(header), use(FrameHeader.length))

    case .payload(let remaining):
      guard !bytes.isEmpty else { return nil }
      let count = Int(min(UInt64(bytes.count), remaining))
      let piece = UnsafeRawBufferPointer(rebasing: bytes[..<count])
      crc.update(piece)
      state = remaining == UInt64(count) ? .check : .payload(remaining: remaining - UInt64(count))
      return (.payload(piece), use(count))

    case .check:
      guard bytes.count >= FrameHeader.checkLength else { return nil }
      let check = try takeCheck(bytes.littleEndian(at: 0))
      return (.endOfFrame(check: check), use(FrameHeader.checkLength))
    }
  }

  /// Takes all that is left of a frame whose header has just been taken, where it is there already.
  ///
  /// The same as `next(in:)` says in pieces, but for a payload that is checked before it is seen.
  ///
  /// - Returns: The payload, the check for the digest, and the bytes it used; `nil` when more bytes are needed first.
  mutating func restOfFrame(
    _ header: FrameHeader, in bytes: UnsafeRawBufferPointer
  ) throws(DropStreamError) -> (payload: UnsafeRawBufferPointer, check: UInt32, used: Int)? {
    guard bytes.count >= FrameHeader.checkLength,
      header.payloadLength <= UInt64(bytes.count - FrameHeader.checkLength)
    else { return nil }
    let length = Int(header.payloadLength)
    let payload = UnsafeRawBufferPointer(rebasing: bytes[..<length])
    crc.update(payload)
    offset += UInt64(length)
    let check = try takeCheck(bytes.littleEndian(at: length))
    return (payload, check, length + use(FrameHeader.checkLength))
  }

  private mutating func takeCheck(_ check: UInt32) throws(DropStreamError) -> UInt32 {
    guard check == crc.value else {
      throw DropStreamError(.damaged, "damaged: the check of the frame does not fit", at: frameOffset)
    }
    state = .header
    return check
  }

  private mutating func use(_ count: Int) -> Int {
    offset += UInt64(count)
    return count
  }

  private func checkMagic(_ bytes: UnsafeRawBufferPointer) throws(DropStreamError) {
    let seen = min(bytes.count, Preamble.magic.count)
    guard let wrong = (0..<seen).first(where: { bytes[$0] != Preamble.magic[$0] }) else { return }
    throw DropStreamError(.notADropStream, TextDamage.reason(forStart: bytes), at: UInt64(wrong))
  }

  private func checkPreamble(_ bytes: UnsafeRawBufferPointer) throws(DropStreamError) {
    let check = CRC32C.check(UnsafeRawBufferPointer(rebasing: bytes[..<12]))
    guard bytes.littleEndian(at: 12, as: UInt32.self) == check else {
      throw DropStreamError(.damaged, "damaged: the check of the stream's first bytes does not fit", at: 12)
    }
    guard bytes[8] == Preamble.majorVersion else {
      throw DropStreamError(
        .unsupported, "the stream has version \(bytes[8]).\(bytes[9]), this reader knows \(Preamble.majorVersion)",
        at: 8)
    }
    for offset in 10...11 where bytes[offset] != Preamble.crc32cAlgorithm {
      throw DropStreamError(
        .unsupported, "the stream is checked by algorithm \(bytes[offset]), which this reader does not know",
        at: UInt64(offset))
    }
  }

  private mutating func decodeHeader(_ bytes: UnsafeRawBufferPointer) throws(DropStreamError) -> FrameHeader {
    let header: FrameHeader
    (header, crc) = try FrameHeader.checked(bytes, at: frameOffset)
    guard header.sequence == nextSequence else {
      throw DropStreamError(
        .damaged, "damaged: frame \(header.sequence) where frame \(nextSequence) belongs", at: frameOffset)
    }
    nextSequence &+= 1
    return header
  }
}

/// Tells apart the ways in which a stream's first bytes can be wrong, for a message that helps.
enum TextDamage {
  static func reason(forStart bytes: UnsafeRawBufferPointer) -> String {
    let magic = Preamble.magic
    let stripped = magic.map { $0 & 0x7F }
    let withoutReturns = magic.filter { $0 != 0x0D }
    let addedReturns = magic.flatMap { $0 == 0x0A ? [0x0D, 0x0A] : [$0] }
    let returnAtLoneLineFeed = magic.dropLast() + [0x0D, 0x0A]
    let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    for (damaged, what) in [
      (stripped, "the high bits of the stream are gone"),
      (withoutReturns, "the stream's line ends were converted"),
      (addedReturns, "the stream's line ends were converted"),
      (Array(returnAtLoneLineFeed), "the stream's line ends were converted"),
      (byteOrderMark, "a byte order mark stands before the stream"),
    ] where bytes.count >= damaged.count && bytes.starts(with: damaged) {
      return "not a drop stream: \(what), something took it for text"
    }
    return "not a drop stream"
  }
}
