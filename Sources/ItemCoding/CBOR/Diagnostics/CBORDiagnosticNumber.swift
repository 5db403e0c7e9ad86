// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A namespace for functions that format numbers as in RFC 8949, Appendix A.
enum CBORDiagnosticNumber {
  /// The maximum length, in bytes, of a bignum that is shown as a number.
  ///
  /// Computing its digits takes quadratic time.
  static let mostBignumBytes = 256

  /// Returns the digits of the integer -1 - `argument` (major type 1).
  static func negative(_ argument: UInt64) -> String {
    // -1 - 0xFFFFFFFFFFFFFFFF has more than 64 bits.
    argument == .max ? "-18446744073709551616" : "-\(argument + 1)"
  }

  /// Returns the digits of a bignum.
  ///
  /// Returns `nil` if the bignum has at most 8 bytes or more than ``mostBignumBytes``, or if its first byte is zero.
  /// Such a bignum is shown as a tag with a byte string.
  static func bignum(_ bytes: UnsafeRawBufferPointer, isNegative: Bool) -> String? {
    guard bytes.count > 8, bytes.count <= mostBignumBytes, bytes[0] != 0 else { return nil }
    // Groups of nine digits, the lowest first.
    var groups: [UInt64] = [0]
    func multiply(adding byte: UInt8, radix: UInt64) {
      var carry = UInt64(byte)
      for index in groups.indices {
        carry += groups[index] * radix
        groups[index] = carry % 1_000_000_000
        carry /= 1_000_000_000
      }
      if carry > 0 { groups.append(carry) }
    }
    for byte in bytes { multiply(adding: byte, radix: 256) }
    if isNegative { multiply(adding: 1, radix: 1) }
    let digits = groups.dropLast().reversed().map { group in
      let digits = String(group)
      return String(repeating: "0", count: 9 - digits.count) + digits
    }
    return (isNegative ? "-" : "") + String(groups[groups.count - 1]) + digits.joined()
  }

  /// Returns the digits of the number with `bits` in half, single or double precision.
  static func floatingPoint(_ bits: UInt64, initialByte: UInt8) -> String {
    switch initialByte {
    case CBORByte.halfFloat: text(of: half(UInt16(truncatingIfNeeded: bits)))
    case CBORByte.singleFloat: text(of: Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))))
    default: text(of: Double(bitPattern: bits))
    }
  }

  private static func half(_ bits: UInt16) -> Double {
    let significand = Double(bits & 0x3FF)
    let magnitude: Double =
      switch bits >> 10 & 31 {
      case 0: significand * 0x1p-24
      case 31: significand == 0 ? .infinity : .nan
      case let exponent: (1024 + significand) * Double(sign: .plus, exponent: Int(exponent) - 25, significand: 1)
      }
    return bits >> 15 == 0 ? magnitude : -magnitude
  }

  /// Returns the fewest digits that identify `value`, always with a decimal point; or `NaN`, `Infinity`, `-Infinity`.
  ///
  /// As in ECMAScript, numbers from 1e+21 on and below 1e-6 have an exponent.
  private static func text(of value: Double) -> String {
    guard !value.isNaN else { return "NaN" }
    let sign = value.sign == .minus ? "-" : ""
    guard value.isFinite else { return sign + "Infinity" }
    guard value != 0 else { return sign + "0.0" }
    // Swift's description has the same digits, and an exponent for other magnitudes.
    let parts = value.magnitude.description.split(separator: "e")
    let mantissa = parts[0].split(separator: ".")
    var digits = mantissa.joined()
    // The power of ten by which 0.ddd, with the digits as ddd, must be multiplied.
    var exponent = mantissa[0].count + (parts.count > 1 ? Int(parts[1]) ?? 0 : 0)
    let leadingZeros = digits.prefix { $0 == "0" }.count
    digits.removeFirst(leadingZeros)
    exponent -= leadingZeros
    while digits.count > 1, digits.last == "0" { digits.removeLast() }
    guard (-5...21).contains(exponent) else {
      let power = exponent - 1
      let fraction = digits.count > 1 ? String(digits.dropFirst()) : "0"
      return "\(sign)\(digits.prefix(1)).\(fraction)e\(power < 0 ? "-" : "+")\(power.magnitude)"
    }
    if exponent <= 0 { return "\(sign)0.\(String(repeating: "0", count: -exponent))\(digits)" }
    if exponent >= digits.count {
      return "\(sign)\(digits)\(String(repeating: "0", count: exponent - digits.count)).0"
    }
    return "\(sign)\(digits.prefix(exponent)).\(digits.dropFirst(exponent))"
  }
}
