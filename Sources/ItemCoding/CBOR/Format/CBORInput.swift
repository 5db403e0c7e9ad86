// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

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
    return CBORFault(kind, at: start, "expected \(expected), found \(header.name)")
  }

  @inline(never)
  func tooLong(_ length: Int, _ start: Int) -> CBORFault {
    CBORFault(.limit, at: start, "a length of \(length) exceeds the limit of \(lengthLimit)")
  }
}

/// Methods that decode numbers of any encoded width.
extension CBORInput {
  /// Returns an integer of any width, from an integer or a bignum.
  ///
  /// - Throws: A fault if the item is not an integer or is out of range.
  @inline(__always)
  func integer<Number: FixedWidthInteger>(_ offset: inout Int) throws(CBORFault) -> Number {
    if let number: Number = commonInteger(&offset) { return number }
    return try uncommonInteger(&offset)
  }

  /// Returns the integer at `offset` if it is in preferred serialisation and fits into `Number`.
  ///
  /// Otherwise returns `nil` and does not move the offset. So it does for an integer of several bytes near the end of
  /// the input, and for an integer below -2^63.
  @inline(__always)
  private func commonInteger<Number: FixedWidthInteger>(_ offset: inout Int) -> Number? {
    guard offset < count, base[offset] < CBORMajorType.byteString.initialByte else { return nil }
    let byte = base[offset]
    let argument: UInt64
    let end: Int
    if byte & 31 < 24 {
      (argument, end) = (UInt64(byte & 31), offset &+ 1)
    } else {
      guard count &- offset >= 9 else { return nil }
      let source = UnsafeRawPointer(base + (offset &+ 1))
      // The case of four bytes comes first, because most large numbers have four bytes.
      if byte & 31 == 26 {
        let word = UInt32(bigEndian: source.loadUnaligned(as: UInt32.self))
        guard word > 0xFFFF else { return nil }
        (argument, end) = (UInt64(word), offset &+ 5)
      } else if byte & 31 == 25 {
        let word = UInt16(bigEndian: source.loadUnaligned(as: UInt16.self))
        guard word > 0xFF else { return nil }
        (argument, end) = (UInt64(word), offset &+ 3)
      } else if byte & 31 == 24 {
        let word = source.load(as: UInt8.self)
        guard word > 23 else { return nil }
        (argument, end) = (UInt64(word), offset &+ 2)
      } else if byte & 31 == 27 {
        argument = UInt64(bigEndian: source.loadUnaligned(as: UInt64.self))
        guard argument > 0xFFFF_FFFF else { return nil }
        end = offset &+ 9
      } else {
        return nil
      }
    }
    let number: Number?
    if byte < CBORMajorType.negativeInteger.initialByte {
      number = Number(exactly: argument)
    } else {
      number = argument <= UInt64(Int64.max) ? Number(exactly: Int64(bitPattern: ~argument)) : nil
    }
    if number != nil { offset = end }
    return number
  }

  @inline(never)
  private func uncommonInteger<Number: FixedWidthInteger>(_ offset: inout Int) throws(CBORFault) -> Number {
    let start = offset
    let (isNegative, argument) = try wideInteger(&offset)
    // -1 - argument is the complement of all bits, if there is room for a sign.
    let value =
      isNegative
      ? (Number.isSigned && argument >> 127 == 0 ? Number(exactly: Int128(truncatingIfNeeded: ~argument)) : nil)
      : Number(exactly: argument)
    guard let value else {
      let text = isNegative ? "-\(argument == .max ? "2^128" : "\(argument + 1)")" : "\(argument)"
      throw CBORFault(at: start, "\(text) does not fit into \(Number.self)")
    }
    return value
  }

  /// Returns an integer whose value is `argument`, or -1 - `argument` if `isNegative` is set.
  func wideInteger(_ offset: inout Int) throws(CBORFault) -> (isNegative: Bool, argument: UInt128) {
    let start = offset
    let (header, tag) = try taggedHeader(&offset)
    switch (header.major, tag) {
    case (.unsignedInteger, _):
      return (false, UInt128(header.argument))
    case (.negativeInteger, _):
      return (true, UInt128(header.argument))
    case (.byteString, CBORTag.positiveBignum), (.byteString, CBORTag.negativeBignum):
      return (tag == CBORTag.negativeBignum, try bignum(header, start, &offset))
    default:
      throw mismatch(header, "an integer", start)
    }
  }

