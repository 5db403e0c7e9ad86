// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// A decoder that turns the bytes of a stream into verified frames.
///
/// The decoder performs no input: the caller passes the bytes that have arrived.
///
///     preamble -> header -> payload … -> checksum -> header …
///
/// The decoder returns a payload in the pieces in which it arrives. The payload is verified only at `endOfFrame`.
struct FrameDecoder: Sendable {
  enum Event {
    /// The preamble is valid. The caller adds its checksum to the digest.
    case preamble(check: UInt32)
    case header(FrameHeader)
    case payload(UnsafeRawBufferPointer)
    /// The frame is complete and verified. The caller adds its checksum to the digest.
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
  /// The number of bytes of the stream that have been decoded.
  private(set) var offset: UInt64 = 0
  /// The offset of the current frame.
  private(set) var frameOffset: UInt64 = 0
  /// Whether the error of a wrong checksum is kept in ``chunkError`` instead of thrown.
  ///
  /// The frame can be a chunk of a file that changed while the kernel moved it into a pipe. The sender reports that later.
  var awaitsReason = false
  /// The error of the first corrupt chunk, after which further frames show only its reason.
  var chunkError: DropStreamError?

  /// Whether the decoder is between two frames.
  var isBetweenFrames: Bool {
    if case .header = state { true } else { false }
  }

  /// Decodes the next event at the start of `bytes`.
  ///
  /// - Returns: The event, and how many bytes it used; `nil` if more bytes are needed first.
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

  /// The number of bytes of the current payload that are not decoded yet.
  var missingPayload: UInt64 {
    if case .payload(let remaining) = state { remaining } else { 0 }
  }

  /// Takes bytes of the payload that were not read, by their checksum.
  mutating func skip(_ count: UInt64, _ other: CRC32C) {
    let remaining = missingPayload - count
    crc.update(other, byteCount: count)
    offset += count
    state = remaining == 0 ? .check : .payload(remaining: remaining)
  }

  /// Decodes the payload and the checksum of a frame whose header was the last event, if both have arrived.
  ///
  /// Equivalent to the events of `next(in:)`, except that the payload is verified before it is returned.
  ///
  /// - Returns: The payload, the checksum for the digest, and how many bytes were used; `nil` if more bytes are needed.
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
    if check != crc.value {
      let error = DropStreamError(.damaged, "corrupt: frame checksum mismatch", at: frameOffset)
      guard awaitsReason else { throw error }
      chunkError = chunkError ?? error
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
    throw DropStreamError(.notADropStream, ForeignStart.reason(bytes), at: UInt64(wrong))
  }

  private func checkPreamble(_ bytes: UnsafeRawBufferPointer) throws(DropStreamError) {
    let check = CRC32C.check(UnsafeRawBufferPointer(rebasing: bytes[..<12]))
    guard bytes.littleEndian(at: 12, as: UInt32.self) == check else {
      throw DropStreamError(.damaged, "corrupt: preamble checksum mismatch", at: 12)
    }
    guard bytes[8] == Preamble.majorVersion else {
      throw DropStreamError(
        .unsupported,
        "the stream has version \(bytes[8]).\(bytes[9]); this reader supports version \(Preamble.majorVersion)", at: 8)
    }
    for offset in 10...11 where bytes[offset] != Preamble.crc32cAlgorithm {
      throw DropStreamError(
        .unsupported, "unknown checksum algorithm \(bytes[offset])",
        at: UInt64(offset))
    }
  }

  private mutating func decodeHeader(_ bytes: UnsafeRawBufferPointer) throws(DropStreamError) -> FrameHeader {
    let header: FrameHeader
    (header, crc) = try FrameHeader.checked(bytes, at: frameOffset)
    guard header.sequence == nextSequence else {
      throw DropStreamError(
        .damaged, "corrupt: frame \(header.sequence) instead of frame \(nextSequence)", at: frameOffset)
    }
    nextSequence &+= 1
    return header
  }
}

/// A diagnosis of bytes that do not start a stream, for a helpful message.
///
/// The bytes may be a stream that a program has changed, compressed or encrypted, or the text of another program.
enum ForeignStart {
  /// The signatures of formats, with the commands that restore the stream.
  private static let formats: [(signature: [UInt8], name: String, command: String)] = [
    ([0x1F, 0x8B], "gzip", "gzip -d"), ([0x28, 0xB5, 0x2F, 0xFD], "zstd", "zstd -d"),
    ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], "xz", "xz -d"), (Array("BZh".utf8), "bzip2", "bzip2 -d"),
    ([0x04, 0x22, 0x4D, 0x18], "lz4", "lz4 -d"), (Array("age-encryption.org/".utf8), "age", "age -d"),
    (Array("-----BEGIN AGE ENCRYPTED".utf8), "age", "age -d"), (Array("-----BEGIN PGP MESSAGE".utf8), "gpg", "gpg -d"),
  ]
  /// The maximum number of characters of a text that a message shows.
  private static let shownLength = 60

  static func reason(_ bytes: UnsafeRawBufferPointer) -> String {
    let magic = Preamble.magic
    let stripped = magic.map { $0 & 0x7F }
    let withoutReturns = magic.filter { $0 != 0x0D }
    let addedReturns = magic.flatMap { $0 == 0x0A ? [0x0D, 0x0A] : [$0] }
    let returnAtLoneLineFeed = magic.dropLast() + [0x0D, 0x0A]
    let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    for (damaged, what) in [
      (stripped, "the high bits of the stream are cleared"),
      (withoutReturns, "the stream's line ends were converted"),
      (addedReturns, "the stream's line ends were converted"),
      (Array(returnAtLoneLineFeed), "the stream's line ends were converted"),
      (byteOrderMark, "a byte order mark precedes the stream"),
    ] where bytes.count >= damaged.count && bytes.starts(with: damaged) {
      return "not a drop stream: \(what); a program has treated the stream as text"
    }
    if let (_, name, command) = formats.first(where: { bytes.starts(with: $0.signature) }) {
      return "not a drop stream, but data of \(name); restore the stream first, with: \(command)"
    }
    let line = bytes.prefix(4 * shownLength).prefix { $0 != 0x0A && $0 != 0x0D }
    let isText = line.count > 7 && line.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    guard isText, let text = String(validating: line, as: UTF8.self) else {
      return "not a drop stream: the signature is missing"
    }
    let shown = text.escapedForDisplay(limit: shownLength)
    return "not a drop stream: it starts with the text \"\(shown)\""
  }
}
