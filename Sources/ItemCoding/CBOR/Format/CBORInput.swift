// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The bytes of data items, and the methods that read them.
///
/// Every access and every length is checked against the end of the input. Offsets are relative to the first byte.
/// Methods with an `inout` offset move the offset past the bytes that they read. After an error, the offset is
/// undefined.
struct CBORInput {
  var base: UnsafePointer<UInt8>
  let count: Int
  /// Whether an argument may take more bytes than it needs, which preferred serialisation forbids.
  var acceptsLongArguments = false
  /// The maximum length of a string in bytes, and of an array or map in elements or entries.
  var lengthLimit = Int.max

  // MARK: Headers

  /// Returns the header at `offset`, which may be a break.
  ///
  /// - Throws: A fault if the header is truncated or reserved, or if it is longer than necessary and
  ///   ``acceptsLongArguments`` is not set.
  @inline(__always)
  func header(_ offset: inout Int) throws(CBORFault) -> CBORHeader {
    guard offset < count else { throw CBORFault.truncated(at: offset, missing: 1) }
    let byte = base[offset]
    if _fastPath(byte & 31 < 24) {
      offset &+= 1
      return CBORHeader(initialByte: byte, argument: UInt64(byte & 31))
    }
    // The fast path handles complete arguments in preferred serialisation.
    let kind = byte & 31
    if _fastPath(byte < CBORMajorType.simple.initialByte && kind < 28 && count &- offset > 8) {
      let source = UnsafeRawPointer(base + (offset &+ 1))
      let argument: UInt64
      switch kind {
      case 24: argument = UInt64(source.load(as: UInt8.self))
      case 25: argument = UInt64(UInt16(bigEndian: source.loadUnaligned(as: UInt16.self)))
      case 26: argument = UInt64(UInt32(bigEndian: source.loadUnaligned(as: UInt32.self)))
      default: argument = UInt64(bigEndian: source.loadUnaligned(as: UInt64.self))
      }
      if _fastPath(argument >= Self.least(kind)) {
        offset &+= 1 &+ (1 &<< Int(kind &- 24))
        return CBORHeader(initialByte: byte, argument: argument)
      }
    }
    return try longHeader(&offset)
  }

  /// Returns the smallest argument that needs the additional information `kind`.
  @inline(__always)
  private static func least(_ kind: UInt8) -> UInt64 {
    kind == 24 ? 24 : 1 &<< (4 &<< UInt64(kind &- 24))
  }

  @inline(never)
  private func longHeader(_ offset: inout Int) throws(CBORFault) -> CBORHeader {
    let start = offset
    let byte = base[offset]
    let major = byte >> 5
    offset += 1
    switch byte & 31 {
    case 31:
      // Numbers and tags cannot have an indefinite length.
      guard major != 0, major != 1, major != 6 else {
        throw CBORFault(at: start, "reserved initial byte 0x\(String(byte, radix: 16))")
      }
      return CBORHeader(initialByte: byte, argument: 0)
    case 28...30:
      throw CBORFault(at: start, "reserved initial byte 0x\(String(byte, radix: 16))")
    default:
      let length = 1 << Int(byte & 31 - 24)
      guard length <= count - offset else {
        throw CBORFault.truncated(at: start, missing: UInt64(length - (count - offset)))
      }
      var argument: UInt64 = 0
      for index in 0..<length { argument = argument << 8 | UInt64(base[offset + index]) }
      offset += length
      if major == CBORMajorType.simple.rawValue {
        if length == 1, argument < 32 { throw CBORFault(at: start, "simple value \(argument) in two bytes") }
      } else if !acceptsLongArguments {
        guard argument >= Self.least(byte & 31) else {
          throw CBORFault(at: start, "\(argument) in more bytes than it needs")
        }
      }
      return CBORHeader(initialByte: byte, argument: argument)
    }
  }

  /// Returns the header at `offset` after all tags.
  @inline(__always)
  func untaggedHeader(_ offset: inout Int) throws(CBORFault) -> CBORHeader {
    let header = try header(&offset)
    if _fastPath(header.major != .tag) { return header }
    return try headerBehindTags(&offset)
  }

  @inline(never)
  private func headerBehindTags(_ offset: inout Int) throws(CBORFault) -> CBORHeader {
    while true {
      let header = try header(&offset)
      if header.major != .tag { return header }
    }
  }

  /// Returns whether a break is at `offset`.
  ///
  /// - Throws: `truncated` if the input ends at `offset`.
  @inline(__always)
  func isBreak(at offset: Int) throws(CBORFault) -> Bool {
    guard offset < count else { throw CBORFault.truncated(at: offset, missing: 1) }
    return base[offset] == CBORByte.break
  }

  // MARK: Strings

  /// Returns the length of a definite string whose header is between `start` and `offset`.
  ///
  /// - Throws: `truncated` if the input is too short for the string.
  @inline(__always)
  func length(_ header: CBORHeader, _ start: Int, _ offset: Int) throws(CBORFault) -> Int {
    let left = UInt64(truncatingIfNeeded: count &- offset)
    guard header.argument <= left else { throw CBORFault.truncated(at: start, missing: header.argument - left) }
    return Int(truncatingIfNeeded: header.argument)
  }

  /// Returns the number of elements or entries of a definite array or map.
  ///
  /// - Throws: `truncated` unless the input has at least one byte for each element, key and value.
  @inline(__always)
  func elementCount(_ header: CBORHeader, _ start: Int, _ offset: Int) throws(CBORFault) -> Int {
    let left = UInt64(truncatingIfNeeded: count &- offset)
    let possible = header.major == .map ? left / 2 : left
    guard header.argument <= possible else {
      let unit = header.major == .map ? "entries" : "elements"
      throw CBORFault(
        .truncated, at: start, "\(header.argument) \(unit) do not fit into the remaining \(left) bytes")
    }
    return Int(truncatingIfNeeded: header.argument)
  }

  /// Passes the bytes of each chunk of an indefinite string to `body`.
  func forEachChunk(
    of major: CBORMajorType, _ offset: inout Int, _ body: (UnsafeRawBufferPointer, Int) throws(CBORFault) -> Void
  ) throws(CBORFault) {
    while true {
      let start = offset
      let header = try header(&offset)
      if header.isBreak { return }
      guard header.major == major, !header.isIndefinite else {
        throw CBORFault(at: start, "\(header.name) as a chunk of a string of another kind")
      }
      let length = try length(header, start, offset)
      try body(UnsafeRawBufferPointer(start: base + offset, count: length), start)
      offset += length
    }
  }
}
