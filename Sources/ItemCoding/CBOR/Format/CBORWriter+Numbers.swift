// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Methods that store numbers in their shortest encoding.
///
/// The target must have room for ``headerCapacity`` bytes, and is moved past the number. In a loop, the target can stay
/// in a register.
extension CBORWriter {
  // MARK: Integers

  @inline(__always)
  static func store<Number: FixedWidthInteger>(_ number: Number, at target: inout UnsafeMutableRawPointer) {
    if Number.isSigned, number < 0 {
      // -1 - number is the complement of all bits.
      store(.negativeInteger, UInt64(truncatingIfNeeded: ~number), at: &target)
    } else {
      store(.unsignedInteger, UInt64(truncatingIfNeeded: number), at: &target)
    }
  }

  @inline(__always)
  private static func store(_ major: CBORMajorType, _ argument: UInt64, at target: inout UnsafeMutableRawPointer) {
    if argument < 24 {
      target.storeBytes(of: major.initialByte | UInt8(truncatingIfNeeded: argument), as: UInt8.self)
      target += 1
    } else if argument <= 0xFF {
      target.storeBytes(of: major.initialByte | 24, as: UInt8.self)
      target.storeBytes(of: UInt8(truncatingIfNeeded: argument), toByteOffset: 1, as: UInt8.self)
      target += 2
    } else if argument <= 0xFFFF {
      target.storeBytes(of: major.initialByte | 25, as: UInt8.self)
      target.storeBytes(of: UInt16(truncatingIfNeeded: argument).bigEndian, toByteOffset: 1, as: UInt16.self)
      target += 3
    } else if argument <= 0xFFFF_FFFF {
      target.storeBytes(of: major.initialByte | 26, as: UInt8.self)
      target.storeBytes(of: UInt32(truncatingIfNeeded: argument).bigEndian, toByteOffset: 1, as: UInt32.self)
      target += 5
    } else {
      target.storeBytes(of: major.initialByte | 27, as: UInt8.self)
      target.storeBytes(of: argument.bigEndian, toByteOffset: 1, as: UInt64.self)
      target += 9
    }
  }

  // MARK: Floating point

  @inline(__always)
  static func store(_ number: Double, at target: inout UnsafeMutableRawPointer) {
    // With one of these bits set, the number, or the payload of a NaN, does not fit into single precision.
    if _fastPath(number.bitPattern & 0x1FFF_FFFF != 0) {
      store(double: number.bitPattern, at: &target)
    } else {
      target = storeShort(number, at: target)
    }
  }

  /// Writes a number in the shortest floating-point form that preserves its value.
  ///
  /// - Returns: The address after the number.
  @inline(never)
  private static func storeShort(_ number: Double, at start: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
    var target = start
    let bits = number.bitPattern
    if number != number {
      // The payload is copied, because a conversion would make a signalling NaN quiet.
      let (sign, rest) = (UInt32(truncatingIfNeeded: bits >> 63) << 31, UInt32(truncatingIfNeeded: bits >> 29))
      store(single: sign | rest & 0x7FFF_FFFF, at: &target)
    } else if Double(Float(number)) == number {
      store(Float(number), at: &target)
    } else {
      store(double: bits, at: &target)
    }
    return target
  }

  @inline(__always)
  static func store(_ number: Float, at target: inout UnsafeMutableRawPointer) {
    store(single: number.bitPattern, at: &target)
  }

  @inline(__always)
  private static func store(single bits: UInt32, at target: inout UnsafeMutableRawPointer) {
    if let half = half(bits) {
      target.storeBytes(of: CBORByte.halfFloat, as: UInt8.self)
      target.storeBytes(of: half.bigEndian, toByteOffset: 1, as: UInt16.self)
      target += 3
    } else {
      target.storeBytes(of: CBORByte.singleFloat, as: UInt8.self)
      target.storeBytes(of: bits.bigEndian, toByteOffset: 1, as: UInt32.self)
      target += 5
    }
  }

  @inline(__always)
  private static func store(double bits: UInt64, at target: inout UnsafeMutableRawPointer) {
    target.storeBytes(of: CBORByte.doubleFloat, as: UInt8.self)
    target.storeBytes(of: bits.bigEndian, toByteOffset: 1, as: UInt64.self)
    target += 9
  }

  /// Returns the number in half precision, or a NaN with its payload; `nil` if that is not exact.
  @inline(__always)
  private static func half(_ bits: UInt32) -> UInt16? {
    // The low 13 bits of the fraction must be zero, also for a NaN. Most numbers fail this test.
    guard bits & 0x1FFF == 0 else { return nil }
    let sign = UInt16(truncatingIfNeeded: bits >> 16) & 0x8000
    let exponent = Int(bits >> 23 & 0xFF)
    let fraction = bits & 0x7F_FFFF
    switch exponent {
    case 113...142:
      return sign | UInt16(exponent - 112) << 10 | UInt16(fraction >> 13)
    case 103...112:
      // Subnormal: the leading one, which is implicit in single precision, is shifted as well.
      let significand = fraction | 0x80_0000
      let shift = UInt32(126 - exponent)
      guard significand & (1 << shift - 1) == 0 else { return nil }
      return sign | UInt16(significand >> shift)
    case 0:
      return fraction == 0 ? sign : nil
    case 255:
      return sign | 0x7C00 | UInt16(fraction >> 13)
    default:
      return nil
    }
  }
}
