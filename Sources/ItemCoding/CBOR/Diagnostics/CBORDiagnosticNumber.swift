// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Numbers as Appendix A of RFC 8949 writes them.
enum CBORDiagnosticNumber {
  /// The most bytes of a bignum that are shown as a number: to find its digits takes their square in time.
  static let mostBignumBytes = 256

  /// What major type 1 with `argument` stands for.
  static func negative(_ argument: UInt64) -> String {
    // -1 - 0xFFFFFFFFFFFFFFFF is beyond any integer of 64 bits.
    argument == .max ? "-18446744073709551616" : "-\(argument + 1)"
  }

  /// A bignum, or `nil` for one that is a smaller integer, begins with a zero or is very long, and so is better shown
  /// as what it is: a tag with a byte string.
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

  /// The number of half, single or double precision with `bits`.
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

  /// The fewest digits that tell `value` from its neighbours: with an exponent from 1e+21 on and below 1e-6, as in
  /// ECMAScript, and always with a point.
  private static func text(of value: Double) -> String {
    guard !value.isNaN else { return "NaN" }
    let sign = value.sign == .minus ? "-" : ""
    guard value.isFinite else { return sign + "Infinity" }
    guard value != 0 else { return sign + "0.0" }
    // Swift's own description has the same digits, but an exponent at other magnitudes.
    let parts = value.magnitude.description.split(separator: "e")
    let mantissa = parts[0].split(separator: ".")
    var digits = mantissa.joined()
    // Of the digits as 0.ddd: where the point stands.
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
