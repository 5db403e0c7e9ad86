// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The bytes at the very start of a drop stream.
///
/// All integers of the format are little-endian.
///
///     0   8  magic D7 44 52 50 0D 0A 1A 0A
///     8   1  major version    9   1  minor version
///     10  1  frame check     11   1  stream digest
///     12  4  CRC32C of the twelve bytes before
enum Preamble {
  static let length = 16
  /// A byte with its high bit set that starts no valid UTF-8 here, CR LF, the end-of-file mark of old systems, LF:
  /// each is what some transport that takes the stream for text damages.
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

/// What a frame is for.
///
/// A reader refuses a type it does not know, unless the type says that it can be left out.
struct FrameType: RawRepresentable, Hashable, Sendable {
  let rawValue: UInt8

  /// One item's name and representations; opens the item.
  static let offer = FrameType(rawValue: 0x01)
  /// A chunk of the representation that is next in the offer's order, or the whole of it.
  static let data = FrameType(rawValue: 0x02)
  /// Closes a representation that came in chunks.
  static let endOfRepresentation = FrameType(rawValue: 0x03)
  static let endOfItem = FrameType(rawValue: 0x04)
  static let endOfStream = FrameType(rawValue: 0x05)
  /// The source gave up; the last frame of its stream.
  static let failure = FrameType(rawValue: 0x06)
  /// The representation whose turn it is could not be made; the item goes on with the next one.
  static let failureOfRepresentation = FrameType(rawValue: 0x07)
  /// A run of zeros of the representation that is next in the offer's order: a hole in its file.
  static let zeros = FrameType(rawValue: 0x08)

  /// The first frame of either side of a session: what it knows and allows.
  static let hello = FrameType(rawValue: 0x10)
  /// Closes a run of offers that belong together.
  static let endOfOffers = FrameType(rawValue: 0x11)
  /// What was offered is not to be had any more.
  static let withdrawal = FrameType(rawValue: 0x12)
  /// Asks for a representation, or a part of one.
  static let request = FrameType(rawValue: 0x13)
  /// Allows more bytes of what was asked for.
  static let credit = FrameType(rawValue: 0x14)
  /// How far the making of a representation is.
  static let preparation = FrameType(rawValue: 0x15)
  /// Nobody waits any more for what was asked for.
  static let cancellation = FrameType(rawValue: 0x16)
  /// What the destination kept of what was offered, and what it did.
  static let finish = FrameType(rawValue: 0x17)
  /// The source has heard that.
  static let acknowledgement = FrameType(rawValue: 0x18)
  /// There will be no more frames from this side.
  static let bye = FrameType(rawValue: 0x19)
  /// An open file in place of bytes; the file itself comes beside the frame.
  static let descriptor = FrameType(rawValue: 0x1A)
  /// Shows that this side of a session is alive; ancillary, because older readers skip it.
  static let keepAlive = FrameType(rawValue: 0x90)

  /// Where the items before it are, in a file.
  static let indexPage = FrameType(rawValue: 0x81)
  /// Where the pages are; stands right before the end of a file's stream.
  static let indexFooter = FrameType(rawValue: 0x82)
  /// Zeros, so that the next payload starts where a page of memory can.
  static let padding = FrameType(rawValue: 0x83)

  var isAncillary: Bool { rawValue & 0x80 != 0 }
}

struct FrameFlags: OptionSet, Hashable, Sendable {
  let rawValue: UInt8

  /// On a data frame: it holds the whole representation, and no end of representation follows.
  static let whole = FrameFlags(rawValue: 0x01)
  /// On a keep-alive: its sender works on an offer that it has taken.
  static let busy = FrameFlags(rawValue: 0x10)

  /// A reader refuses those of the low half that it does not know, and ignores those of the high half.
  static let critical = FrameFlags(rawValue: 0x0F)
}

/// What precedes every payload; behind the payload stands the CRC32C of the header's first twenty bytes and the payload.
///
///     0   1  type             1   1  flags
///     2   2  zero             4   4  request, 0 when one way
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

  /// Where a check stands in the header, and the bytes it covers.
  static let checkOffset = 20

  /// Bytes to be overwritten by a header.
  static let room = [UInt8](repeating: 0, count: length)

  /// Writes the header over the first bytes of `frame`.
  ///
  /// - Returns: The CRC of what the check of the frame, too, starts with.
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
  /// Makes a frame of room for a header, the payload which is there already, and room for a check.
  ///
  /// - Returns: The check, for a digest.
  func seal(_ frame: UnsafeMutableRawBufferPointer) -> UInt32 {
    let end = Self.length + Int(payloadLength)
    return seal(frame, around: UnsafeRawBufferPointer(rebasing: frame[Self.length..<end]), checkOffset: end)
  }

  /// The same, of a payload that lies elsewhere: in the frame there is room for the header and the check alone.
  func seal(
    _ frame: UnsafeMutableRawBufferPointer, around payload: UnsafeRawBufferPointer, checkOffset: Int = length
  ) -> UInt32 {
    // Without the header's own check: a CRC that runs over bytes and their CRC forgets the bytes.
    var crc = write(to: frame)
    crc.update(payload)
    frame.storeBytes(of: crc.value.littleEndian, toByteOffset: checkOffset, as: UInt32.self)
    return crc.value
  }

  /// Refuses flags that must be known and are not.
  ///
  /// - Throws: `unsupported`.
  func checkFlags(at offset: UInt64) throws(DropStreamError) {
    let known: FrameFlags = type == .data ? .whole : []
    guard flags.intersection(.critical).isSubset(of: known) else {
      throw DropStreamError(
        .unsupported, "a frame has flags \(flags.rawValue), which this reader does not know", at: offset)
    }
  }

  /// Reads a header that anybody may have written, and holds it against its own check.
  ///
  /// - Parameters:
  ///   - bytes: ``length`` bytes.
  ///   - offset: Where they are, for messages.
  /// - Returns: The header, and the CRC of what the check of the frame starts with: without the header's own check, for a
  ///   CRC that runs over bytes and their CRC forgets the bytes.
  /// - Throws: `damaged`, `unsupported`, `limitExceeded`.
  static func checked(
    _ bytes: UnsafeRawBufferPointer, at offset: UInt64
  ) throws(DropStreamError) -> (FrameHeader, CRC32C) {
    var crc = CRC32C()
    crc.update(UnsafeRawBufferPointer(rebasing: bytes[..<checkOffset]))
    guard bytes.littleEndian(at: checkOffset, as: UInt32.self) == crc.value else {
      throw DropStreamError(.damaged, "damaged: the check of the frame header does not fit", at: offset)
    }
    let header = FrameHeader(
      type: FrameType(rawValue: bytes[0]), flags: FrameFlags(rawValue: bytes[1]), request: bytes.littleEndian(at: 4),
      payloadLength: bytes.littleEndian(at: 8), sequence: bytes.littleEndian(at: 16))
    guard bytes.littleEndian(at: 2, as: UInt16.self) == 0 else {
      throw DropStreamError(.unsupported, "a frame header has reserved bits set", at: offset)
    }
    // Lengths count bytes on a disk or in memory: above this, adding one to another could overflow.
    guard header.payloadLength <= UInt64(Int64.max) else {
      throw DropStreamError(.limitExceeded, "a frame of \(header.payloadLength) bytes", at: offset)
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
  /// The integer at `offset`, which must lie inside.
  func littleEndian<Value: FixedWidthInteger>(at offset: Int, as type: Value.Type = Value.self) -> Value {
    Value(littleEndian: loadUnaligned(fromByteOffset: offset, as: Value.self))
  }
}
