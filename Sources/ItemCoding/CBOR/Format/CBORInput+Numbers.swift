// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

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
