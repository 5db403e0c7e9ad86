// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// The first 16 bytes of a drop stream.
///
/// All integers of the format are little-endian.
///
///     0   8  magic D7 44 52 50 0D 0A 1A 0A
///     8   1  major version    9   1  minor version
///     10  1  frame checksum  11   1  stream digest
///     12  4  CRC32C of the twelve bytes before
enum Preamble {
  static let length = 16
  /// The signature: a byte with its high bit set that makes the signature invalid as UTF-8, `DRP`, CR LF, Ctrl-Z and
  /// LF.
  ///
  /// A transport that treats the stream as text alters at least one of these bytes. Ctrl-Z was the end-of-file mark of
  /// old systems.
  static let magic: [UInt8] = [0xD7, 0x44, 0x52, 0x50, 0x0D, 0x0A, 0x1A, 0x0A]
  static let majorVersion: UInt8 = 1
  static let minorVersion: UInt8 = 0
  static let crc32cAlgorithm: UInt8 = 1

  private static let start = magic + [majorVersion, minorVersion, crc32cAlgorithm, crc32cAlgorithm]
  static let check = start.withUnsafeBytes { CRC32C.check($0) }

  static let bytes: [UInt8] = {
    var bytes = start
    bytes.append(littleEndian: check)
    return bytes
  }()
}

/// The type of a frame.
///
/// A reader rejects a type that it does not know, unless the type is ancillary.
struct FrameType: RawRepresentable, Hashable, Sendable {
  let rawValue: UInt8

  /// The name and representations of an item; opens the item.
  static let offer = FrameType(rawValue: 0x01)
  /// A chunk of the next representation in the order of the offer, or all of it.
  static let data = FrameType(rawValue: 0x02)
  /// Closes a representation that was sent in chunks.
  static let endOfRepresentation = FrameType(rawValue: 0x03)
  static let endOfItem = FrameType(rawValue: 0x04)
  static let endOfStream = FrameType(rawValue: 0x05)
  /// The sender has failed; its last frame.
  static let failure = FrameType(rawValue: 0x06)
  /// The source could not load the next representation.
  ///
  /// The item continues with the following representation.
  static let failureOfRepresentation = FrameType(rawValue: 0x07)
  /// A run of zeros of the next representation in the order of the offer: a hole in its file.
  static let zeros = FrameType(rawValue: 0x08)

  /// The handshake: the first frame of each side of a session, with its features and limits.
  static let hello = FrameType(rawValue: 0x10)
  /// Closes a generation: a group of offers that the destination finishes together.
  static let endOfOffers = FrameType(rawValue: 0x11)
  /// The source no longer offers the items of a generation.
  static let withdrawal = FrameType(rawValue: 0x12)
  /// Requests a representation or a part of it.
  static let request = FrameType(rawValue: 0x13)
  /// Allows more bytes of a response (flow control).
  static let credit = FrameType(rawValue: 0x14)
  /// The progress of a representation that is being loaded.
  static let preparation = FrameType(rawValue: 0x15)
  /// The destination no longer wants the response to a request.
  static let cancellation = FrameType(rawValue: 0x16)
  /// Reports the items that the destination has kept, and the action that it has performed.
  static let finish = FrameType(rawValue: 0x17)
  /// The source has received the finish; states whether the generation was open.
  static let acknowledgement = FrameType(rawValue: 0x18)
  /// Closes this side of the session; no frames follow.
  static let bye = FrameType(rawValue: 0x19)
  /// An open file in place of bytes; its descriptor is passed beside the frame.
  static let descriptor = FrameType(rawValue: 0x1A)
  /// Shows that this side of a session is alive; ancillary, so that older readers skip it.
  static let keepAlive = FrameType(rawValue: 0x90)

  /// The offsets of the items since the previous index page of a file.
  static let indexPage = FrameType(rawValue: 0x81)
  /// The checksums of the items' names; directly before the index footer.
  static let indexNames = FrameType(rawValue: 0x84)
  /// The offsets of the index pages; the last frame before the end of a file's stream.
  static let indexFooter = FrameType(rawValue: 0x82)
  /// Zeros that align the next payload with a page of memory.
  static let padding = FrameType(rawValue: 0x83)

  var isAncillary: Bool { rawValue & 0x80 != 0 }
}

struct FrameFlags: OptionSet, Hashable, Sendable {
  let rawValue: UInt8

  /// On a data frame: it contains the complete representation, and no end of representation follows.
  static let whole = FrameFlags(rawValue: 0x01)
  /// On a keep-alive: its sender is processing an offer.
  static let busy = FrameFlags(rawValue: 0x10)