  /// Returns the integer whose big-endian bytes are the string with `header`.
  private func bignum(_ header: CBORHeader, _ start: Int, _ offset: inout Int) throws(CBORFault) -> UInt128 {
    var number: UInt128 = 0
    var isTooLarge = false
    try forEachByteRun(.byteString, header, start, &offset) { bytes, _ throws(CBORFault) in
      for byte in bytes {
        if number >> 120 != 0 { isTooLarge = true }
        number = number << 8 | UInt128(byte)
      }
    }
    if isTooLarge { throw CBORFault(at: start, "an integer of more than 128 bits") }
    return number
  }

  /// Returns a floating-point number of any width, or an integer if the conversion is exact.
  @inline(__always)
  func double(_ offset: inout Int) throws(CBORFault) -> Double {
    if _fastPath(count &- offset >= 9 && base[offset] == CBORByte.doubleFloat) {
      let bits = UnsafeRawPointer(base + (offset &+ 1)).loadUnaligned(as: UInt64.self)
      offset &+= 9
      return Double(bitPattern: UInt64(bigEndian: bits))
    }
    return try uncommonDouble(&offset)
  }

  @inline(never)
  private func uncommonDouble(_ offset: inout Int) throws(CBORFault) -> Double {
    if let bits = singleBits(&offset) { return Self.widened(bits) }
    if count &- offset >= 3, base[offset] == CBORByte.halfFloat {
      let bits = UnsafeRawPointer(base + (offset &+ 1)).loadUnaligned(as: UInt16.self)
      offset &+= 3
      return Self.half(UInt16(bigEndian: bits))
    }
    let start = offset
    let (header, tag) = try taggedHeader(&offset)
    switch header.initialByte {
    case CBORByte.doubleFloat: return Double(bitPattern: header.argument)
    case CBORByte.singleFloat: return Self.widened(UInt32(truncatingIfNeeded: header.argument))
    case CBORByte.halfFloat: return Self.half(UInt16(truncatingIfNeeded: header.argument))
    default: break
    }
    switch header.major {
    case .unsignedInteger:
      if let number = Double(exactly: header.argument) { return number }
      throw CBORFault(at: start, "\(header.argument) has no exact value as Double")
    case .negativeInteger:
      if let number = Double(exactly: Int128(-1) - Int128(header.argument)) { return number }
      throw CBORFault(at: start, "\(Int128(-1) - Int128(header.argument)) has no exact value as Double")
    case .byteString where tag == CBORTag.positiveBignum || tag == CBORTag.negativeBignum:
      offset = start
      let number: Int128 = try uncommonInteger(&offset)
      if let exact = Double(exactly: number) { return exact }
      throw CBORFault(at: start, "\(number) has no exact value as Double")
    default:
      throw mismatch(header, "a number", start)
    }
  }

  /// Returns the bits of a number in single precision; `nil` for other items.
  @inline(__always)
  private func singleBits(_ offset: inout Int) -> UInt32? {
    guard count &- offset >= 5, base[offset] == CBORByte.singleFloat else { return nil }
    let bits = UnsafeRawPointer(base + (offset &+ 1)).loadUnaligned(as: UInt32.self)
    offset &+= 5
    return UInt32(bigEndian: bits)
  }

  /// Returns a number in single precision.
  ///
  /// A number in double precision is rounded, as in other decoders.
  @inline(__always)
  func float(_ offset: inout Int) throws(CBORFault) -> Float {
    if let bits = singleBits(&offset) { return Float(bitPattern: bits) }
    return try uncommonFloat(&offset)
  }

  @inline(never)
  private func uncommonFloat(_ offset: inout Int) throws(CBORFault) -> Float {
    let start = offset
    let double = try double(&offset)
    let float = Float(double)
    if float.isInfinite, double.isFinite { throw CBORFault(at: start, "\(double) does not fit into Float") }
    guard double.isNaN else { return float }
    // A conversion would make a signalling NaN quiet.
    let bits = double.bitPattern
    let payload = UInt32(truncatingIfNeeded: bits >> 29 & 0x7F_FFFF)
    return Float(
      bitPattern: UInt32(truncatingIfNeeded: bits >> 63) << 31 | 0x7F80_0000 | (payload == 0 ? 1 << 22 : payload))
  }

