// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// Methods that decode an item of a requested type, and skip tags that the type does not use.
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
    // The item is neither a tag nor a simple value. Its header is checked when the caller decodes the item.
    if _fastPath(offset < count && base[offset] < CBORMajorType.tag.initialByte) { return false }
    let start = offset
    if try untaggedHeader(&offset).isNull { return true }
    offset = start
    return false
  }

  // MARK: Strings

  /// Returns a text string.
  ///
  /// Invalid UTF-8 is an error, and is never repaired.
  @inline(__always)
  func text(_ offset: inout Int) throws(CBORFault) -> String {
    if let text = commonText(&offset) { return text }
    return try uncommonText(&offset)
  }

  /// Returns an ASCII text with a header of at most two bytes.
  ///
  /// The text must be within the length limit, and at least ten bytes of input must remain at `offset`.
  /// Otherwise returns `nil` and does not move the offset.
  @inline(__always)
  private func commonText(_ offset: inout Int) -> String? {
    guard count &- offset >= 2 + MemoryLayout<UInt64>.size else { return nil }
    var start = offset &+ 1
    var length = Int(base[offset] &- CBORMajorType.textString.initialByte)
    if length == 24 {
      length = Int(base[start])
      guard length >= 24 else { return nil }
      start &+= 1
    } else if length > 24 {
      return nil
    }
    guard length <= count &- start, length <= lengthLimit, isASCII(start, length) else { return nil }
    offset = start &+ length
    let bytes = Span(_unsafeStart: base + start, count: length)
    return String(copying: UTF8Span(unchecked: bytes, isKnownASCII: true))
  }

  /// Returns whether `length` bytes at `start` are ASCII; at least eight bytes must be readable at `start`.
  @inline(__always)
  private func isASCII(_ start: Int, _ length: Int) -> Bool {
    let source = UnsafeRawPointer(base + start)
    var bits: UInt64
    if length < 8 {
      bits = source.loadUnaligned(as: UInt64.self).littleEndian & ~(~0 &<< UInt64(truncatingIfNeeded: length &* 8))
    } else {
      // The last word may overlap the word before it.
      let last = length &- 8
      bits = source.loadUnaligned(fromByteOffset: last, as: UInt64.self)
      var next = 0
      while next < last {
        bits |= source.loadUnaligned(fromByteOffset: next, as: UInt64.self)
        next &+= 8
      }
    }
    return bits & 0x8080_8080_8080_8080 == 0
  }

  @inline(__always)
  func text(_ bytes: UnsafeRawBufferPointer, _ start: Int) throws(CBORFault) -> String {
    guard let text = String(utf8: bytes) else { throw CBORFault(at: start, "text that is not UTF-8") }
    return text
  }

  @inline(never)
  private func uncommonText(_ offset: inout Int) throws(CBORFault) -> String {
    let start = offset
    let header = try untaggedHeader(&offset)
    guard header.major == .textString else { throw mismatch(header, "text", start) }
    guard header.isIndefinite else {
      let length = try length(header, start, offset)
      if length > lengthLimit { throw tooLong(length, start) }
      defer { offset += length }
      return try text(UnsafeRawBufferPointer(start: base + offset, count: length), start)
    }
    var whole = ""
    // Each chunk must be valid UTF-8, so no chunk ends within a character (RFC 8949, section 3.2.3).
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

  /// Returns the header after all tags at `offset`, and the last tag before the header.
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