  /// A reader rejects unknown flags in the low half, and ignores unknown flags in the high half.
  static let critical = FrameFlags(rawValue: 0x0F)
}

/// The header of a frame.
///
/// A second CRC32C follows the payload. It covers the header's first twenty bytes and the payload.
///
///     0   1  type             1   1  flags
///     2   2  zero             4   4  request, 0 in a one-way stream
///     8   8  payload length  16   4  sequence number, modulo 2^32
///     20  4  CRC32C of the twenty bytes before
struct FrameHeader: Hashable, Sendable {
  static let length = 24
  static let checkLength = 4

  var type: FrameType
  var flags: FrameFlags = []
  var request: UInt32 = 0
  var payloadLength: UInt64
  var sequence: UInt32

  /// The offset of the header's checksum, which covers the bytes before it.
  static let checkOffset = 20

  /// Placeholder bytes, which ``write(to:)`` overwrites with a header.
  static let room = [UInt8](repeating: 0, count: length)

  /// Writes the header over the first bytes of `frame`.
  ///
  /// - Returns: The CRC of the header's first twenty bytes, which the caller continues over the payload.
  @discardableResult
  func write(to frame: UnsafeMutableRawBufferPointer) -> CRC32C {
    frame[0] = type.rawValue
    frame[1] = flags.rawValue
    frame.storeBytes(of: 0, toByteOffset: 2, as: UInt16.self)
    frame.storeBytes(of: request.littleEndian, toByteOffset: 4, as: UInt32.self)
    frame.storeBytes(of: payloadLength.littleEndian, toByteOffset: 8, as: UInt64.self)
    frame.storeBytes(of: sequence.littleEndian, toByteOffset: 16, as: UInt32.self)
    var crc = CRC32C()
    crc.update(UnsafeRawBufferPointer(rebasing: frame[..<Self.checkOffset]))
    frame.storeBytes(of: crc.value.littleEndian, toByteOffset: Self.checkOffset, as: UInt32.self)
    return crc
  }
}

extension FrameHeader {
  /// Completes a frame: writes the header before the payload and the checksum after it.
  ///
  /// - Parameter frame: Space for the header, then the payload, then space for the checksum.
  /// - Returns: The checksum of the frame, which the caller adds to the digest of the stream.
  func seal(_ frame: UnsafeMutableRawBufferPointer) -> UInt32 {
    let end = Self.length + Int(payloadLength)
    // The header's own checksum is left out: a CRC over bytes and their CRC does not depend on the bytes.
    var crc = write(to: frame)
    crc.update(UnsafeRawBufferPointer(rebasing: frame[Self.length..<end]))
    frame.storeBytes(of: crc.value.littleEndian, toByteOffset: end, as: UInt32.self)
    return crc.value
  }

  /// Rejects unknown critical flags.
  ///
  /// - Throws: `unsupported`.
  func checkFlags(at offset: UInt64) throws(DropStreamError) {
    let known: FrameFlags = type == .data ? .whole : []
    guard flags.intersection(.critical).isSubset(of: known) else {
      throw DropStreamError(
        .unsupported, "unknown critical frame flags \(flags.rawValue)", at: offset)
    }
  }

  /// Decodes an untrusted header, and verifies its checksum.
  ///
  /// - Parameters:
  ///   - bytes: ``length`` bytes.
  ///   - offset: The offset of the frame, for messages.
  /// - Returns: The header, and the CRC of its first twenty bytes, which the caller continues over the payload.
  /// - Throws: `damaged`, `unsupported`, `limitExceeded`.
  static func checked(
    _ bytes: UnsafeRawBufferPointer, at offset: UInt64
  ) throws(DropStreamError) -> (FrameHeader, CRC32C) {
    var crc = CRC32C()
    crc.update(UnsafeRawBufferPointer(rebasing: bytes[..<checkOffset]))
    guard bytes.littleEndian(at: checkOffset, as: UInt32.self) == crc.value else {
      throw DropStreamError(.damaged, "corrupt: frame header checksum mismatch", at: offset)
    }
    let header = FrameHeader(
      type: FrameType(rawValue: bytes[0]), flags: FrameFlags(rawValue: bytes[1]), request: bytes.littleEndian(at: 4),
      payloadLength: bytes.littleEndian(at: 8), sequence: bytes.littleEndian(at: 16))
    guard bytes.littleEndian(at: 2, as: UInt16.self) == 0 else {
      throw DropStreamError(.unsupported, "a frame header has reserved bits set", at: offset)
    }
    // The sum of two lengths below this limit does not overflow.
    guard header.payloadLength <= UInt64(Int64.max) else {
      throw DropStreamError(
        .limitExceeded, "payload of \(header.payloadLength) bytes exceeds the limit of \(Int64.max) bytes", at: offset)
    }
    return (header, crc)
  }
}