  /// Returns a number in single precision as `Double`, including the payload of a NaN.
  private static func widened(_ bits: UInt32) -> Double {
    let float = Float(bitPattern: bits)
    guard float.isNaN else { return Double(float) }
    return Double(bitPattern: UInt64(bits >> 31) << 63 | 0x7FF << 52 | UInt64(bits & 0x7F_FFFF) << 29)
  }

  /// Returns a number in half precision as `Double` (RFC 8949, appendix D).
  static func half(_ bits: UInt16) -> Double {
    let exponent = Int(bits >> 10 & 0x1F)
    let fraction = UInt64(bits & 0x3FF)
    let sign = UInt64(bits >> 15) << 63
    switch exponent {
    case 0:
      let magnitude = Double(fraction) * 0x1p-24
      return sign == 0 ? magnitude : -magnitude
    case 31:
      return Double(bitPattern: sign | 0x7FF << 52 | fraction << 42)
    default:
      return Double(bitPattern: sign | UInt64(exponent + 1008) << 52 | fraction << 42)
    }
  }
}

/// Methods that skip items.
extension CBORInput {
  /// The maximum depth of nested containers of indefinite length, each of which takes stack.
  static let mostIndefiniteDepth = 4096

  /// Moves the offset past any item, and returns the number of its headers.
  ///
  /// Only containers of indefinite length take stack, for `depth` levels at most. Other containers may have any depth.
  ///
  /// - Throws: A fault if the item is malformed, or if indefinite lengths are nested deeper than `depth`.
  func skip(_ offset: inout Int, depth: Int) throws(CBORFault) -> Int {
    // The number of remaining items in all open containers of definite length.
    var left = 1
    var headers = 0
    while left > 0 {
      left &-= 1
      headers &+= 1
      let start = offset
      let header = try header(&offset)
      switch header.major {
      case .unsignedInteger, .negativeInteger:
        break
      case .simple:
        if header.isBreak { throw Self.misplacedBreak(start) }
      case .tag:
        left &+= 1
      case .byteString, .textString:
        if _slowPath(header.isIndefinite) {
          try skipChunks(header.major, &offset)
        } else {
          offset &+= try length(header, start, offset)
        }
      case .array:
        if _slowPath(header.isIndefinite) {
          headers &+= try skipIndefinite(.array, &offset, depth: depth, start)
        } else {
          left = try adding(try elementCount(header, start, offset), to: left, start, offset)
        }
      case .map:
        if _slowPath(header.isIndefinite) {
          headers &+= try skipIndefinite(.map, &offset, depth: depth, start)
        } else {
          left = try adding(2 &* (try elementCount(header, start, offset)), to: left, start, offset)
        }
      }
    }
    return headers
  }

  /// Returns the number of items left to skip after `items` were added, and throws if the input is too short for them.
  ///
  /// Each item takes at least one byte.
  @inline(__always)
  private func adding(_ items: Int, to left: Int, _ start: Int, _ offset: Int) throws(CBORFault) -> Int {
    let sum = left &+ items
    if _slowPath(sum > count &- offset) {
      throw CBORFault(.truncated, at: start, "\(sum) more items do not fit into the remaining \(count - offset) bytes")
    }
    return sum
  }

  private func skipChunks(_ major: CBORMajorType, _ offset: inout Int) throws(CBORFault) {
    try forEachChunk(of: major, &offset) { _, _ throws(CBORFault) in }
  }

  /// Skips the elements or entries of a container of indefinite length, and its break.
  private func skipIndefinite(
    _ major: CBORMajorType, _ offset: inout Int, depth: Int, _ start: Int
  ) throws(CBORFault) -> Int {
    guard depth > 0 else { throw CBORFault(.limit, at: start, "nested too deeply") }
    var headers = 0
    while try !isBreak(at: offset) {
      headers += try skip(&offset, depth: depth - 1)
      if major == .map { headers += try skip(&offset, depth: depth - 1) }
    }
    offset += 1
    return headers
  }

  static func misplacedBreak(_ offset: Int) -> CBORFault {
    CBORFault(at: offset, "a break in place of an item")
  }
}
