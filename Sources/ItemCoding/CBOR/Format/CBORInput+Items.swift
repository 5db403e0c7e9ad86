// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Items read as what a program asks for. Tags that say nothing to that are passed over.
extension CBORInput {
  /// An integer of any width, from an integer or a bignum.
  ///
  /// - Throws: a fault where the item is something else, or does not fit.
  @inline(__always)
  func integer<Number: FixedWidthInteger>(_ offset: inout Int) throws(CBORFault) -> Number {
    if let number: Number = commonInteger(&offset) { return number }
    return try uncommonInteger(&offset)
  }

  /// The integer at `offset` if it is one in preferred serialisation, fits, and is not at the very end; with `nil` the
  /// offset stays where it is.
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
      // Four bytes, in which most large numbers are, are tried first.
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
    // -1 - argument is what all bits turned round stand for, where there is room for a sign.
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

  /// The integer `argument`, or -1 - `argument` where it is negative.
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

  /// The integer whose bytes, the highest first, are the string with `header`.
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

  /// A floating-point number of any width, or an integer that is one exactly.
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
      throw CBORFault(at: start, "\(header.argument) is no Double exactly")
    case .negativeInteger:
      if let number = Double(exactly: Int128(-1) - Int128(header.argument)) { return number }
      throw CBORFault(at: start, "\(Int128(-1) - Int128(header.argument)) is no Double exactly")
    case .byteString where tag == CBORTag.positiveBignum || tag == CBORTag.negativeBignum:
      offset = start
      let number: Int128 = try uncommonInteger(&offset)
      if let exact = Double(exactly: number) { return exact }
      throw CBORFault(at: start, "\(number) is no Double exactly")
    default:
      throw mismatch(header, "a number", start)
    }
  }

  /// The bits of a number in single precision, if that is what is there.
  @inline(__always)
  private func singleBits(_ offset: inout Int) -> UInt32? {
    guard count &- offset >= 5, base[offset] == CBORByte.singleFloat else { return nil }
    let bits = UnsafeRawPointer(base + (offset &+ 1)).loadUnaligned(as: UInt32.self)
    offset &+= 5
    return UInt32(bigEndian: bits)
  }

  /// A number in single precision; more digits than that has are rounded, as everywhere a `Float` is read.
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
    // Converting makes a signalling NaN quiet.
    let bits = double.bitPattern
    let payload = UInt32(truncatingIfNeeded: bits >> 29 & 0x7F_FFFF)
    return Float(
      bitPattern: UInt32(truncatingIfNeeded: bits >> 63) << 31 | 0x7F80_0000 | (payload == 0 ? 1 << 22 : payload))
  }

  /// Single precision as double, with the payload of a NaN as it is.
  private static func widened(_ bits: UInt32) -> Double {
    let float = Float(bitPattern: bits)
    guard float.isNaN else { return Double(float) }
    return Double(bitPattern: UInt64(bits >> 31) << 63 | 0x7FF << 52 | UInt64(bits & 0x7F_FFFF) << 29)
  }

  /// Half precision as double (RFC 8949, appendix D).
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
  func mismatch(_ header: CBORHeader, _ expected: String, _ start: Int) -> CBORFault {
    if header.isBreak { return Self.misplacedBreak(start) }
    return CBORFault(header.isNull ? .null : .mismatch, at: start, "\(expected) was asked for, \(header.name) is there")
  }

  @inline(never)
  func tooLong(_ length: Int, _ start: Int) -> CBORFault {
    CBORFault(.limit, at: start, "a length of \(length), which is more than the limit of \(lengthLimit)")
  }
}