extension [UInt8] {
  mutating func append<Value: FixedWidthInteger>(littleEndian value: Value) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }
}

extension UnsafeRawBufferPointer {
  /// Returns the integer at `offset`.
  ///
  /// - Precondition: All bytes of the integer are inside the buffer.
  func littleEndian<Value: FixedWidthInteger>(at offset: Int, as type: Value.Type = Value.self) -> Value {
    Value(littleEndian: loadUnaligned(fromByteOffset: offset, as: Value.self))
  }
}

/// A reader of an untrusted payload of fields.
///
/// A field is a tag, a length of four bytes and a value.
///
/// A reader may ignore a field that it does not know if the high bit of its tag is set.
struct FieldReader {
  static let headerLength = 5

  /// The owner of the fields for error messages, with its article, such as `an offer`.
  let owner: String
  let frameOffset: UInt64

  /// Calls `body` for each field.
  ///
  /// - Parameters:
  ///   - payload: The fields, one after another.
  ///   - body: Takes the tag and the value of a field, and returns whether it knows the tag.
  /// - Throws: `damaged` for malformed fields, `unsupported` for an unknown field that must not be ignored.
  func forEachField(
    in payload: ArraySlice<UInt8>, _ body: (UInt8, ArraySlice<UInt8>) throws(DropStreamError) -> Bool
  ) throws(DropStreamError) {
    var rest = payload
    while let tag = rest.first {
      guard rest.count >= Self.headerLength else { throw malformed("a truncated field header") }
      let length = rest.withUnsafeBytes { $0.littleEndian(at: 1, as: UInt32.self) }
      rest = rest.dropFirst(Self.headerLength)
      guard UInt64(length) <= UInt64(rest.count) else {
        throw malformed("a field whose length of \(length) bytes exceeds the \(rest.count) bytes left")
      }
      let isKnown = try body(tag, rest.prefix(Int(length)))
      guard isKnown || tag & 0x80 != 0 else {
        throw error(.unsupported, "\(owner) has a field \(tag), which is unknown and must not be skipped")
      }
      rest = rest.dropFirst(Int(length))
    }
  }

  /// Returns the integer at the start of a payload.
  ///
  /// Fields of later versions may follow it.
  func leadingInteger<Value: FixedWidthInteger>(
    _ payload: [UInt8], as type: Value.Type = Value.self
  ) throws(DropStreamError) -> Value {
    let width = MemoryLayout<Value>.size
    guard payload.count >= width else { throw error(.damaged, "corrupt: \(owner) has a wrong length") }
    try forEachField(in: payload[width...]) { _, _ in false }
    return payload.withUnsafeBytes { $0.littleEndian(at: 0) }
  }

  /// Returns the string in the value of a field.
  ///
  /// - Throws: `limitExceeded` if the value is longer than `limit`; `refusal` if it is empty or not UTF-8.
  func text(
    _ bytes: ArraySlice<UInt8>, limit: Int, what: String, refusal: DropStreamError.Code
  ) throws(DropStreamError) -> String {
    guard bytes.count <= limit else { throw error(.limitExceeded, "a \(what) of \(bytes.count) bytes") }
    guard !bytes.isEmpty, let text = bytes.withUnsafeBytes({ String(utf8: $0) }) else {
      throw error(refusal, bytes.isEmpty ? "an empty \(what)" : "a \(what) that is not UTF-8")
    }
    return text
  }

  func malformed(_ reason: String) -> DropStreamError {
    error(.damaged, "corrupt: \(owner) has \(reason)")
  }

  func error(_ code: DropStreamError.Code, _ reason: String) -> DropStreamError {
    DropStreamError(code, reason, at: frameOffset)
  }
}

extension [UInt8] {
  mutating func appendField(_ tag: UInt8, value: (inout [UInt8]) -> Void) {
    append(tag)
    let lengthOffset = count
    append(littleEndian: UInt32(0))
    value(&self)
    let length = UInt32(count - lengthOffset - 4)
    Swift.withUnsafeBytes(of: length.littleEndian) { bytes in
      for index in 0..<4 { self[lengthOffset + index] = bytes[index] }
    }
  }
}
