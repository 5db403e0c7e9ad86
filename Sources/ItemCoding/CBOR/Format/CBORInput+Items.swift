// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// Items read as what a program asks for. Tags that say nothing to that are passed over.
extension CBORInput {
  @inline(__always)
  func boolean(_ offset: inout Int) throws(CBORFault) -> Bool {
    let start = offset
    let header = try untaggedHeader(&offset)
    if header.initialByte == CBORByte.true { return true }
    if header.initialByte == CBORByte.false { return false }
    throw mismatch(header, "a Boolean", start)
  }

  /// Whether the item is null or undefined; the offset stays before it where it is not.
  @inline(__always)
  func null(_ offset: inout Int) throws(CBORFault) -> Bool {
    let start = offset
    if try untaggedHeader(&offset).isNull { return true }
    offset = start
    return false
  }

  // MARK: Strings

  /// Text, as it is: what is not UTF-8 is an error and never repaired.
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

  /// What a string holds without memory of its own.
  private static let smallLength = 15

  /// Text of at most 15 bytes that are all ASCII, and far enough from the end to be looked at as 16.
  @inline(__always)
  private func smallText(_ length: Int, at offset: Int) -> String? {
    guard count &- offset >= 16 else { return nil }
    let source = UnsafeRawPointer(base + offset)
    let low = source.loadUnaligned(as: UInt64.self).littleEndian
    let high = source.loadUnaligned(fromByteOffset: 8, as: UInt64.self).littleEndian
    // Shifts of 64 and more give 0: the bytes behind the text do not count.
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
    // Each chunk is text of its own: none ends within a character (RFC 8949, section 3.2.3).
    try forEachChunk(of: .textString, &offset) { chunk, start throws(CBORFault) in
      whole += try text(chunk, start)
      if whole.utf8.count > lengthLimit { throw tooLong(whole.utf8.count, start) }
    }
    return whole
  }

  /// Hands the bytes of the string with `header`, or of each of its chunks, to `body`.
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

  /// The header at `offset` behind all tags, and the last of these.
  func taggedHeader(_ offset: inout Int) throws(CBORFault) -> (CBORHeader, tag: UInt64?) {
    var tag: UInt64?
    while true {
      let header = try header(&offset)
      guard header.major == .tag else { return (header, tag) }
      tag = header.argument
    }
  }

  // MARK: Faults

  /// Something else is there than `expected`.
  @inline(never)
  func mismatch(_ header: CBORHeader, _ expected: StaticString, _ start: Int) -> CBORFault {
    if header.isBreak { return Self.misplacedBreak(start) }
    let kind = header.isNull ? CBORFault.Kind.null : .mismatch
    guard let name = header.plainName else {
      return CBORFault(kind, at: start, "\(expected) was asked for, \(header.name) is there")
    }
    return CBORFault(kind, at: start, expected: expected, found: name)
  }

  @inline(never)
  func tooLong(_ length: Int, _ start: Int) -> CBORFault {
    CBORFault(.limit, at: start, "a length of \(length), which is more than the limit of \(lengthLimit)")
  }
}
