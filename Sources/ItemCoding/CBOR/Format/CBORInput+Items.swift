// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// Items of a requested type. Tags that do not matter for the type are skipped.
extension CBORInput {
  @inline(__always)
  func boolean(_ offset: inout Int) throws(CBORFault) -> Bool {
    let start = offset
    let header = try untaggedHeader(&offset)
    if header.initialByte == CBORByte.true { return true }
    if header.initialByte == CBORByte.false { return false }
    throw mismatch(header, "a Boolean", start)
  }

  /// Returns whether the item is null or undefined.
  ///
  /// Moves the offset only in that case.
  @inline(__always)
  func null(_ offset: inout Int) throws(CBORFault) -> Bool {
    let start = offset
    if try untaggedHeader(&offset).isNull { return true }
    offset = start
    return false
  }

  // MARK: Strings

  /// Returns text.
  ///
  /// Invalid UTF-8 is an error; it is never repaired.
  @inline(__always)
  func text(_ offset: inout Int) throws(CBORFault) -> String {
    let start = offset
    let header = try untaggedHeader(&offset)
    guard _fastPath(header.major == .textString && !header.isIndefinite) else {
      return try uncommonText(header, start, &offset)
    }
    let length = try length(header, start, offset)
    if _slowPath(length > lengthLimit) { throw tooLong(length, start) }
    if length <= Self.smallLength, let text = smallText(length, at: offset) {
      offset &+= length
      return text
    }
    let text = try text(UnsafeRawBufferPointer(start: base + offset, count: length), start)
    offset &+= length
    return text
  }

  /// The length of a string that needs no heap memory.
  private static let smallLength = 15

  /// Returns ASCII text of at most 15 bytes, if 16 bytes can be read at `offset`.
  @inline(__always)
  private func smallText(_ length: Int, at offset: Int) -> String? {
    guard count &- offset >= 16 else { return nil }
    let source = UnsafeRawPointer(base + offset)
    let low = source.loadUnaligned(as: UInt64.self).littleEndian
    let high = source.loadUnaligned(fromByteOffset: 8, as: UInt64.self).littleEndian
    // A shift by 64 or more gives 0, so the bytes after the text do not count.
    let lowBits = length >= 8 ? low : low & ~(~0 << UInt64(length * 8))
    let highBits = length > 8 ? high & ~(~0 << UInt64(length * 8 - 64)) : 0
    guard (lowBits | highBits) & 0x8080_8080_8080_8080 == 0 else { return nil }
    return String(unsafeUninitializedCapacity: length) { text in
      text.baseAddress?.initialize(from: base + offset, count: length)
      return length
    }
  }

  @inline(__always)
  func text(_ bytes: UnsafeRawBufferPointer, _ start: Int) throws(CBORFault) -> String {
    guard let text = String(utf8: bytes) else { throw CBORFault(at: start, "text that is not UTF-8") }
    return text
  }

  @inline(never)
  private func uncommonText(
    _ header: CBORHeader, _ start: Int, _ offset: inout Int
  ) throws(CBORFault) -> String {
    guard header.major == .textString else { throw mismatch(header, "text", start) }
    var whole = ""
    // Each chunk is valid text: none ends within a character (RFC 8949, section 3.2.3).
    try forEachChunk(of: .textString, &offset) { chunk, start throws(CBORFault) in
      whole += try text(chunk, start)
      if whole.utf8.count > lengthLimit { throw tooLong(whole.utf8.count, start) }
    }
    return whole
  }

  /// Passes the bytes of the string with `header`, or of each of its chunks, to `body`.
  @inline(__always)
  func forEachByteRun(
    _ major: CBORMajorType, _ header: CBORHeader, _ start: Int, _ offset: inout Int,
    _ body: (UnsafeRawBufferPointer, Int) throws(CBORFault) -> Void
  ) throws(CBORFault) {
    if header.isIndefinite { return try forEachChunk(of: major, &offset, body) }
    let length = try length(header, start, offset)
    try body(UnsafeRawBufferPointer(start: base + offset, count: length), start)
    offset += length
  }

  // MARK: Tags

  /// Returns the header after all tags at `offset`, and the last tag.
  func taggedHeader(_ offset: inout Int) throws(CBORFault) -> (CBORHeader, tag: UInt64?) {
    var tag: UInt64?
    while true {
      let header = try header(&offset)
      guard header.major == .tag else { return (header, tag) }
      tag = header.argument
    }
  }

  // MARK: Faults

  /// Returns the fault of an item that is not `expected`.
  @inline(never)
  func mismatch(_ header: CBORHeader, _ expected: StaticString, _ start: Int) -> CBORFault {
    if header.isBreak { return Self.misplacedBreak(start) }
    let kind = header.isNull ? CBORFault.Kind.null : .mismatch
    guard let name = header.plainName else {
      return CBORFault(kind, at: start, "expected \(expected), found \(header.name)")
    }
    return CBORFault(kind, at: start, expected: expected, found: name)
  }

  @inline(never)
  func tooLong(_ length: Int, _ start: Int) -> CBORFault {
    CBORFault(.limit, at: start, "a length of \(length) exceeds the limit of \(lengthLimit)")
  }
}
