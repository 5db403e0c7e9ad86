// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import ItemCoding
internal import ItemTransfer

/// An open drop file, read at any place by any number of loads at once.
///
/// All methods block. It is read, never mapped: a file that somebody cuts meanwhile is an error then, not a signal.
final class DropFileHandle: Sendable {
  private let descriptor: OwnedDescriptor
  let shownPath: String
  let size: UInt64

  init(_ path: String) throws(DropStreamError) {
    shownPath = path.escapedForDisplay()
    do throws(SystemError) {
      descriptor = try .open(path, O_RDONLY | O_NONBLOCK)
      let status = try SystemCalls.status(descriptor.raw)
      if status.kind == .directory { throw SystemError(EISDIR, in: "open") }
      guard status.kind == .regular else { throw SystemError(ESPIPE, in: "open") }
      size = UInt64(status.size)
    } catch {
      throw DropStreamError(.sourceUnavailable, "cannot open \(shownPath)", error)
    }
  }

  /// The same file, to be read from its start as a stream; by one reader, as all of them would share a place in it.
  ///
  /// What the handle reads is read elsewhere at no cost to that place.
  func stream() throws(DropStreamError) -> DropEndpoint {
    do throws(SystemError) { return .descriptor(try SystemCalls.duplicate(descriptor.raw)) } catch {
      throw DropStreamError(.sourceUnavailable, "cannot open \(shownPath)", error)
    }
  }

  /// Fills `buffer` from `offset` on.
  func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(DropStreamError) {
    var done = 0
    while done < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
      let count: Int
      do throws(SystemError) {
        count = try SystemCalls.read(descriptor.raw, rest, at: Int64(clamping: offset + UInt64(done)))
      } catch {
        throw DropStreamError(.systemCall, "cannot read \(shownPath)", error)
      }
      guard count > 0 else {
        throw DropStreamError(.truncated, "\(shownPath) ends too early", at: offset + UInt64(done))
      }
      done += count
    }
  }

  func bytes(at offset: UInt64, count: Int) throws(DropStreamError) -> [UInt8] {
    // The initializer would erase the type of the error.
    var failure: DropStreamError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initializedCount in
      do throws(DropStreamError) {
        try read(UnsafeMutableRawBufferPointer(buffer), at: offset)
        initializedCount = count
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// The header of the frame at `offset`, which lies within the file with all of its payload.
  func header(at offset: UInt64) throws(DropStreamError) -> FrameHeader {
    try checkedHeader(at: offset, readingAhead: 0).header
  }

  /// The same, with the check of a frame as far as its header goes.
  func headerAndCheck(at offset: UInt64) throws(DropStreamError) -> (header: FrameHeader, crc: CRC32C) {
    let (header, bytes) = try checkedHeader(at: offset, readingAhead: 0)
    return (header, Self.crc(ofHeader: bytes))
  }

  /// A header, and the bytes of which it was made, with as many behind it as the file has.
  private func checkedHeader(
    at offset: UInt64, readingAhead count: UInt64
  ) throws(DropStreamError) -> (header: FrameHeader, bytes: [UInt8]) {
    let rest = size - min(size, offset)
    guard rest >= UInt64(FrameHeader.length + FrameHeader.checkLength), offset >= UInt64(Preamble.length) else {
      throw DropStreamError(.damaged, "damaged: a frame would be outside of the stream", at: offset)
    }
    let bytes = try bytes(at: offset, count: Int(min(UInt64(FrameHeader.length) + count, rest)))
    let header = try bytes.withUnsafeBytes { bytes in
      Result { () throws(DropStreamError) in
        try FrameHeader.checked(UnsafeRawBufferPointer(rebasing: bytes[..<FrameHeader.length]), at: offset).0
      }
    }.get()
    guard header.payloadLength <= rest - UInt64(FrameHeader.length + FrameHeader.checkLength) else {
      throw DropStreamError(.truncated, "\(shownPath) ends within a frame", at: offset)
    }
    guard header.request == 0 else {
      throw DropStreamError(.damaged, "damaged: a frame answers a request, and a file has none", at: offset)
    }
    try header.checkFlags(at: offset)
    return (header, bytes)
  }

  private static func crc(ofHeader bytes: [UInt8]) -> CRC32C {
    var crc = CRC32C()
    bytes.withUnsafeBytes { crc.update(UnsafeRawBufferPointer(rebasing: $0[..<FrameHeader.checkOffset])) }
    return crc
  }

  /// So many bytes behind a header are read with it: most frames that are no content are shorter.
  private static let readAhead = UInt64(256 - FrameHeader.length)

  /// The payload of a frame of a type, whole and checked.
  ///
  /// - Parameters:
  ///   - type: What the frame must be.
  ///   - offset: Where it is.
  ///   - limit: How long the payload may be.
  /// - Returns: The payload.
  /// - Throws: `damaged` for another type, `limitExceeded`, and what reading throws.
  func payload(
    of type: FrameType, at offset: UInt64, limit: UInt64
  ) throws(DropStreamError) -> [UInt8] {
    let (header, start) = try checkedHeader(at: offset, readingAhead: Self.readAhead)
    guard header.type == type else {
      throw DropStreamError(
        .damaged, "damaged: a frame of type \(header.type.rawValue) in a place for others", at: offset)
    }
    guard header.payloadLength <= limit else {
      throw DropStreamError(.limitExceeded, "a frame of \(header.payloadLength) bytes", at: offset)
    }
    let length = Int(header.payloadLength) + FrameHeader.checkLength
    var crc = Self.crc(ofHeader: start)
    var bytes =
      if start.count - FrameHeader.length >= length {
        Array(start[FrameHeader.length..<FrameHeader.length + length])
      } else {
        try bytes(at: offset + UInt64(FrameHeader.length), count: length)
      }
    try expectCheck(atEndOf: &bytes, after: &crc, frameAt: offset)
    return bytes
  }

  /// Takes the check of a frame off its last bytes, which must fit all that came before.
  func expectCheck(
    atEndOf bytes: inout [UInt8], after crc: inout CRC32C, frameAt offset: UInt64
  ) throws(DropStreamError) {
    let end = bytes.count - FrameHeader.checkLength
    let check: UInt32 = bytes.withUnsafeBytes { bytes in
      crc.update(UnsafeRawBufferPointer(rebasing: bytes[..<end]))
      return bytes.littleEndian(at: end)
    }
    try expect(crc, check, frameAt: offset)
    bytes.removeLast(FrameHeader.checkLength)
  }

  func expect(_ crc: CRC32C, _ check: UInt32, frameAt offset: UInt64) throws(DropStreamError) {
    guard crc.value == check else {
      throw DropStreamError(.damaged, "damaged: the check of the frame does not fit", at: offset)
    }
  }

  /// Copies bytes of the file to where `output` stands, within the kernel.
  ///
  /// - Returns: How many were copied; 0 where the kernel cannot.
  func copy(_ count: UInt64, at offset: UInt64, to output: CInt) throws(SystemError) -> UInt64 {
    UInt64(try SystemCalls.copyRange(descriptor.raw, at: Int64(clamping: offset), to: output, Int(clamping: count)))
  }
}
